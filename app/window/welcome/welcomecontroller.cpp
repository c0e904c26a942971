// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/welcome/welcomecontroller.h"

#include "app/backend/session/keeprequests.h"
#include "app/backend/session/sessiondoor.h"
#include "app/present/heads/modelchoice.h"
#include "app/window/explorer.h"
#include "app/window/start/fileopener.h"
#include "app/window/tours/tourguide.h"
#include "app/window/welcome/recentsessions.h"
#include "app/window/welcome/welcomedemo.h"
#include "core/io/modelfolder.h"
#include "sessions/answers.h"
#include "widgets/welcome/welcomepage.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QLocale>

#include <algorithm>

namespace headscope::gui {

using widgets::ChipTint;
using widgets::Choice;
using widgets::ModelOffer;
using widgets::Offer;
using widgets::WelcomePage;

namespace {

constexpr QLatin1String kTiny("tiny-");
constexpr auto kFirst = "tiny-transformer"; // the one that the others are compared with
constexpr auto kSecond = "tiny-ssm";
constexpr auto kFirstReader = "L2H5"; // the head without which each looks nothing up
constexpr auto kSecondReader = "L2H1";
constexpr auto kOwnWords = "small-transformer"; // reads any words
constexpr auto kOwnSecond = "small-ssm";        // likewise

// To be changed by whoever reads it, so it is told in words that nobody trained on as a dictionary.
constexpr auto kOwnExample = "Memorize the dictionary:\n"
                             "zucchini: lantern\n"
                             "my bicycle: 42\n"
                             "astronaut: porridge\n"
                             "wet sock: 17\n"
                             "The value of the key 'astronaut' is";

/// What is asked in it, and how far the session says that somebody came.
Offer offerOf(const Tour& tour, const std::vector<sessions::TourProgress>& progress,
              const std::vector<sessions::Answer>& answers)
{
    Offer offer{tour.id, tour.title, tour.summary, tour.picture};
    offer.note = WelcomeController::tr("%1 steps").arg(tour.steps.size());
    const std::string id = tour.id.toStdString();
    const auto here = std::ranges::find(progress, id, &sessions::TourProgress::tour);
    if (here == progress.end() || (here->step == 0 && !here->finished))
        return offer;
    const auto questions = std::ranges::count_if(tour.steps, [](const auto& step) { return !step.question.isEmpty(); });
    const auto right = std::ranges::count_if(answers, [&id](const sessions::Answer& answer) {
        return answer.lesson == id && answer.kind == sessions::AnswerKind::Choice && answer.correct.value_or(false);
    });
    if (here->finished) {
        offer.share = 1;
        offer.note = WelcomeController::tr("%1 of %2 right").arg(right).arg(questions);
    } else {
        offer.share = static_cast<double>(here->step) / static_cast<double>(tour.steps.size());
        offer.note = WelcomeController::tr("step %1 of %2").arg(here->step + 1).arg(tour.steps.size());
    }
    return offer;
}

bool has(const QList<Choice>& models, const char* name)
{
    return std::ranges::any_of(models, [&](const Choice& choice) { return choice.id == QLatin1String(name); });
}

} // namespace

WelcomeController::WelcomeController(WelcomePage& page, FileOpener& opener, Explorer& explorer, TourGuide& guide,
                                     const Doors& doors, const app::ModelsOptions& options, QObject* parent)
    : QObject(parent), m_page(page), m_opener(opener), m_explorer(explorer), m_guide(guide), m_session(doors.session),
      m_models(options.resources / "models")
{
    connectPage();
    connect(&m_session, &app::SessionDoor::opened, this, &WelcomeController::showTours);
    fill();
    makeDemo(options, doors.worker);
}

void WelcomeController::makeDemo(const app::ModelsOptions& options, const app::Door& worker)
{
    auto* demo =
        new WelcomeDemo(*m_page.demo(), options, worker, {{{kFirst, kFirstReader}, {kSecond, kSecondReader}}}, this);
    connect(&m_page, &WelcomePage::shownChanged, demo, &WelcomeDemo::setShown);
}

void WelcomeController::connectPage()
{
    connect(&m_page, &WelcomePage::compareRequested, &m_opener, [this] {
        // These two read no words but their own: the page showed a sample, and a sample is what they open with.
        if (m_explorer.prompt().task.empty())
            m_explorer.usePrompt({});
        m_opener.openModels(QLatin1String(kFirst), QLatin1String(kSecond));
    });
    const auto openForAnyWords = [this] {
        m_opener.openModels(QLatin1String(kOwnWords), m_ownSecond ? QLatin1String(kOwnSecond) : QString());
    };
    connect(&m_page, &WelcomePage::ownWordsRequested, this, [this, openForAnyWords] {
        m_explorer.usePrompt({.text = kOwnExample});
        openForAnyWords();
    });
    connect(&m_explorer.controllers().messages, &MessageController::openVocabularyRequested, this, openForAnyWords);
    connect(&m_page, &WelcomePage::shownChanged, this, [this](bool shown) {
        if (shown)
            showTours();
    });
    connect(&m_page, &WelcomePage::modelChosen, &m_opener, [this](const QString& id) { m_opener.openModels(id); });
    connect(&m_page, &WelcomePage::sessionChosen, &m_opener, &FileOpener::openPath);
    connect(&m_page, &WelcomePage::tourChosen, &m_guide, &TourGuide::open);
    connect(&m_page, &WelcomePage::openFolderRequested, &m_opener, [this] { m_opener.askForModel(Side::A); });
    connect(&m_page, &WelcomePage::openSessionRequested, &m_opener, &FileOpener::askForSession);
}

void WelcomeController::fill()
{
    const auto places = io::ModelPlaces::fromEnvironment(m_models);
    QList<Choice> shipped, all;
    QList<ModelOffer> offers;
    for (const auto& folder : io::shippedModels(places)) {
        offers.append(modelOffer(folder));
        shipped.append(offers.last().choice);
    }
    std::ranges::stable_partition(offers, [](const ModelOffer& offer) { return offer.choice.id.startsWith(kTiny); });
    std::ranges::stable_partition(offers, [](const ModelOffer& offer) { return offer.tint == ChipTint::Transformer; });
    for (const auto& folder : io::cachedModels(places))
        offers.append(modelOffer(folder));
    for (const ModelOffer& offer : std::as_const(offers))
        all.append(offer.choice);
    m_explorer.setModelChoices(all);
    for (const std::string& name : io::unfinishedModels(places))
        offers.append(
            ModelOffer{{QString(), QString::fromStdString(name), tr("unfinished download; run the download again")},
                       ChipTint::None});
    m_page.setModels(offers);
    showTours();
    m_page.setCompareProblem(!has(shipped, kFirst)    ? tr("The included models are missing from this installation.")
                             : !has(shipped, kSecond) ? tr(
                                   "The included SSM is missing from this installation; open any model as B instead.")
                                                      : QString());
    m_page.setOwnWordsOffered(has(shipped, kOwnWords));
    m_ownSecond = has(shipped, kOwnSecond);
    showSessions();
}

void WelcomeController::showTours()
{
    const auto show = [this](const std::vector<sessions::TourProgress>& progress,
                             const std::vector<sessions::Answer>& answers) {
        QList<Offer> offers;
        for (const Tour& tour : m_guide.tours())
            if (!hasExercises(tour))
                offers.append(offerOf(tour, progress, answers));
        m_page.setTours(offers);
    };
    if (!m_session.isOpen())
        return show({}, {});
    using Progress = std::vector<sessions::TourProgress>;
    using Answers = std::vector<sessions::Answer>;
    m_session.askLatest<Progress>(
        this, "welcome tours", app::startedTours(), [this, show](const Result<Progress>& progress) {
            if (!progress.has_value() || progress->empty())
                return show({}, {});
            m_session.askLatest<Answers>(this, "welcome answers", app::givenAnswers(),
                                         [show, progress = *progress](const Result<Answers>& answers) {
                                             show(progress, answers.has_value() ? *answers : Answers());
                                         });
        });
}

void WelcomeController::showSessions()
{
    QList<Offer> sessions;
    for (const QString& path : recentSessions())
        if (const QFileInfo file(path); file.exists())
            sessions.append({.id = path,
                             .name = file.completeBaseName() == QLatin1String("current") ? tr("Where you left off")
                                                                                         : file.completeBaseName(),
                             .detail = QLocale().toString(file.lastModified(), QLocale::ShortFormat)
                                       + QStringLiteral(" · ") + QDir::toNativeSeparators(path),
                             .photo = sessionPicture(path)});
    m_page.setSessions(sessions);
}

} // namespace headscope::gui
