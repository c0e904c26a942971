// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explorercontrollers.h"

namespace headscope::gui {

ExplorerControllers::ExplorerControllers(WindowState& state, BackendClient& client, const Parts& parts)
    : messages(state, client, *parts.messages, nullptr), mapA(state, Side::A, *parts.mapA, nullptr),
      mapB(state, Side::B, *parts.mapB, nullptr), models(state, client, *parts.prompt, nullptr),
      machine(state, client, *parts.prompt, nullptr), continuation(state, client, *parts.continuation, nullptr),
      prompt(state, client, *parts.prompt, nullptr), links(state, *parts.patterns, nullptr),
      patterns(state, client, *parts.patterns, nullptr),
      profile(state, client, *parts.profile, *parts.patterns, links, nullptr),
      previews(state, client, *parts.patterns, {parts.mapA, parts.mapB}, nullptr),
      scores(state, client, *parts.scores, nullptr), flips(state, client, *parts.flips, *parts.scores, nullptr),
      curve(state, client, *parts.chart, nullptr), metrics(state, client, nullptr),
      ranking(state, client, *parts.runs, nullptr), removal(state, client, *parts.removal, *parts.runs, nullptr)
{
    QObject::connect(parts.prompt, &widgets::PromptBar::continueRequested, &continuation,
                     qOverload<>(&ContinuationController::start));
}

} // namespace headscope::gui
