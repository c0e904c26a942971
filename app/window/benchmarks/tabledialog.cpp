// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/benchmarks/tabledialog.h"

#include "widgets/look/boxes/plainedit.h"
#include "widgets/look/filename.h"
#include "widgets/look/labels/plainlabel.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFormLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::gui {

using tasks::AnswerForm;
using tasks::Scoring;

namespace {

constexpr int kLinesOfPrompt = 4, kLinesOfRow = 11;
constexpr int kRowsTried = 2000; // at each letter that is written

QString rowText(const tasks::TableRow& row)
{
    QString text = QString::fromStdString(row.prompt);
    for (std::size_t i = 0; i < row.choices.size(); ++i)
        text += (static_cast<int>(i) == row.gold ? QStringLiteral("\n● ") : QStringLiteral("\n○ "))
                + QString::fromStdString(row.choices[i]);
    return row.choices.empty() ? text + QStringLiteral(" ▸ ") + QString::fromStdString(row.answer) : text;
}

} // namespace

TableDialog::TableDialog(tasks::Table table, const QString& name, QString folder, QWidget* parent)
    : QDialog(parent), m_table(std::move(table)), m_folder(std::move(folder)), m_name(new QLineEdit(name)),
      m_kind(new QComboBox), m_prompt(new widgets::PlainEdit), m_choices(new QListWidget), m_answer(new QComboBox),
      m_form(new QComboBox), m_row(new widgets::PlainLabel),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this))
{
    setWindowTitle(tr("Meaning of the columns"));
    m_kind->addItem(tr("choose among options"), static_cast<int>(Scoring::MultipleChoice));
    m_kind->addItem(tr("continue the prompt with the answer"), static_cast<int>(Scoring::LogLikelihood));
    m_kind->addItem(tr("write the answer"), static_cast<int>(Scoring::Generation));
    m_form->addItem(tr("the text of the option"), static_cast<int>(AnswerForm::Text));
    m_form->addItem(tr("a letter: A, B, …"), static_cast<int>(AnswerForm::Letter));
    m_form->addItem(tr("a number: 0, 1, …"), static_cast<int>(AnswerForm::FromZero));
    m_form->addItem(tr("a number: 1, 2, …"), static_cast<int>(AnswerForm::FromOne));
    for (const std::string& column : m_table.columns()) {
        m_answer->addItem(QString::fromStdString(column));
        auto* item = new QListWidgetItem(QString::fromStdString(column), m_choices);
        item->setCheckState(Qt::Unchecked);
    }
    arrange();
    guess();
    guessForm();
    connect(m_name, &QLineEdit::textChanged, this, &TableDialog::showRow);
    connect(m_prompt, &QPlainTextEdit::textChanged, this, &TableDialog::showRow);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &TableDialog::showRow);
    connect(m_form, &QComboBox::currentIndexChanged, this, &TableDialog::showRow);
    connect(m_answer, &QComboBox::currentIndexChanged, this, &TableDialog::guessForm);
    connect(m_choices, &QListWidget::itemChanged, this, &TableDialog::guessForm);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void TableDialog::arrange()
{
    m_prompt->setFixedHeight(kLinesOfPrompt * m_prompt->fontMetrics().lineSpacing() + 12);
    m_prompt->setTabChangesFocus(true);
    m_prompt->setToolTip(tr("{{column}} is replaced by the row's value of that column."));
    m_choices->setMaximumHeight(6 * m_choices->fontMetrics().lineSpacing());
    m_row->setWordWrap(true);
    m_row->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_row->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* shown = new QScrollArea; // a row may be a page of text
    shown->setWidget(m_row);
    shown->setWidgetResizable(true);
    shown->setFixedHeight(kLinesOfRow * m_row->fontMetrics().lineSpacing());
    shown->setAccessibleName(tr("Preview"));
    auto* form = new QFormLayout;
    form->addRow(tr("&Name"), m_name);
    form->addRow(tr("&The model must"), m_kind);
    form->addRow(tr("&Prompt"), m_prompt);
    form->addRow(tr("O&ptions"), m_choices);
    form->addRow(tr("&Answer"), m_answer);
    form->addRow(tr("The answer &is"), m_form);
    form->addRow(tr("Preview"), shown);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(m_buttons);
    resize(620, sizeHint().height());
}

void TableDialog::guess()
{
    const tasks::TableMeaning likely = m_table.likelyMeaning({});
    const auto& columns = m_table.columns();
    m_answer->setCurrentText(QString::fromStdString(likely.answer));
    for (const std::string& column : likely.choices)
        m_choices->item(static_cast<int>(std::ranges::find(columns, column) - columns.begin()))
            ->setCheckState(Qt::Checked);
    m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(likely.scoring)));
    m_prompt->setPlainText(QString::fromStdString(likely.prompt));
}

tasks::TableMeaning TableDialog::meaning() const
{
    tasks::TableMeaning meaning{.name = m_name->text().trimmed().toStdString(),
                                .scoring = static_cast<Scoring>(m_kind->currentData().toInt()),
                                .prompt = m_prompt->toPlainText().toStdString(),
                                .choices = {},
                                .answer = m_answer->currentText().toStdString(),
                                .form = static_cast<AnswerForm>(m_form->currentData().toInt())};
    for (int i = 0; i < m_choices->count(); ++i)
        if (m_choices->item(i)->checkState() == Qt::Checked)
            meaning.choices.push_back(m_choices->item(i)->text().toStdString());
    return meaning;
}

void TableDialog::guessForm()
{
    const tasks::TableMeaning asked = meaning();
    m_form->setCurrentIndex(m_form->findData(static_cast<int>(m_table.guess(asked.answer, asked.choices))));
    showRow();
}

void TableDialog::showRow()
{
    const tasks::TableMeaning asked = meaning();
    const bool options = asked.scoring == Scoring::MultipleChoice;
    m_choices->setEnabled(options);
    m_form->setEnabled(options);
    const tasks::TableFit fit = m_table.fit(asked, kRowsTried);
    QStringList lines{fitText(fit)};
    if (m_table.encoding() == tasks::Encoding::Windows1252)
        lines.append(tr("The file is not UTF-8; it is read as Windows-1252 (Western European)."));
    if (!asked.name.empty() && QFile::exists(taskFile()))
        lines.append(tr("There is a benchmark with this name; it will be replaced."));
    if (const auto row = m_table.row(std::max(0, fit.first), asked); fit.usable > 0 && row.has_value())
        lines.append(QStringLiteral("\n%1").arg(rowText(*row)));
    m_row->setText(lines.join(u'\n'));
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(fit.usable > 0 && !asked.name.empty());
}

QString TableDialog::fitText(const tasks::TableFit& fit) const
{
    const QString refusal = QString::fromStdString(fit.refusal);
    const QString of = fit.looked < m_table.rowCount() ? tr("%L1 of the first %L2 rows can be used.")
                                                       : tr("%L1 of %L2 rows can be used.");
    return of.arg(fit.usable).arg(fit.looked) + (refusal.isEmpty() ? QString() : u' ' + refusal);
}

QString TableDialog::taskFile() const
{
    const QString name = widgets::fileNameOf(m_name->text());
    return QDir(m_folder).filePath(name + QStringLiteral(".json"));
}

QString TableDialog::preview() const
{
    return m_row->text();
}

} // namespace headscope::gui
