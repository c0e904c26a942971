// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentspage.h"

#include "app/backend/session/keeprequests.h"
#include "app/present/text.h"
#include "app/present/verdicttext.h"
#include "app/window/experiments/experimentview.h"
#include "core/experiments/experiment.h"
#include "widgets/look/plainlabel.h"
#include "widgets/look/plaintext.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace headscope::gui {

namespace {

constexpr int kMostExamples = 100000;

QString questionOf(const experiments::Experiment& one)
{
    return (one.number.empty() ? QString() : text(one.number) + QStringLiteral("  ")) + text(one.question);
}

} // namespace

ExperimentsPage::ExperimentsPage(const QString& program, app::SessionDoor& door, QWidget* parent)
    : QSplitter(parent), m_door(door), m_list(new QListWidget), m_view(new ExperimentView), m_runner(program)
{
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(8, 8, 0, 8);
    auto* back = new QPushButton(tr("&Back to the heads"));
    column->addWidget(back);
    column->addWidget(m_list, 1);
    m_list->setWordWrap(true);
    m_list->setAccessibleName(tr("Experiments"));
    for (const experiments::Experiment& one : experiments::allExperiments())
        m_list->addItem(questionOf(one));
    m_view->setControls(makeControls());
    addWidget(left);
    addWidget(m_view);
    setStretchFactor(1, 1);
    setSizes({300, 900});
    setChildrenCollapsible(false);
    connect(back, &QPushButton::clicked, this, &ExperimentsPage::backRequested);
    connect(m_list, &QListWidget::currentRowChanged, this, &ExperimentsPage::showChosen);
    connect(&m_runner, &ExperimentRunner::said, this, [this](const QString& line) { m_progress->setText(line); });
    connect(&m_runner, &ExperimentRunner::reported, this, &ExperimentsPage::keep);
    connect(&m_runner, &ExperimentRunner::ended, this, [this](bool complete) {
        showRunning(false);
        if (complete && m_reports.contains(text(experiment().id)))
            m_progress->setText(tr("Finished."));
        Q_EMIT finished(complete);
    });
    m_list->setCurrentRow(0);
}

QWidget* ExperimentsPage::makeControls()
{
    auto* box = new QWidget;
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    auto* models = new QWidget;
    m_models = new QHBoxLayout(models);
    m_models->setContentsMargins(0, 0, 0, 0);
    m_limit = new QSpinBox;
    m_limit->setRange(0, kMostExamples);
    m_limit->setSpecialValueText(tr("as the experiment has it"));
    auto* limitLabel = new widgets::PlainLabel(tr("&Examples of each benchmark"));
    limitLabel->setBuddy(m_limit);
    m_ask = new QPushButton(tr("What will it &take?"));
    m_run = new QPushButton(tr("&Run"));
    m_stop = new QPushButton(tr("&Stop"));
    m_progress = new widgets::PlainLabel;
    m_progress->setWordWrap(true);
    grid->addWidget(new widgets::PlainLabel(tr("Models")), 0, 0);
    grid->addWidget(models, 0, 1, 1, 4);
    grid->addWidget(limitLabel, 1, 0);
    grid->addWidget(m_limit, 1, 1);
    grid->addWidget(m_ask, 1, 2);
    grid->addWidget(m_run, 1, 3);
    grid->addWidget(m_stop, 1, 4);
    grid->addWidget(m_progress, 2, 0, 1, 5);
    grid->setColumnStretch(1, 1);
    connect(m_run, &QPushButton::clicked, this, &ExperimentsPage::run);
    connect(m_ask, &QPushButton::clicked, this, &ExperimentsPage::forecast);
    connect(m_stop, &QPushButton::clicked, this, &ExperimentsPage::stop);
    m_stop->setEnabled(false);
    return box;
}

int ExperimentsPage::count()
{
    return static_cast<int>(experiments::allExperiments().size());
}

QString ExperimentsPage::title(int index)
{
    return questionOf(experiments::allExperiments()[static_cast<std::size_t>(index)]);
}

void ExperimentsPage::setSurroundings(const QString& session, const QStringList& openModels)
{
    const bool other = m_session != session;
    m_session = session;
    m_openModels = openModels;
    if (running())
        return;
    if (other) {
        m_reports.clear();
        for (int i = 0; i < count(); ++i)
            m_list->item(i)->setText(title(i));
        showChosen();
        readKept();
    }
    offerModels();
}

// The last report of each experiment on its own models.
void ExperimentsPage::readKept()
{
    if (!m_door.isOpen())
        return;
    for (const experiments::Experiment& one : experiments::allExperiments())
        m_door.askLatest<std::optional<std::string>>(
            this, one.id, app::uiState(experiments::reportKey(one.id, one.models)),
            [this](const Result<std::optional<std::string>>& kept) {
                if (!kept.has_value() || !*kept)
                    return;
                const auto report = experiments::parseReport(**kept);
                if (report.has_value() && !m_reports.contains(text(report->experiment->id)))
                    keep(*report);
            });
}

const experiments::Experiment& ExperimentsPage::experiment() const
{
    return experiments::allExperiments()[static_cast<std::size_t>(std::max(m_list->currentRow(), 0))];
}

void ExperimentsPage::choose(int index)
{
    m_list->setCurrentRow(index);
}

void ExperimentsPage::showChosen()
{
    const auto known = m_reports.constFind(text(experiment().id));
    if (known != m_reports.constEnd())
        m_view->setReport(*known);
    else
        m_view->setExperiment(experiment());
    if (!running())
        m_progress->clear();
    offerModels();
}

void ExperimentsPage::offerModels()
{
    while (QLayoutItem* item = m_models->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const std::string& model : experiment().models)
        addModel(text(model), true);
    for (const QString& model : m_openModels)
        addModel(model, false);
    auto* other = new QPushButton(tr("&Other…"));
    connect(other, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder of a model"));
        if (!folder.isEmpty())
            addModel(folder, true);
    });
    m_models->addWidget(other);
    m_models->addStretch(1);
}

void ExperimentsPage::addModel(const QString& name, bool chosen)
{
    for (int i = 0; i < m_models->count(); ++i)
        if (const auto* box = qobject_cast<QCheckBox*>(m_models->itemAt(i)->widget());
            box && box->text() == widgets::plainText(name.section(QLatin1Char('/'), -1)))
            return; // a shipped one that is open, too
    auto* box = new QCheckBox(widgets::plainText(name.section(QLatin1Char('/'), -1)));
    box->setProperty("model", name);
    box->setToolTip(widgets::plainText(name));
    box->setChecked(chosen);
    int place = 0; // before the button
    while (place < m_models->count() && qobject_cast<QCheckBox*>(m_models->itemAt(place)->widget()))
        ++place;
    m_models->insertWidget(place, box);
}

void ExperimentsPage::start(bool forecastOnly)
{
    ExperimentRequest request{.id = text(experiment().id), .limit = m_limit->value(), .forecastOnly = forecastOnly};
    for (int i = 0; i < m_models->count(); ++i)
        if (const auto* box = qobject_cast<QCheckBox*>(m_models->itemAt(i)->widget()); box && box->isChecked())
            request.models.append(box->property("model").toString());
    if (request.models.isEmpty()) {
        m_progress->setText(tr("Choose at least one model."));
        return;
    }
    showRunning(true);
    m_runner.start(request, m_session);
}

void ExperimentsPage::run()
{
    start(false);
}

void ExperimentsPage::forecast()
{
    start(true);
}

void ExperimentsPage::showRunning(bool running)
{
    m_stop->setEnabled(running);
    m_run->setEnabled(!running);
    m_ask->setEnabled(!running);
    m_list->setEnabled(!running);
}

void ExperimentsPage::keep(const experiments::Report& report)
{
    const QString id = text(report.experiment->id);
    m_reports[id] = report;
    for (int i = 0; i < count(); ++i)
        if (experiments::allExperiments()[static_cast<std::size_t>(i)].id == report.experiment->id)
            m_list->item(i)->setText(title(i) + QLatin1Char('\n') + verdictMark(report.judgement().verdict)
                                     + QLatin1Char(' ') + verdictText(report.judgement().verdict));
    if (text(experiment().id) == id)
        m_view->setReport(report);
}

} // namespace headscope::gui
