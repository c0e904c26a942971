// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentspage.h"

#include "app/backend/session/experimentrequests.h"
#include "app/present/text.h"
#include "app/present/verdicttext.h"
#include "app/window/experiments/experimentcontrols.h"
#include "app/window/experiments/experimentview.h"
#include "core/experiments/own/ownstudy.h"
#include "core/io/textfile.h"

#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace headscope::gui {

using experiments::Experiment;
using experiments::Report;

namespace {

constexpr std::uint64_t kLongestStudy = 1 << 20; // bytes

QString questionOf(const Experiment& one)
{
    return (one.number.empty() ? QString() : text(one.number) + QStringLiteral("  ")) + text(one.question);
}

} // namespace

ExperimentsPage::ExperimentsPage(const QString& program, app::SessionDoor& door, QWidget* parent)
    : QSplitter(parent), m_door(door), m_list(new QListWidget), m_view(new ExperimentView),
      m_controls(new ExperimentControls), m_runner(program)
{
    m_view->setControls(m_controls);
    addWidget(makeGallery());
    addWidget(m_view);
    setStretchFactor(1, 1);
    setSizes({300, 900});
    setChildrenCollapsible(false);
    connect(m_controls, &ExperimentControls::runRequested, this, &ExperimentsPage::run);
    connect(m_controls, &ExperimentControls::forecastRequested, this, &ExperimentsPage::forecast);
    connect(m_controls, &ExperimentControls::stopRequested, this, &ExperimentsPage::stop);
    connectRunner();
    fillList();
    m_list->setCurrentRow(0);
}

QWidget* ExperimentsPage::makeGallery()
{
    auto* gallery = new QWidget;
    auto* column = new QVBoxLayout(gallery);
    column->setContentsMargins(8, 8, 0, 8);
    auto* back = new QPushButton(tr("&Back to the heads"));
    auto* open = new QPushButton(tr("Open a stu&dy of your own …"));
    column->addWidget(back);
    column->addWidget(m_list, 1);
    column->addWidget(open);
    m_list->setWordWrap(true);
    m_list->setAccessibleName(tr("Experiments"));
    connect(back, &QPushButton::clicked, this, &ExperimentsPage::backRequested);
    connect(open, &QPushButton::clicked, this, &ExperimentsPage::studyRequested);
    connect(m_list, &QListWidget::currentRowChanged, this, &ExperimentsPage::showChosen);
    return gallery;
}

void ExperimentsPage::connectRunner()
{
    connect(&m_runner, &ExperimentRunner::said, this, [this](const QString& line) { say(m_runs, line); });
    connect(&m_runner, &ExperimentRunner::reported, this, [this](const Report& report) {
        keep(report);
        say(m_runs, m_door.readOnly() ? tr("Finished. The session is for reading only, so this is shown and not kept.")
                                      : tr("Finished."));
    });
    connect(&m_runner, &ExperimentRunner::ended, this, [this](bool complete) {
        m_controls->setRunning(false);
        if (!complete)
            readKept(); // what was finished before
        Q_EMIT finished(complete);
    });
}

int ExperimentsPage::count()
{
    return static_cast<int>(experiments::allExperiments().size());
}

QString ExperimentsPage::title(int index)
{
    return questionOf(experiments::allExperiments()[static_cast<std::size_t>(index)]);
}

int ExperimentsPage::chosen() const
{
    return std::clamp(m_list->currentRow(), 0, m_shelf.count() - 1);
}

void ExperimentsPage::setSurroundings(const QString& session, const QStringList& openModels)
{
    const bool other = m_session != session;
    m_session = session;
    m_openModels = openModels;
    if (running())
        return;
    if (other) {
        m_shelf = ExperimentShelf();
        m_said.clear();
        fillList();
        showChosen();
        readKept();
    }
    m_controls->offer(experiment(), m_openModels);
}

void ExperimentsPage::readKept()
{
    if (m_door.isOpen())
        m_door.askLatest<app::KeptExperiments>(this, "experiments", app::experimentsKept(),
                                               [this](const Result<app::KeptExperiments>& kept) {
                                                   if (kept.has_value())
                                                       showKept(*kept);
                                               });
}

void ExperimentsPage::showKept(const app::KeptExperiments& kept)
{
    for (const auto& study : kept.studies)
        m_shelf.put(study);
    for (const Report& report : kept.reports)
        m_shelf.put(report);
    fillList();
    showChosen();
}

// The row that is chosen stays so, by its place: studies only come behind the others.
void ExperimentsPage::fillList()
{
    while (m_list->count() > m_shelf.count())
        delete m_list->takeItem(m_list->count() - 1);
    while (m_list->count() < m_shelf.count())
        m_list->addItem(QString());
    for (int i = 0; i < m_shelf.count(); ++i)
        showEntry(i);
}

void ExperimentsPage::showEntry(int index)
{
    QString entry = questionOf(m_shelf.at(index));
    if (const auto& reports = m_shelf.reports(index); !reports.empty()) {
        const experiments::Verdict verdict = reports.front().judgement().verdict;
        entry += QLatin1Char('\n') + verdictMark(verdict) + QLatin1Char(' ') + verdictText(verdict);
    } else if (m_shelf.isOwn(index)) {
        entry += QLatin1Char('\n') + tr("a study of your own");
    }
    m_list->item(index)->setText(entry);
}

void ExperimentsPage::choose(int index)
{
    m_list->setCurrentRow(index);
}

Result<void> ExperimentsPage::openStudy(const QString& file)
{
    const auto json = io::readTextFile(file.toStdString(), kLongestStudy);
    if (!json.has_value())
        return json.error();
    auto study = experiments::ownStudy(*json);
    if (!study.has_value())
        return study.error();
    if (m_door.isOpen())
        m_door.keep(app::keepStudy(**study));
    const int index = m_shelf.put(std::move(*study));
    fillList();
    if (index == chosen())
        showChosen();
    choose(index);
    return {};
}

void ExperimentsPage::showChosen()
{
    const auto& reports = m_shelf.reports(chosen());
    if (!reports.empty())
        m_view->setReport(reports.front());
    else
        m_view->setExperiment(experiment());
    m_controls->offer(experiment(), m_openModels);
    m_controls->say(m_said.value(text(experiment().id)));
}

void ExperimentsPage::say(const QString& id, const QString& sentence)
{
    m_said[id] = sentence;
    if (text(experiment().id) == id)
        m_controls->say(sentence);
}

void ExperimentsPage::start(bool forecastOnly)
{
    if (running())
        return;
    ExperimentRequest request = m_controls->request();
    request.id = text(experiment().id);
    request.study = experiment().study;
    request.forecastOnly = forecastOnly;
    m_runs = request.id;
    if (request.models.isEmpty())
        return say(m_runs, tr("Choose at least one model."));
    m_controls->setRunning(true);
    m_runner.start(request, m_door.readOnly() ? QString() : m_session);
}

void ExperimentsPage::run()
{
    start(false);
}

void ExperimentsPage::forecast()
{
    start(true);
}

void ExperimentsPage::keep(const Report& report)
{
    m_shelf.put(report);
    const int index = m_shelf.indexOf(report.experiment->id);
    if (index < 0)
        return;
    showEntry(index);
    if (index == chosen())
        showChosen();
}

} // namespace headscope::gui
