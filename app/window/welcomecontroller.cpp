// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/welcomecontroller.h"

#include "app/present/modelchoice.h"
#include "app/window/explorer.h"
#include "app/window/fileopener.h"
#include "app/window/recentsessions.h"
#include "app/window/tours/tourguide.h"
#include "app/window/welcomedemo.h"
#include "core/io/modelfolder.h"
#include "widgets/frame/welcomepage.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QLocale>

#include <algorithm>

namespace headscope::gui {

using widgets::Choice;
using widgets::WelcomePage;

namespace {

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

bool has(const QList<Choice>& models, const char* name)
{
    return std::ranges::any_of(models, [&](const Choice& choice) { return choice.id == QLatin1String(name); });
}

} // namespace

WelcomeController::WelcomeController(WelcomePage& page, FileOpener& opener, Explorer& explorer, TourGuide& guide,
                                     const app::ModelsOptions& options, const app::Door& worker, QObject* parent)
    : QObject(parent), m_page(page), m_opener(opener), m_explorer(explorer), m_guide(guide),
      m_models(options.resources / "models")
{
    connectPage();
    fill();
    makeDemo(options, worker);
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
    connect(&m_explorer.controllers().messages, &MessageController::anyWordsWanted, this, openForAnyWords);
    connect(&m_page, &WelcomePage::modelChosen, &m_opener, [this](const QString& id) { m_opener.openModels(id); });
    connect(&m_page, &WelcomePage::sessionChosen, &m_opener, &FileOpener::openPath);
    connect(&m_page, &WelcomePage::tourChosen, &m_guide, &TourGuide::open);
    connect(&m_page, &WelcomePage::openFolderRequested, &m_opener, [this] { m_opener.askForModel(Side::A); });
    connect(&m_page, &WelcomePage::openSessionRequested, &m_opener, &FileOpener::askForSession);
}

void WelcomeController::fill()
{
    const auto places = io::ModelPlaces::fromEnvironment(m_models);
    QList<Choice> shipped, cached;
    for (const auto& folder : io::shippedModels(places))
        shipped.append(modelChoice(folder));
    std::stable_partition(shipped.begin(), shipped.end(),
                          [](const Choice& choice) { return choice.id.endsWith(QLatin1String("transformer")); });
    for (const auto& folder : io::cachedModels(places))
        cached.append(modelChoice(folder));
    m_explorer.setModelChoices(shipped + cached);
    for (const std::string& name : io::unfinishedModels(places))
        cached.append({QString(), QString::fromStdString(name), tr("unfinished download; run the download again")});
    m_page.setShippedModels(shipped);
    m_page.setCachedModels(cached);
    m_page.setTours(m_guide.choices());
    m_page.setCompareProblem(!has(shipped, kFirst) ? tr("The shipped models are missing from this installation.")
                             : !has(shipped, kSecond)
                                 ? tr("The shipped SSM is not in this installation; open any model as B instead.")
                                 : QString());
    m_page.setOwnWordsOffered(has(shipped, kOwnWords));
    m_ownSecond = has(shipped, kOwnSecond);
    showSessions();
}

void WelcomeController::showSessions()
{
    QList<Choice> sessions;
    for (const QString& path : recentSessions())
        if (const QFileInfo file(path); file.exists())
            sessions.append({path,
                             file.completeBaseName() == QLatin1String("current") ? tr("Continue where you left off")
                                                                                 : file.completeBaseName(),
                             QLocale().toString(file.lastModified(), QLocale::ShortFormat) + QStringLiteral(" · ")
                                 + QDir::toNativeSeparators(path)});
    m_page.setRecentSessions(sessions);
}

} // namespace headscope::gui
