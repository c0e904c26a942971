// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads the examples that two states of a model answered, at any number: requests for SessionDoor.

#include "app/backend/session/sessiondoor.h"
#include "sessions/records.h"
#include "sessions/rows/examplerows.h"

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

/// The examples that both the baseline and a state scored.
struct ExamplePairs {
    sessions::SeriesKey before, now;
    std::vector<sessions::PairedExample> pairs; ///< in order of row
};

/// Reads the pairs of a state; null if the two states have no examples in common.
[[nodiscard]] SessionRequest<std::shared_ptr<const ExamplePairs>> pairsOf(const StoredState& state);
/// Reads the texts and scores of these rows of `pairs`.
[[nodiscard]] SessionRequest<std::vector<sessions::ExamplePair>> pageOf(std::shared_ptr<const ExamplePairs> pairs,
                                                                        const std::vector<int>& rows);
[[nodiscard]] SessionRequest<std::optional<sessions::ExampleRecord>> storedExample(const std::string& hash);
/// Returns the text before the answer. Some tasks ask each choice with its own context; the first one is used for all
/// of them.
[[nodiscard]] std::string storedPrompt(const sessions::ExampleRecord& example);

} // namespace headscope::app
