// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/surveypage.h"

#include "widgets/look/plainlabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

constexpr QSize kLeastPage(200, 200); // it scrolls; the window may be smaller than it would like
constexpr int kEdge = 6;

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
    setMinimumSize(kLeastPage);
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
    auto* both = new QSplitter(Qt::Horizontal);
    both->addWidget(m_table);
    both->addWidget(makeScatter());
    both->setChildrenCollapsible(false);
    both->setStretchFactor(0, 3);
    both->setStretchFactor(1, 2);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(kEdge, kEdge, kEdge, kEdge);
    lines->addLayout(line);
    lines->addWidget(makeChoice());
    lines->addWidget(m_sentence);
    lines->addWidget(both, 1);
}

QWidget* SurveyPage::makeChoice()
{
    auto* texts = new QPushButton(tr("&Texts…"));
    texts->setToolTip(tr("A folder of .txt and .jsonl files"));
    connect(texts, &QPushButton::clicked, this, &SurveyPage::textsRequested);
    m_texts = new PlainLabel;
    m_prompts = new QCheckBox(tr("prompts of the sample's &benchmark"));
    m_prompts->setChecked(true);
    m_tokens = new QSpinBox;
    m_tokens->setRange(1'000, 1'000'000'000);
    m_tokens->setSingleStep(10'000);
    m_tokens->setValue(100'000);
    m_tokens->setSuffix(tr(" tokens"));
    m_tokens->setAccessibleName(tr("How many tokens are read"));
    m_run = new QPushButton;
    connect(m_run, &QPushButton::clicked, this, [this] { m_running ? Q_EMIT stopRequested() : Q_EMIT runRequested(); });
    setRunning(false);
    m_filter = new QLineEdit;
    m_filter->setPlaceholderText(tr("only heads with, as: induction > 0.2 and entropy < 1"));
    m_filter->setAccessibleName(tr("Filter of heads"));
    m_filter->setClearButtonEnabled(true);
    connect(m_filter, &QLineEdit::textChanged, this, &SurveyPage::filterChanged);
    auto* choice = new QWidget;
    auto* lines = new QVBoxLayout(choice);
    lines->setContentsMargins(0, 0, 0, 0);
    auto* first = new QHBoxLayout;
    for (QWidget* one : std::initializer_list<QWidget*>{texts, m_texts, m_prompts, m_tokens, m_run})
        first->addWidget(one);
    first->setStretchFactor(m_texts, 1);
    lines->addLayout(first);
    lines->addWidget(m_filter);
    return choice;
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
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { m_scatter->setSelected(selectedHeads()); });
    connect(m_table, &QTableView::doubleClicked, this,
            [this, headAt](const QModelIndex& index) { Q_EMIT cardRequested(headAt(index)); });
}

QWidget* SurveyPage::makeScatter()
{
    m_scatter = new ScatterView;
    m_x = new QComboBox;
    m_y = new QComboBox;
    m_x->setAccessibleName(tr("Metric to the right"));
    m_y->setAccessibleName(tr("Metric upwards"));
    auto* logarithmic = new QCheckBox(tr("&logarithmic"));
    connect(logarithmic, &QCheckBox::toggled, m_scatter, &ScatterView::setLogarithmic);
    for (QComboBox* axis : {m_x, m_y})
        connect(axis, &QComboBox::currentIndexChanged, this, &SurveyPage::axesChanged);
    connect(m_scatter, &ScatterView::headsSelected, this, &SurveyPage::selectInTable);
    m_correlation = new PlainLabel;
    m_correlation->setWordWrap(true);
    auto* side = new QWidget;
    auto* lines = new QVBoxLayout(side);
    lines->setContentsMargins(0, 0, 0, 0);
    auto* axes = new QHBoxLayout;
    axes->addWidget(m_x, 1);
    axes->addWidget(m_y, 1);
    axes->addWidget(logarithmic);
    lines->addLayout(axes);
    lines->addWidget(m_scatter, 1);
    lines->addWidget(m_correlation);
    return side;
}

void SurveyPage::setTitle(const QString& title)
{
    m_title->setText(title);
}

void SurveyPage::setTexts(const QString& texts)
{
    m_texts->setText(texts);
}

void SurveyPage::setRunning(bool running)
{
    m_running = running;
    m_run->setText(running ? tr("&Stop") : tr("&Measure"));
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
    m_model->setRows(metrics, std::move(rows));
    m_table->resizeColumnsToContents();
    if (m_x->count() == metrics.size())
        return;
    const QSignalBlocker x(m_x), y(m_y);
    for (QComboBox* axis : {m_x, m_y}) {
        axis->clear();
        axis->addItems(metrics);
    }
    m_y->setCurrentIndex(std::min(2, m_y->count() - 1));
}

void SurveyPage::setShownRows(std::optional<std::set<int>> rows)
{
    m_rows->setShown(std::move(rows));
}

void SurveyPage::setCorrelation(const QString& sentence)
{
    m_correlation->setText(sentence);
}

int SurveyPage::tokens() const
{
    return m_tokens->value();
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

QString SurveyPage::correlation() const
{
    return m_correlation->text();
}

QStringList SurveyPage::selectedHeads() const
{
    QStringList heads;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        heads << index.data().toString();
    return heads;
}

std::pair<int, int> SurveyPage::axes() const
{
    return {m_x->currentIndex(), m_y->currentIndex()};
}

void SurveyPage::selectInTable(const QStringList& heads)
{
    QItemSelection selection;
    for (int row = 0; row < m_rows->rowCount(); ++row)
        if (heads.contains(m_rows->index(row, 0).data().toString()))
            selection.select(m_rows->index(row, 0), m_rows->index(row, m_rows->columnCount() - 1));
    m_table->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (heads.size() == 1)
        Q_EMIT headChosen(heads.front());
}

void SurveyPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shown();
}

} // namespace headscope::widgets
