// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The examples that two states of a model answered, however many there are: requests for SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "sessions/records.h"
#include "sessions/rows/examplerows.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

/// A state of a model on one task.
struct StoredState {
    std::string modelHash;
    std::string task;
    std::string ablation; ///< canonical text
};

/// The examples that the baseline and a state both scored.
struct ExamplePairs {
    sessions::SeriesKey before, now;
    std::vector<sessions::PairedExample> pairs; ///< in order of row
};

/// Null where they have none in common.
[[nodiscard]] SessionRequest<std::shared_ptr<const ExamplePairs>> pairsOf(const StoredState& state);
/// The texts and numbers of these rows of `pairs`.
[[nodiscard]] SessionRequest<std::vector<sessions::ExamplePair>> pageOf(std::shared_ptr<const ExamplePairs> pairs,
                                                                        const std::vector<int>& rows);
[[nodiscard]] SessionRequest<std::optional<sessions::ExampleRecord>> storedExample(const std::string& hash);
/// The text that was read before the answer. Some tasks ask each choice with a context of its own; the first stands for
/// them.
[[nodiscard]] std::string storedPrompt(const sessions::ExampleRecord& example);

} // namespace headscope::app
