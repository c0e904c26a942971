// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours/tourguide.h"

#include "app/backend/session/keeprequests.h"
#include "app/present/heads/headspans.h"

#include <QLocale>

#include <algorithm>
#include <utility>

namespace headscope::gui {

using interventions::EditHead;
using interventions::InterventionSet;

TourGuide::TourGuide(Explorer& explorer, const Doors& doors, const Parts& parts, const QString& resources,
                     QObject* parent)
    : QObject(parent), m_explorer(explorer), m_doors(doors), m_parts(parts),
      m_tours(toursIn(resources + QStringLiteral("/tours"), QLocale().name())), m_answers(doors.session, this),
      m_watch(explorer.state(), *parts.tour, this)
{
    m_tours += toursIn(resources + QStringLiteral("/exercises"), QLocale().name());
    connect(parts.tour, &widgets::TourPanel::stepRequested, this, &TourGuide::showStep);
    connect(parts.tour, &widgets::TourPanel::closed, this, &TourGuide::close);
    connect(parts.tour, &widgets::TourPanel::actionRequested, this, &TourGuide::act);
    connect(parts.tour, &widgets::TourPanel::answered, this, &TourGuide::answered);
    connect(parts.tour, &widgets::TourPanel::textSubmitted, this, [this](const QString& text) {
        if (tour())
            m_answers.write(m_step, question(), text);
        showHeadMarks();
    });
    connect(&m_watch, &ExerciseWatch::solved, this, [this](const QString& measured) {
        if (tour())
            m_answers.recordSolved(m_step, question(), measured);
        showHeadMarks();
    });
    connect(&explorer, &Explorer::headsFound, this, &TourGuide::headsFound);
    connect(&explorer.state(), &WindowState::modelChanged, this, &TourGuide::settle);
    connect(&explorer.state(), &WindowState::promptChanged, this, &TourGuide::settle);
    // The first sample of a model that opens is on its way when the step's own is to be asked for.
    connect(&doors.worker, &app::Door::finished, this, [this](const app::Lane& lane) {
        if (lane.is<app::SampleRequest>())
            settle();
    });
}

QList<widgets::Choice> TourGuide::choicesOf(bool exercises) const
{
    QList<widgets::Choice> choices;
    for (const Tour& tour : m_tours)
        if (hasExercises(tour) == exercises)
            choices.append({tour.id, tour.title, tour.summary});
    return choices;
}

QList<widgets::Choice> TourGuide::choices() const
{
    return choicesOf(false);
}

QList<widgets::Choice> TourGuide::exercises() const
{
    return choicesOf(true);
}

void TourGuide::open(const QString& id)
{
    int wanted = -1;
    for (qsizetype i = 0; i < m_tours.size(); ++i)
        if (m_tours.at(i).id == id)
            wanted = static_cast<int>(i);
    if (wanted < 0)
        return;
    m_tour = wanted;
    m_begun = false;
    openModels();
    m_answers.open(id, [this] { findPlace(); });
}

void TourGuide::openExam(const Tour& exam)
{
    m_exam = true;
    m_tours = {exam};
    m_answers.setExam();
    m_parts.tour->setExam();
    open(exam.id);
}

void TourGuide::lock()
{
    m_parts.tour->keepWriting();
    m_parts.tour->lockAnswers();
    m_answers.lock();
}

void TourGuide::findPlace()
{
    if (!chosen()) // it was closed meanwhile
        return;
    if (!m_doors.session.isOpen())
        return begin(0);
    using Tours = std::vector<sessions::TourProgress>;
    m_doors.session.askLatest<Tours>(this, "tour", app::startedTours(), [this](const Result<Tours>& tours) {
        if (chosen()) // it was not closed meanwhile
            begin(tours.has_value() ? reached(*tours) : 0);
    });
}

void TourGuide::begin(int step)
{
    m_begun = true;
    m_step = -1; // not of another tour
    showStep(step);
    if (step > 0 && !m_exam)
        m_parts.messages->showMessage(widgets::MessageBar::Kind::Info,
                                      tr("The tour resumes at step %1 of %2.").arg(step + 1).arg(tour()->steps.size()));
    Q_EMIT opened();
}

// Those of the tour, and no others: what another tour left open is no part of this one.
void TourGuide::openModels()
{
    for (const Side side : kSides) {
        const QString wanted = chosen()->models.value(side == Side::A ? 0 : 1);
        const auto there = m_explorer.model(side);
        if (wanted.isEmpty() && side == Side::B && there)
            m_explorer.closeB();
        else if (!wanted.isEmpty() && (!there || QString::fromStdString(there->name) != wanted)) {
            m_explorer.usePrompt({}); // its words need not be in the next model's vocabulary
            m_explorer.openModel(side, wanted);
        }
    }
}

int TourGuide::reached(const std::vector<sessions::TourProgress>& tours) const
{
    for (const sessions::TourProgress& progress : tours)
        if (progress.tour == chosen()->id.toStdString() && !progress.finished && progress.step > 0
            && progress.step < chosen()->steps.size())
            return progress.step;
    return 0;
}

void TourGuide::remember()
{
    app::SessionDoor& session = m_doors.session;
    if (session.isOpen() && !session.readOnly())
        session.write<void>(this, app::keepTour({tour()->id.toStdString(), m_step, m_step + 1 == tour()->steps.size()}),
                            [](const Result<void>&) {}); // what cannot be kept is no harm
}

void TourGuide::close()
{
    m_tour = -1;
    m_begun = false;
    m_watch.watch({}, false);
    m_parts.prompt->setAnswersShown(true);
    showHeadMarks();
    qDeleteAll(m_marks);
    m_marks.clear();
    Q_EMIT closed();
}

void TourGuide::showStep(int index)
{
    if (!tour() || index < 0 || index >= tour()->steps.size())
        return;
    if (const bool moved = index != std::exchange(m_step, index); moved || index == 0)
        remember();
    m_revealed = -1;
    m_sampleToDo = !tour()->scenes.at(index).sample.isEmpty();
    m_headToDo = {true, true};
    m_offToDo = {true, true};
    m_parts.patterns->setShown(widgets::PatternShown::Pattern);
    Q_EMIT stepShown();
    m_answers.ask();
    fillPanel();
    settle();
}

void TourGuide::fillPanel()
{
    const FoundHeads heads = found();
    QStringList titles;
    for (const widgets::TourStep& step : tour()->steps)
        titles.append(withHeads(step, heads).title);
    m_parts.tour->setStep(withHeads(tour()->steps.at(m_step), heads), m_step, titles);
    if (const int answer = m_answers.choice(m_step); answer >= 0 && answer < tour()->steps.at(m_step).answers.size())
        m_parts.tour->setAnswer(answer, m_answers.confidence(m_step));
    if (tour()->steps.at(m_step).writing)
        m_parts.tour->setWritten(m_answers.words(m_step));
    m_watch.watch(tour()->exercises.at(m_step).conditions, m_answers.has(m_step));
    mark();
}

bool TourGuide::isAnswered() const
{
    if (tour()->steps.at(m_step).question.isEmpty())
        return true;
    return !m_exam && (m_answers.choice(m_step) >= 0 || m_revealed == m_step);
}

QStringList TourGuide::covered() const
{
    return tour() && !isAnswered() ? tour()->scenes.at(m_step).cover : QStringList();
}

// Scores and answers are those of a state that the later step brings about. A pattern is that of its head.
QStringList TourGuide::askedLater() const
{
    QStringList later, seen{QStringLiteral("scores"), QStringLiteral("answers")};
    if (!tour())
        return later;
    const QList<TourScene>& scenes = tour()->scenes;
    const auto headAt = [&scenes](qsizetype step, std::size_t side) {
        while (step > 0 && scenes.at(step).head[side].isEmpty())
            --step; // it stays
        return scenes.at(step).head[side];
    };
    for (qsizetype step = 0; step < scenes.size(); ++step)
        for (const QString& name : scenes.at(step).cover) {
            const std::size_t side = name.endsWith(QLatin1Char('B')) ? 1 : 0;
            const bool pattern = name.startsWith(QLatin1String("pattern"));
            if (step > m_step && !seen.contains(name) && (!pattern || headAt(m_step, side) == headAt(step, side)))
                later.append(name);
            seen.append(name);
        }
    return later;
}

QString TourGuide::question() const
{
    const widgets::TourStep step = withHeads(tour()->steps.at(m_step), found());
    return step.question.isEmpty() ? step.title : step.question;
}

void TourGuide::reveal()
{
    if (!tour() || isAnswered())
        return;
    m_revealed = m_step;
    m_offToDo = {true, true};
    mark();
    settle();
}

void TourGuide::answered(int answer, bool right)
{
    if (!tour())
        return;
    m_answers.choose(m_step, question(), answer, withHeads(tour()->steps.at(m_step), found()).answers.value(answer),
                     right, m_parts.tour->confidence());
    m_offToDo = {true, true}; // what was asked about is done now
    mark();
    settle();
}

bool TourGuide::settled() const
{
    const auto done = [](const std::array<bool, 2>& toDo) { return !toDo[0] && !toDo[1]; };
    return tour() && !m_sampleToDo && done(m_headToDo) && done(m_offToDo);
}

void TourGuide::settle()
{
    if (!tour())
        return;
    const auto ready = [this](Side side) {
        const QString wanted = tour()->models.value(side == Side::A ? 0 : 1);
        const auto there = m_explorer.model(side);
        return wanted.isEmpty() ? !there : there && QString::fromStdString(there->name) == wanted;
    };
    if (!ready(Side::A) || !ready(Side::B))
        return;
    const QString sample = tour()->scenes.at(m_step).sample;
    const QString task = sample.section(QLatin1Char(' '), 0, 0);
    const int number = sample.section(QLatin1Char(' '), 1).toInt();
    if (m_sampleToDo) {
        const app::Prompt& prompt = m_explorer.prompt();
        const int count = prompt.samples,
                  wrapped = count > 0 ? (number % count + count) % count : number; // as they are
        if (QString::fromStdString(prompt.task) == task && prompt.sample == wrapped)
            m_sampleToDo = false;
        else if (!m_doors.worker.isRunning<app::SampleRequest>(Side::A))
            m_doors.worker.ask(app::SampleRequest{task.toStdString(), number});
    }
    for (const Side side : kSides)
        settleSide(side);
    m_watch.setSettled(settled());
}

void TourGuide::settleSide(Side side)
{
    const std::size_t at = indexOf(side);
    const TourScene& scene = tour()->scenes.at(m_step);
    const auto model = m_explorer.model(side);
    if (!model) { // the tour has one model
        m_headToDo[at] = m_offToDo[at] = false;
        return;
    }
    const FoundHeads heads = found();
    if (const auto name = resolved(scene.head[at], heads); m_headToDo[at] && name) {
        m_headToDo[at] = false;
        if (const auto head = interventions::parseHead(name->toStdString()); !name->isEmpty() && head.has_value())
            m_explorer.showHead(side, headSpan(*model, *head));
    }
    const QString wanted = isAnswered() && scene.reveal ? (*scene.reveal)[at] : scene.off[at];
    if (const auto off = resolved(wanted, heads); m_offToDo[at] && off) {
        m_offToDo[at] = false;
        const auto set = InterventionSet::parse(off->toStdString());
        if (set.has_value() && *set != m_explorer.state().side(side).ablation)
            m_explorer.changeAblation(side, *set, tr("step of the tour"));
    }
}

QWidget* TourGuide::part(const QString& name) const
{
    const std::pair<const char*, QWidget*> parts[] = {
        {"prompt", m_parts.prompt},
        {"answers", m_parts.prompt->answers()},
        {"mapA", m_parts.mapA},
        {"mapB", m_parts.mapB},
        {"patterns", m_parts.patterns},
        {"patternA", m_parts.patterns->card(Side::A)},
        {"patternB", m_parts.patterns->card(Side::B)},
        {"profileA", m_parts.patterns->profile(Side::A)},
        {"profileB", m_parts.patterns->profile(Side::B)},
        {"scores", m_parts.scores},
        {"chart", m_parts.chart},
    };
    for (const auto& [known, widget] : parts)
        if (name == QLatin1String(known))
            return widget;
    return nullptr;
}

// Which heads gather and aggregate, and what one costs, is what exercises and questions ask for, until that is done.
void TourGuide::showHeadMarks()
{
    const bool exercise = tour() && tour()->steps.at(m_step).exercise;
    const bool asks = exercise || (tour() && tour()->steps.at(m_step).writing);
    const bool done = !m_exam && (!asks || m_answers.has(m_step));
    const QStringList later = askedLater();
    for (const Side side : kSides) {
        widgets::HeadMapModel& map = *(side == Side::A ? m_parts.mapA : m_parts.mapB)->model();
        const bool early = later.contains(side == Side::A ? QLatin1String("mapA") : QLatin1String("mapB"));
        map.setMarksShown(done && !early);
        map.setValuesShown(!m_exam && !early && (done || !exercise || tour()->scenes.at(m_step).coloured));
    }
    for (widgets::PatternView* view : {m_parts.patternA, m_parts.patternB})
        view->setTagShown(done && (!tour() || isAnswered()));
}

void TourGuide::mark()
{
    qDeleteAll(m_marks);
    m_marks.clear();
    showHeadMarks();
    m_parts.prompt->setAnswersShown(
        std::ranges::none_of(covered(), [](const QString& name) { return name.startsWith(QLatin1String("pattern")); }));
    const TourScene& scene = tour()->scenes.at(m_step);
    if (QWidget* pointed = part(scene.point))
        m_marks.append(new TourMark(TourMark::Kind::Frame, pointed));
    cover(covered(), TourMark::Kind::Cover);
    QStringList later = askedLater();
    later.removeIf([](const QString& name) { return name.startsWith(QLatin1String("map")); }); // seen without colours
    cover(later, TourMark::Kind::Later);
}

void TourGuide::cover(const QStringList& names, TourMark::Kind kind)
{
    QList<QWidget*> hidden;
    for (const QString& name : names) {
        if (QWidget* each = part(name))
            hidden.append(each);
        if (name.startsWith(QLatin1String("pattern")) && !hidden.contains(m_parts.patterns->strip()))
            hidden += {m_parts.patterns->strip(), m_parts.patterns->everyHead(Side::A),
                       m_parts.patterns->everyHead(Side::B)}; // the same maps, small
    }
    for (QWidget* each : std::as_const(hidden))
        m_marks.append(new TourMark(kind, each));
}

FoundHeads TourGuide::found() const
{
    return {{QStringLiteral("{gather}"), m_explorer.foundHead(Side::A, false)},
            {QStringLiteral("{aggregate}"), m_explorer.foundHead(Side::A, true)},
            {QStringLiteral("{gatherB}"), m_explorer.foundHead(Side::B, false)},
            {QStringLiteral("{aggregateB}"), m_explorer.foundHead(Side::B, true)}};
}

void TourGuide::headsFound()
{
    if (!tour())
        return;
    if (m_parts.tour->givenAnswer() < 0 && !tour()->steps.at(m_step).writing) // what is being written stays
        fillPanel();
    settle();
}

void TourGuide::act(const QString& command)
{
    const QString verb = command.section(QLatin1Char(' '), 0, 0);
    const QString object = command.section(QLatin1Char(' '), 1);
    const Side side = object.endsWith(QLatin1String("B}")) ? Side::B : Side::A;
    const auto model = m_explorer.model(side);
    if (!model)
        return;
    if (verb == QLatin1String("on")) {
        m_explorer.restoreAll(Side::A);
        if (m_explorer.model(Side::B))
            m_explorer.restoreAll(Side::B);
    } else if (verb == QLatin1String("sample")) {
        m_doors.worker.ask(app::SampleRequest{object.section(QLatin1Char(' '), 0, 0).toStdString(),
                                              object.section(QLatin1Char(' '), 1).toInt()});
    } else if (verb == QLatin1String("type")) {
        m_explorer.usePrompt({.text = object.toStdString()});
    } else if (verb == QLatin1String("continue")) {
        Q_EMIT continueRequested();
    } else if (verb == QLatin1String("removal")) {
        Q_EMIT removalRequested();
    } else if (verb == QLatin1String("edges")) {
        const QString head = object.section(QLatin1Char(' '), 0, 0);
        Q_EMIT edgesRequested(found().value(head, head), object.section(QLatin1Char(' '), 1));
    } else if (verb == QLatin1String("set")) {
        if (const auto set = InterventionSet::parse(object.toStdString()); set.has_value())
            m_explorer.changeAblation(Side::A, *set, object);
        else
            m_parts.messages->showMessage(widgets::MessageBar::Kind::Error,
                                          QString::fromStdString(set.error().message));
    } else if (verb == QLatin1String("off") || verb == QLatin1String("show") || verb == QLatin1String("score")) {
        const QString name = found().value(object, object);
        const auto head = interventions::parseHead(name.toStdString());
        if (!head.has_value()) {
            m_parts.messages->showMessage(widgets::MessageBar::Kind::Info,
                                          tr("The heads are still being ranked; try again in a moment."));
            return;
        }
        m_explorer.showHead(side, headSpan(*model, *head));
        if (verb == QLatin1String("score"))
            Q_EMIT scoreRequested();
        if (verb == QLatin1String("off"))
            m_explorer.changeAblation(side, InterventionSet({EditHead{.head = *head}}), tr("%1 ablated").arg(name));
    }
}

} // namespace headscope::gui
