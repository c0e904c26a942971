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

ExplorerControllers::ExplorerControllers(WindowState& state, BackendClient& client, app::SessionDoor& door,
                                         const Parts& parts)
    : messages(state, client, *parts.messages, nullptr), mapA(state, Side::A, *parts.mapA, nullptr),
      mapB(state, Side::B, *parts.mapB, nullptr), models(state, client, *parts.prompt, nullptr),
      machine(state, client, *parts.machine, nullptr), continuation(state, client, *parts.continuation, nullptr),
      prompt(state, client, *parts.prompt, nullptr), links(state, *parts.patterns, nullptr),
      patterns(state, client, *parts.patterns, nullptr), profile(state, client, *parts.patterns, links, nullptr),
      previews(state, client, *parts.patterns, {parts.mapA, parts.mapB}, nullptr),
      why(state, client, *parts.why, *parts.prompt, nullptr), patches(state, client, *parts.why->patches(), nullptr),
      edges(state, client, *parts.why->edges(), nullptr), knockout(state, *parts.patterns, *parts.prompt, nullptr),
      sweep(state, client, *parts.why->sweep(), nullptr), weights(state, client, *parts.why->weights(), nullptr),
      probes(state, client, *parts.why->probes(), {parts.mapA, parts.mapB}, nullptr),
      steering(state, *parts.why->steering(), steeringFolder(), nullptr), experts(state, client, *parts.why, nullptr),
      logProbs(state, client, *parts.prompt, nullptr), survey(state, client, *parts.survey, nullptr),
      surveyed(state, *parts.survey, {parts.mapA, parts.mapB}, nullptr),
      cards(state, client, *parts.survey, {parts.mapA, parts.mapB}, nullptr),
      scores(state, client, *parts.scores, nullptr), flips(state, client, *parts.flips, *parts.scores, nullptr),
      curve(state, client, *parts.chart, nullptr), metrics(state, client, nullptr),
      ranking(state, client, *parts.runs, nullptr), removal(state, client, *parts.removal, *parts.runs, nullptr),
      labels(state, door, {parts.mapA, parts.mapB}, nullptr), storedModels(state, door, nullptr),
      storedExamples(state, door, *parts.flips, *parts.scores, nullptr),
      runs(state, door, *parts.runs, *parts.scores, nullptr), restore(state, door, client, models, nullptr),
      keep(state, door, nullptr), analyses(state, door, client, why, probes, nullptr)
{
    QObject::connect(parts.prompt, &widgets::PromptBar::continueRequested, &continuation,
                     qOverload<>(&ContinuationController::start));
    QObject::connect(&messages, &MessageController::cutWanted, &prompt, &PromptController::cutToFit);
    QObject::connect(&flips, &FlipsController::sampleWanted, &prompt, &PromptController::showSample);
    QObject::connect(&restore, &RestoreController::modelGone, &storedModels, &StoredModelController::open);
}

} // namespace headscope::gui
