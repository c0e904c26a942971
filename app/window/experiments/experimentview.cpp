// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentview.h"

#include "app/figures/experimentfigures.h"
#include "app/present/scores/experimenttable.h"
#include "app/present/scores/verdicttext.h"
#include "app/present/text.h"
#include "core/experiments/experimentreport.h"
#include "core/experiments/words/language.h"
#include "widgets/look/countedtext.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/theme.h"
#include "widgets/scores/experimentplot.h"

#include <QDateTime>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QScrollBar>
#include <QTableWidget>
#include <QVBoxLayout>

namespace headscope::gui {

using experiments::translated;

namespace {

constexpr int kPageWidth = 940;   // text beyond it is hard to read
constexpr int kWidestLines = 620; // a picture beyond it leaves no room for the table

QLabel* paragraph(QWidget* page)
{
    auto* label = new widgets::PlainLabel(page);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

} // namespace

ExperimentView::ExperimentView(QWidget* parent)
    : QScrollArea(parent), m_picture(new widgets::ExperimentPlot), m_table(new QTableWidget)
{
    setAccessibleName(tr("Experiment"));
    auto* page = new QWidget;
    widgets::makePage(page);
    m_question = paragraph(page);
    m_claim = paragraph(page);
    m_measured = paragraph(page);
    m_verdict = paragraph(page);
    m_why = paragraph(page);
    m_rule = paragraph(page);
    m_finding = paragraph(page);
    m_notes = paragraph(page);
    m_key = paragraph(page);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // the page scrolls
    m_table->verticalHeader()->hide();
    m_table->setAlternatingRowColors(true);
    m_table->setAccessibleName(tr("Results"));
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(24, 18, 24, 24);
    column->setSpacing(10);
    for (QWidget* part : std::initializer_list<QWidget*>{m_question, m_claim, m_verdict, m_why, m_picture, m_key,
                                                         m_table, m_finding, m_notes, m_measured, m_rule})
        column->addWidget(part);
    column->addStretch(1);
    page->setMaximumWidth(kPageWidth);
    setWidget(page);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    styleTexts();
}

void ExperimentView::setControls(QWidget* controls)
{
    m_controls = controls;
    auto* column = static_cast<QVBoxLayout*>(widget()->layout());
    column->insertWidget(column->indexOf(m_key) + 1, controls); // the result comes first
}

void ExperimentView::styleTexts()
{
    QFont large = font();
    large.setPointSizeF(font().pointSizeF() * 1.7);
    large.setBold(true);
    m_question->setFont(large);
    QFont strong = font();
    strong.setPointSizeF(font().pointSizeF() * 1.25);
    strong.setBold(true);
    m_verdict->setFont(strong);
    for (QLabel* label : {m_measured, m_rule, m_notes, m_key})
        widgets::setMuted(label);
}

void ExperimentView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange)
        styleTexts();
    QScrollArea::changeEvent(event);
}

void ExperimentView::clearResult()
{
    m_picture->setFigure({});
    m_table->clear();
    m_table->setRowCount(0);
    for (QWidget* part :
         std::initializer_list<QWidget*>{m_verdict, m_why, m_picture, m_key, m_table, m_finding, m_notes})
        part->hide();
}

void ExperimentView::setExperiment(const experiments::Experiment& experiment)
{
    clearResult();
    m_question->setText((experiment.number.empty() ? QString() : text(experiment.number) + QStringLiteral("  "))
                        + text(translated(experiment.question)));
    const bool own = !experiment.study.empty();
    if (own)
        m_claim->setText(text(translated(experiment.claim) + (experiment.claim.empty() ? "" : " ") + "("
                              + translated(experiment.source) + ")"));
    else
        m_claim->setText(experiment.claim.empty()
                             ? tr("An open question of the paper (%1).").arg(text(translated(experiment.source)))
                             : tr("The paper: %1 (%2)")
                                   .arg(text(translated(experiment.claim)), text(translated(experiment.source))));
    QStringList measured = {
        (own ? tr("Measured: %1") : tr("In the paper: %1")).arg(text(translated(experiment.setting)))};
    if (!experiment.scaled.empty())
        measured.append(tr("With the included models: %1").arg(text(translated(experiment.scaled))));
    if (!experiment.assumed.empty())
        measured.append(tr("Assumed: %1").arg(text(translated(experiment.assumed))));
    m_measured->setText(measured.join(QLatin1Char('\n')));
    m_rule->setText(tr("The rule of the verdict. %1").arg(text(translated(experiment.rule))));
}

void ExperimentView::setReport(const experiments::Report& report)
{
    setExperiment(*report.experiment);
    const experiments::Judgement judgement = report.judgement();
    m_verdict->setText(tr("Here, the effect %1.").arg(verdictText(judgement.verdict)));
    const QDate day = QDateTime::fromString(text(report.finished), Qt::ISODate).date();
    QString why = text(judgement.why);
    if (report.included)
        why +=
            u'\n'
            + (report.models == report.experiment->models
                   ? tr("This result comes with the program; it was measured on %1 with the included models. Press "
                        "Run to measure it on this computer.")
                   : tr("This result comes with the program; it was measured on %1 with models that are not included."))
                  .arg(QLocale().toString(day, QLocale::ShortFormat));
    m_why->setText(why);
    QString finding = text(report.table.rows.empty() ? report.finding : report.experiment->finding(report.table));
    m_finding->setText(finding.replace(QStringLiteral(" %"), QStringLiteral("\u00a0%"))); // no line begins with it
    QStringList notes;
    for (const std::string& model : report.measuredOn)
        notes.append(tr("Measured on %1.").arg(text(model)));
    for (const std::string& note : report.notes)
        notes.append(text(experiments::translatedNote(note)));
    if (report.examples > 0)
        notes.append(tr("%1 scored in %L2 s, %L3 taken from the session.")
                         .arg(widgets::counted(report.examples, tr("1 example"), tr("%L1 examples")))
                         .arg(report.seconds, 0, 'f', 1)
                         .arg(report.known));
    m_notes->setText(notes.join(QLatin1Char('\n')));
    setPicture(figures::experimentFigure(report));
    showTable(report);
    for (QWidget* part : std::initializer_list<QWidget*>{m_verdict, m_why, m_finding, m_notes})
        part->show();
}

void ExperimentView::setPicture(widgets::Figure figure)
{
    m_key->setText(figure.caption);
    figure.caption.clear();
    const bool shown = !figure.panels.empty();
    const auto* only = figure.panels.size() == 1 ? std::get_if<widgets::Plot>(&figure.panels.front().content) : nullptr;
    // Lines grow as high as they are wide.
    m_picture->setMaximumWidth(only && only->conditions.isEmpty() ? kWidestLines : kPageWidth);
    m_picture->setFigure(figure);
    m_picture->setVisible(shown);
    m_key->setVisible(shown && !m_key->text().isEmpty());
}

void ExperimentView::showTable(const experiments::Report& report)
{
    const ExperimentTable shown = experimentTable(report);
    m_table->setColumnCount(static_cast<int>(shown.titles.size()));
    m_table->setRowCount(static_cast<int>(shown.rows.size()));
    m_table->setHorizontalHeaderLabels(shown.titles);
    for (int r = 0; r < m_table->rowCount(); ++r)
        for (int c = 0; c < m_table->columnCount(); ++c)
            m_table->setItem(r, c, new QTableWidgetItem(shown.rows[static_cast<std::size_t>(r)][c]));
    m_table->resizeColumnsToContents();
    m_table->resizeRowsToContents();
    // The table is as high as its rows: one scroll bar, the page's.
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() + m_table->verticalHeader()->length()
                            + m_table->horizontalScrollBar()->sizeHint().height() + 4);
    m_table->show();
}

QString ExperimentView::verdict() const
{
    return m_verdict->text();
}

QString ExperimentView::sentences() const
{
    QStringList said;
    for (const QLabel* label : {m_question, m_claim, m_measured, m_verdict, m_why, m_finding, m_notes, m_rule})
        if (!label->isHidden())
            said.append(label->text());
    return said.join(QLatin1Char('\n'));
}

QString ExperimentView::finding() const
{
    return m_finding->text();
}

QStringList ExperimentView::pictures() const
{
    QStringList titles;
    for (const widgets::FigurePanel& panel : m_picture->figure().panels)
        titles.append(panel.heading);
    return titles;
}

} // namespace headscope::gui
