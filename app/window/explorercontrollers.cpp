// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/explorercontrollers.h"

#include <QStandardPaths>

namespace headscope::gui {

namespace {

std::filesystem::path steeringFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation).toStdString() + "/steering";
}

} // namespace

ExplorerControllers::ExplorerControllers(WindowState& state, app::Door& worker, app::SessionDoor& door,
                                         const Parts& parts)
    : messages(state, worker, *parts.messages, nullptr), mapA(state, Side::A, *parts.mapA, nullptr),
      mapB(state, Side::B, *parts.mapB, nullptr), models(state, worker, *parts.prompt, nullptr),
      machine(state, worker, *parts.machine, nullptr), answers(state, worker, *parts.prompt->answers(), nullptr),
      continuation(state, worker, *parts.continuation, nullptr), prompt(state, worker, *parts.prompt, nullptr),
      conversation(state, worker, *parts.prompt, nullptr), links(state, *parts.patterns, nullptr),
      patterns(state, worker, *parts.patterns, nullptr), profile(state, worker, *parts.patterns, links, nullptr),
      previews(state, worker, *parts.patterns, {parts.mapA, parts.mapB}, nullptr),
      why(state, worker, *parts.why, *parts.prompt, nullptr), lensFit(state, worker, *parts.why, nullptr),
      patches(state, worker, *parts.why->patches(), nullptr), edges(state, worker, *parts.why->edges(), nullptr),
      knockout(state, *parts.patterns, *parts.prompt, nullptr), sweep(state, worker, *parts.why->sweep(), nullptr),
      scoreParts(state, worker, *parts.patterns, *parts.why->scoreParts(), nullptr),
      weights(state, worker, *parts.why->weights(), nullptr),
      probes(state, worker, *parts.why->probes(), {parts.mapA, parts.mapB}, nullptr),
      steering(state, worker, *parts.why->steering(), steeringFolder(), nullptr),
      experts(state, worker, *parts.why, nullptr), logProbs(state, worker, *parts.prompt, nullptr),
      survey(state, worker, *parts.survey, nullptr), surveyed(state, *parts.survey, {parts.mapA, parts.mapB}, nullptr),
      cards(state, worker, *parts.survey, {parts.mapA, parts.mapB}, nullptr),
      scores(state, worker, *parts.scores, nullptr), flips(state, worker, *parts.flips, *parts.scores, nullptr),
      curve(state, worker, *parts.chart, nullptr), metrics(state, worker, nullptr),
      ranking(state, worker, *parts.runs, nullptr), removal(state, worker, *parts.removal, *parts.runs, nullptr),
      labels(state, door, {parts.mapA, parts.mapB}, nullptr), storedModels(state, door, nullptr),
      storedExamples(state, door, *parts.flips, *parts.scores, nullptr),
      runs(state, door, *parts.runs, *parts.scores, nullptr), restore(state, door, worker, models, nullptr),
      keep(state, door, nullptr), analyses(state, door, worker, why, probes, nullptr)
{
    QObject::connect(parts.prompt, &widgets::PromptBar::continueRequested, &continuation,
                     qOverload<>(&ContinuationController::start));
    QObject::connect(parts.prompt, &widgets::PromptBar::rankRequested, &metrics, &MetricController::rankOnPrompt);
    QObject::connect(&prompt, &PromptController::conversationWanted, &conversation, &ConversationController::begin);
    QObject::connect(parts.why, &widgets::WhyPage::lensFitRequested, &lensFit, &LensFitController::open);
    QObject::connect(&lensFit, &LensFitController::fitted, &why, &WhyController::openLens);
    QObject::connect(&messages, &MessageController::measuringWanted, &ranking,
                     [this](Side side) { ranking.rank(side, app::RankMethod::Exact); });
    QObject::connect(&messages, &MessageController::cutWanted, &prompt, &PromptController::cutToFit);
    QObject::connect(&flips, &FlipsController::sampleWanted, &prompt, &PromptController::showSample);
    QObject::connect(&restore, &RestoreController::modelGone, &storedModels, &StoredModelController::open);
}

} // namespace headscope::gui
