// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/surveypage.h"

#include "widgets/look/boxes/flowlayout.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace headscope::widgets {

namespace {

constexpr QSize kLeastSurvey(200, 200); // it scrolls; the window may be smaller than it would like
constexpr int kSurveyEdge = 6;

} // namespace

/// The rows that a filter lets through.
class SurveyPage::Rows : public QSortFilterProxyModel
{
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setShown(std::optional<std::set<int>> rows)
    {
        m_shown = std::move(rows);
        invalidateFilter();
    }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex&) const override
    {
        return !m_shown || m_shown->contains(row);
    }

private:
    std::optional<std::set<int>> m_shown;
};

SurveyPage::SurveyPage(QWidget* parent) : QWidget(parent)
{
    makePage(this);
    setMinimumSize(kLeastSurvey);
    auto* back = new QToolButton;
    back->setText(QStringLiteral("◂ ") + tr("Back to the maps"));
    connect(back, &QToolButton::clicked, this, &SurveyPage::backRequested);
    m_title = new PlainLabel;
    auto* file = new QToolButton;
    file->setText(tr("Save the table…"));
    connect(file, &QToolButton::clicked, this, &SurveyPage::tableFileRequested);
    auto* line = new QHBoxLayout;
    line->addWidget(back);
    line->addWidget(m_title, 1);
    line->addWidget(file);
    m_sentence = new PlainLabel;
    m_sentence->setWordWrap(true);
    makeTable();
    makeTabs();
    auto* both = new QSplitter(Qt::Horizontal);
    both->addWidget(m_table);
    both->addWidget(m_tabs);
    both->setChildrenCollapsible(false);
    both->setStretchFactor(0, 3);
    both->setStretchFactor(1, 2);
    both->hide(); // nothing empty is shown
    connect(m_model, &QAbstractItemModel::modelReset, both,
            [this, both] { both->setVisible(m_model->rowCount() > 0); });
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(kSurveyEdge, kSurveyEdge, kSurveyEdge, kSurveyEdge);
    lines->addLayout(line);
    lines->addWidget(makeChoice());
    lines->addWidget(makeFilterLine());
    lines->addWidget(m_sentence);
    lines->addWidget(both, 1);
    lines->addStretch();
}

QWidget* SurveyPage::makeTextsButton()
{
    auto* menu = new QMenu(this);
    menu->addAction(tr("Add a &folder…"), this, &SurveyPage::folderRequested);
    menu->addAction(tr("Add f&iles…"), this, &SurveyPage::filesRequested);
    menu->addAction(tr("&None of them"), this, &SurveyPage::clearTextsRequested);
    auto* texts = new QPushButton(tr("&Texts"));
    texts->setMenu(menu);
    texts->setToolTip(tr("Folders of .txt and .jsonl files, and such files; several at once"));
    return texts;
}

QWidget* SurveyPage::makeChoice()
{
    m_texts = new PlainLabel;
    m_texts->hide(); // until there are some
    m_prompts = new QCheckBox(tr("&benchmark's prompts"));
    m_prompts->setChecked(true);
    m_tokens = new QSpinBox;
    m_tokens->setRange(1'000, 1'000'000'000);
    m_tokens->setSingleStep(10'000);
    m_tokens->setValue(100'000);
    m_tokens->setSuffix(tr(" tokens"));
    m_tokens->setAccessibleName(tr("Number of tokens to read"));
    m_window = new QSpinBox;
    m_window->setRange(4, 1 << 20);
    m_window->setValue(128);
    m_window->setPrefix(tr("in windows of "));
    m_window->setAccessibleName(tr("Tokens per window"));
    m_run = new QPushButton;
    connect(m_run, &QPushButton::clicked, this, [this] { m_running ? Q_EMIT stopRequested() : Q_EMIT runRequested(); });
    setRunning(false);
    auto* choice = new QWidget;
    auto* line = new FlowLayout(choice);
    for (QWidget* one :
         std::initializer_list<QWidget*>{makeTextsButton(), m_texts, m_prompts, m_tokens, m_window, m_run})
        line->addWidget(one);
    return choice;
}

QWidget* SurveyPage::makeFilterLine()
{
    m_filter = new QLineEdit;
    m_filter->setPlaceholderText(tr("filter, e.g. cost > 0.1 and induction > 0.5"));
    m_filter->setAccessibleName(tr("Filter of heads"));
    m_filter->setClearButtonEnabled(true);
    connect(m_filter, &QLineEdit::textChanged, this, &SurveyPage::filterChanged);
    m_remove = new QPushButton;
    m_remove->setToolTip(
        plainText(tr("Ablate each selected head (or every head if none is selected) and measure the loss on next "
                     "tokens of these texts and on each benchmark, with scores of weights and probes")));
    connect(m_remove, &QPushButton::clicked, this,
            [this] { m_removing ? Q_EMIT removeStopRequested() : Q_EMIT removeRequested(); });
    setRemoving(false);
    auto* line = new QWidget;
    auto* layout = new QHBoxLayout(line);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_filter, 1);
    layout->addWidget(m_remove);
    return line;
}

void SurveyPage::makeTable()
{
    m_model = new SurveyModel(this);
    m_rows = new Rows(this);
    m_rows->setSourceModel(m_model);
    m_rows->setSortRole(SurveyModel::kValueRole);
    m_table = new QTableView;
    m_table->setModel(m_rows);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(0, Qt::AscendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->verticalHeader()->hide();
    m_table->setAccessibleName(tr("Heads and metrics"));
    const auto headAt = [this](const QModelIndex& index) { return m_rows->index(index.row(), 0).data().toString(); };
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, headAt](const QModelIndex& now) {
                if (now.isValid())
                    Q_EMIT headChosen(headAt(now));
            });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &SurveyPage::emitSelection);
    connect(m_table, &QTableView::doubleClicked, this,
            [this, headAt](const QModelIndex& index) { Q_EMIT cardRequested(headAt(index)); });
}

void SurveyPage::makeTabs()
{
    m_scatter = new ScatterPanel;
    m_losses = new LossView;
    m_matches = new MatchPanel;
    connect(m_scatter->view(), &ScatterView::headsSelected, this, [this](const QStringList& heads) {
        selectHeads(heads);
        Q_EMIT headsSelected(heads);
        if (heads.size() == 1)
            Q_EMIT headChosen(heads.front());
    });
    connect(m_scatter->view(), &ScatterView::headOpened, this, &SurveyPage::cardRequested);
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_scatter, tr("Scatter plot"));
    m_tabs->addTab(m_losses, tr("Loss by group"));
    m_tabs->addTab(m_matches, tr("Similar heads"));
    m_tabs->setAccessibleName(tr("Heads of the table"));
}

// The table tells of what a person selects there.
void SurveyPage::emitSelection()
{
    m_scatter->view()->setSelected(selectedHeads());
    if (!m_quiet)
        Q_EMIT headsSelected(selectedHeads());
}

void SurveyPage::setTitle(const QString& title)
{
    m_title->setText(title);
}

void SurveyPage::setTexts(const QString& texts)
{
    m_texts->setText(texts);
    m_texts->setVisible(!texts.isEmpty());
}

void SurveyPage::setRunning(bool running)
{
    m_running = running;
    m_run->setText(running ? tr("&Stop") : tr("&Measure"));
}

void SurveyPage::setRemoving(bool running)
{
    m_removing = running;
    m_remove->setText(running ? tr("S&top ablating") : tr("Abl&ate each"));
}

void SurveyPage::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
}

void SurveyPage::setFilterProblem(const QString& sentence)
{
    m_filter->setToolTip(sentence.isEmpty() ? QString() : plainText(sentence));
    QPalette colors = palette();
    if (!sentence.isEmpty())
        colors.setColor(QPalette::Text, Qt::red);
    m_filter->setPalette(colors);
}

void SurveyPage::setRows(const QStringList& metrics, std::vector<SurveyRow> rows)
{
    const QStringList selected = selectedHeads();
    m_model->setRows(metrics, std::move(rows));
    m_table->resizeColumnsToContents();
    m_scatter->setMetrics(metrics);
    selectHeads(selected);
}

void SurveyPage::setShownRows(std::optional<std::set<int>> rows)
{
    m_rows->setShown(std::move(rows));
}

int SurveyPage::tokens() const
{
    return m_tokens->value();
}

void SurveyPage::setTokens(int tokens)
{
    m_tokens->setValue(tokens);
}

int SurveyPage::windowTokens() const
{
    return m_window->value();
}

bool SurveyPage::wantsPrompts() const
{
    return m_prompts->isChecked();
}

QString SurveyPage::filter() const
{
    return m_filter->text();
}

QString SurveyPage::sentence() const
{
    return m_sentence->text();
}

QStringList SurveyPage::selectedHeads() const
{
    QStringList heads;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        heads << index.data().toString();
    return heads;
}

void SurveyPage::selectHeads(const QStringList& heads)
{
    QItemSelection selection;
    for (int row = 0; row < m_rows->rowCount(); ++row)
        if (heads.contains(m_rows->index(row, 0).data().toString()))
            selection.select(m_rows->index(row, 0), m_rows->index(row, m_rows->columnCount() - 1));
    const bool before = std::exchange(m_quiet, true);
    m_table->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    m_quiet = before;
    m_scatter->view()->setSelected(heads);
}

void SurveyPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shown();
}

} // namespace headscope::widgets
