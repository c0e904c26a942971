// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentspage.h"

#include "app/backend/session/experimentrequests.h"
#include "app/figures/experimentfigures.h"
#include "app/present/scores/verdicttext.h"
#include "app/present/text.h"
#include "app/window/experiments/experimentcontrols.h"
#include "app/window/experiments/experimentgallery.h"
#include "app/window/experiments/experimentview.h"
#include "app/window/experiments/unfinishedsessions.h"
#include "core/experiments/own/ownstudy.h"
#include "core/experiments/words/language.h"
#include "core/io/textfiles/textfile.h"

#include <QFileDialog>
#include <QListWidget>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace headscope::gui {

using experiments::Experiment;
using experiments::Report;

namespace {

constexpr std::uint64_t kLongestStudy = 1 << 20; // bytes
constexpr int kBetweenQuestions = 3;             // so that a verdict stands with its own

QString questionText(const Experiment& one)
{
    return (one.number.empty() ? QString() : text(one.number) + QStringLiteral("  "))
           + text(experiments::translated(one.question));
}

} // namespace

ExperimentsPage::ExperimentsPage(const QString& program, const std::filesystem::path& included, app::SessionDoor& door,
                                 QWidget* parent)
    : QSplitter(parent), m_door(door), m_list(new QListWidget), m_stack(new QStackedWidget),
      m_gallery(new ExperimentGallery), m_view(new ExperimentView), m_controls(new ExperimentControls),
      m_reporter(program), m_runner(program)
{
    m_view->setControls(m_controls);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_gallery);
    addWidget(makeList());
    addWidget(m_stack);
    setStretchFactor(1, 1);
    setSizes({300, 900});
    setChildrenCollapsible(false);
    connect(m_controls, &ExperimentControls::runRequested, this, &ExperimentsPage::run);
    connect(m_controls, &ExperimentControls::forecastRequested, this, &ExperimentsPage::forecast);
    connect(m_controls, &ExperimentControls::stopRequested, this, &ExperimentsPage::stop);
    connect(m_controls, &ExperimentControls::resultChosen, this, [this](int result) {
        m_result = result;
        showChosen();
    });
    connectGallery();
    connectRunner();
    m_included.putIncluded(included);
    m_shelf = m_included;
    fillList();
    m_list->setCurrentRow(0);
}

QWidget* ExperimentsPage::makeList()
{
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(8, 8, 0, 8);
    auto* back = new QPushButton(tr("&Back to the heads"));
    auto* gallery = new QPushButton(tr("All at a &glance"));
    auto* open = new QPushButton(tr("Open stu&dy …"));
    column->addWidget(back);
    column->addWidget(gallery);
    column->addWidget(m_list, 1);
    column->addWidget(open);
    m_list->setWordWrap(true);
    m_list->setSpacing(kBetweenQuestions);
    m_list->setAccessibleName(tr("Experiments"));
    connect(back, &QPushButton::clicked, this, &ExperimentsPage::backRequested);
    connect(gallery, &QPushButton::clicked, this, &ExperimentsPage::showGallery);
    connect(open, &QPushButton::clicked, this, &ExperimentsPage::studyRequested);
    connect(m_list, &QListWidget::currentRowChanged, this, [this] {
        m_result = 0;
        showChosen();
    });
    connect(m_list, &QListWidget::itemClicked, this, [this] { m_stack->setCurrentWidget(m_view); });
    return side;
}

void ExperimentsPage::connectGallery()
{
    connect(m_gallery, &ExperimentGallery::chosen, this, [this](int index, int result) {
        choose(index);
        m_result = std::max(result, 0);
        showChosen();
    });
    connect(m_gallery, &ExperimentGallery::allRequested, this, &ExperimentsPage::runAll);
    connect(m_gallery, &ExperimentGallery::reportRequested, this, &ExperimentsPage::askForReport);
    connect(m_gallery, &ExperimentGallery::resumeRequested, this, &ExperimentsPage::resumeUnfinished);
    connect(m_gallery, &ExperimentGallery::forgetRequested, this, [this] {
        m_unfinished.clear();
        remember();
    });
    connect(&m_reporter, &DocumentWriter::ended, this, [this](bool written, const QString& sentence) {
        m_gallery->setWaiting(sentence, false);
        Q_EMIT messageRequested(sentence, !written);
    });
}

void ExperimentsPage::connectRunner()
{
    connect(&m_runner, &ExperimentRunner::lineArrived, this, [this](const QString& line) {
        if (!m_queue.empty())
            showNote(m_queue.front().id, text(experiments::translatedNote(line.toStdString())));
    });
    connect(&m_runner, &ExperimentRunner::reported, this, [this](const Report& report) {
        keep(report);
        const bool unstored = m_into.isEmpty() && !m_session.isEmpty();
        showNote(text(report.experiment->id),
                 unstored ? tr("Finished. The session is read-only, so this result is not stored.") : tr("Finished."));
    });
    connect(&m_runner, &ExperimentRunner::ended, this, &ExperimentsPage::ended);
}

void ExperimentsPage::ended(bool complete)
{
    if (!m_queue.empty()) {
        m_queue.pop_front();
        ++m_over;
    }
    if (!m_queue.empty())
        startNext();
    remember();
    if (m_next && m_queue.empty()) {
        rememberUnfinished(m_session, false);
        setSurroundings(*std::exchange(m_next, std::nullopt), m_openModels);
    } else if (!complete && !m_next) {
        readSaved(); // what was finished before
    }
    Q_EMIT finished(complete);
}

void ExperimentsPage::showGallery()
{
    m_gallery->setShelf(m_shelf);
    showWaiting();
    m_stack->setCurrentWidget(m_gallery);
}

int ExperimentsPage::count()
{
    return static_cast<int>(experiments::allExperiments().size());
}

QString ExperimentsPage::title(int index)
{
    return questionText(experiments::allExperiments()[static_cast<std::size_t>(index)]);
}

int ExperimentsPage::chosen() const
{
    return std::clamp(m_list->currentRow(), 0, m_shelf.count() - 1);
}

void ExperimentsPage::setSurroundings(const QString& session, const QStringList& openModels)
{
    m_openModels = openModels;
    if (running()) { // what runs stays with its session
        m_next = session == m_session ? std::nullopt : std::optional(session);
        return;
    }
    if (std::exchange(m_session, session) != session) {
        m_shelf = m_included;
        m_notes.clear();
        m_unfinished.clear();
        fillList();
        showChosen();
        readSaved();
    }
    m_controls->offer(experiment(), m_openModels);
}

void ExperimentsPage::readSaved()
{
    if (m_door.isOpen())
        m_door.askLatest<app::SavedExperiments>(this, "experiments", app::experimentsKept(),
                                                [this](const Result<app::SavedExperiments>& kept) {
                                                    if (kept.has_value())
                                                        showSaved(*kept);
                                                });
}

void ExperimentsPage::showSaved(const app::SavedExperiments& kept)
{
    for (const auto& study : kept.studies)
        m_shelf.put(study);
    for (const Report& report : kept.reports)
        m_shelf.put(report);
    if (m_queue.empty())
        m_unfinished = parseQueue(kept.waiting);
    if (!m_unfinished.empty() && !m_door.readOnly() && isUnfinished(m_session))
        resumeUnfinished();
    fillList();
    showChosen();
    if (m_stack->currentWidget() == m_gallery)
        showGallery();
    showWaiting();
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
    QString entry = questionText(m_shelf.at(index));
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
    m_stack->setCurrentWidget(m_view);
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
    m_result = std::clamp(m_result, 0, std::max(static_cast<int>(reports.size()) - 1, 0));
    if (!reports.empty())
        showReport(reports[static_cast<std::size_t>(m_result)]);
    else
        m_view->setExperiment(experiment());
    m_controls->offer(experiment(), m_openModels);
    QStringList results;
    for (const Report& report : reports) {
        QStringList models;
        for (const std::string& model : report.models)
            models.append(text(model.substr(model.rfind('/') + 1)));
        results.append(models.join(QStringLiteral(", ")) + QStringLiteral("   ")
                       + verdictText(report.judgement().verdict));
    }
    m_controls->offerResults(results, m_result);
    const QString id = text(experiment().id);
    m_controls->setRunning(running(), !waits(id));
    m_controls->showNote(m_notes.value(id));
}

// Numbers at once; maps of heads stand in the session.
void ExperimentsPage::showReport(const Report& report)
{
    m_view->setReport(report);
    if (!figures::hasMaps(report) || !m_door.isOpen())
        return;
    using widgets::Figure;
    const app::SessionRequest<Figure> request = [report](sessions::SessionStore& session) {
        return Result<Figure>(figures::experimentFigure(report, session));
    };
    m_door.askLatest<Figure>(this, "experiment maps", request, [this, id = report.experiment->id](const auto& figure) {
        if (figure.has_value() && experiment().id == id)
            m_view->setPicture(*figure);
    });
}

void ExperimentsPage::showNote(const QString& id, const QString& sentence)
{
    m_notes[id] = sentence;
    if (text(experiment().id) == id)
        m_controls->showNote(sentence);
}

bool ExperimentsPage::waits(const QString& id) const
{
    return std::any_of(m_queue.begin(), m_queue.end(),
                       [&](const ExperimentRequest& request) { return request.id == id; });
}

void ExperimentsPage::ask(ExperimentRequest request)
{
    if (waits(request.id))
        return;
    if (request.models.isEmpty())
        return showNote(request.id, tr("Choose at least one model."));
    if (m_next)
        return showNote(request.id, tr("Experiments of the session that was open before are still running."));
    m_queue.push_back(std::move(request));
    if (m_queue.size() == 1)
        startNext();
    else
        showNote(m_queue.back().id, tr("Waiting: %1 ahead in the queue.").arg(m_queue.size() - 1));
    remember();
}

void ExperimentsPage::startNext()
{
    const ExperimentRequest next = m_queue.front();
    showNote(next.id, next.forecastOnly ? QString() : tr("Starting."));
    if (!m_next)
        m_into = m_door.readOnly() ? QString() : m_session;
    m_runner.start(next, m_into);
}

// What is asked for stands in the session until it is finished, so that it can go on after a restart.
void ExperimentsPage::remember()
{
    ExperimentQueue left = m_queue;
    std::erase_if(left, [](const ExperimentRequest& request) { return request.forecastOnly; });
    if (!m_next && m_door.isOpen() && !m_door.readOnly()) {
        m_door.keep(
            app::keepWaiting(left.empty() && m_unfinished.empty() ? "[]" : toJson(left.empty() ? m_unfinished : left)));
        rememberUnfinished(m_session, !left.empty());
    }
    m_controls->setRunning(!m_queue.empty(), !waits(text(experiment().id)));
    if (m_stack->currentWidget() == m_gallery && !m_queue.empty())
        m_gallery->setShelf(m_shelf);
    showWaiting();
}

void ExperimentsPage::showWaiting()
{
    const auto name = [&](const ExperimentRequest& request) {
        const int index = m_shelf.indexOf(request.id.toStdString());
        return index < 0 ? request.id : questionText(m_shelf.at(index));
    };
    if (m_queue.empty())
        m_over = 0;
    Q_EMIT worked(m_queue.empty() ? QString() : name(m_queue.front()), m_over,
                  m_over + static_cast<int>(m_queue.size()));
    if (!m_queue.empty())
        m_gallery->setWaiting(
            m_queue.size() == 1
                ? tr("Running: %1").arg(name(m_queue.front()))
                : tr("Running: %1 (%2 more waiting)").arg(name(m_queue.front())).arg(m_queue.size() - 1),
            false);
    else if (!m_unfinished.empty())
        m_gallery->setWaiting(tr("Not finished when the window was closed: %1 (%2 in all)")
                                  .arg(name(m_unfinished.front()))
                                  .arg(m_unfinished.size()),
                              true);
    else
        m_gallery->setWaiting({}, false);
}

void ExperimentsPage::run()
{
    ExperimentRequest request = m_controls->request();
    request.id = text(experiment().id);
    request.study = experiment().study;
    m_unfinished.clear();
    ask(std::move(request));
}

void ExperimentsPage::runAll()
{
    const ExperimentRequest how = m_controls->request();
    for (int i = 0; i < m_shelf.count(); ++i) {
        const Experiment& one = m_shelf.at(i);
        const auto& reports = m_shelf.reports(i);
        if (std::any_of(reports.begin(), reports.end(), [&](const Report& report) {
                return report.complete && !report.included && report.models == one.models;
            }))
            continue;
        ExperimentRequest request{.id = text(one.id), .study = one.study, .limit = how.limit, .minutes = how.minutes};
        for (const std::string& model : one.models)
            request.models.append(text(model));
        ask(std::move(request));
    }
}

void ExperimentsPage::resumeUnfinished()
{
    const ExperimentQueue left = std::exchange(m_unfinished, {});
    for (const ExperimentRequest& request : left)
        ask(request);
    if (!m_queue.empty())
        Q_EMIT messageRequested(tr("Resuming unfinished experiments: %1.").arg(m_queue.size()), false);
}

void ExperimentsPage::forecast()
{
    if (running())
        return;
    ExperimentRequest request = m_controls->request();
    request.id = text(experiment().id);
    request.study = experiment().study;
    request.forecastOnly = true;
    ask(std::move(request));
}

void ExperimentsPage::stop()
{
    if (m_queue.size() > 1)
        m_queue.erase(m_queue.begin() + 1, m_queue.end());
    m_runner.stop();
}

void ExperimentsPage::askForReport()
{
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Report of all experiments"), QStringLiteral("experiments.pdf"),
                                     tr("PDF (*.pdf);;Markdown with pictures (*.md)"));
    if (!file.isEmpty())
        writeReport(file);
}

void ExperimentsPage::writeReport(const QString& file)
{
    if (m_session.isEmpty()) {
        m_gallery->setWaiting(tr("A report needs a session, and none is open."), false);
        return;
    }
    m_gallery->setWaiting(tr("Writing the report …"), false);
    m_reporter.write({QStringLiteral("session"), QStringLiteral("report"), m_session, QStringLiteral("-o"), file},
                     tr("Saved the report as %1.").arg(file));
}

void ExperimentsPage::keep(const Report& report)
{
    m_shelf.put(report);
    const int index = m_shelf.indexOf(report.experiment->id);
    if (index < 0)
        return;
    showEntry(index);
    if (index == chosen()) {
        m_result = 0;
        showChosen();
    }
}

} // namespace headscope::gui
