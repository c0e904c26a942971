// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The examples of a session as the rows of the flips list; a million of them are no more work than a screenful. GUI
// thread.

#include "sessions/sessionstore.h"
#include "widgets/scores/flipsmodel.h"

#include <memory>
#include <string>

namespace headscope::gui {

/// A state of a model on one task.
struct StoredState {
    std::string modelHash;
    std::string task;
    std::string ablation; ///< canonical text
};

/// The text that was read before the answer. Some tasks ask each choice with a context of its own; the first stands for
/// them.
[[nodiscard]] std::string storedPrompt(const sessions::ExampleRecord& example);

/// What the baseline and this state say of each example that both scored; null where they have none in common. The
/// session must outlive it.
[[nodiscard]] Result<std::shared_ptr<widgets::ExampleSource>> storedExamples(sessions::SessionStore& session,
                                                                             const StoredState& state);

} // namespace headscope::gui
