// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The models that can be opened here: shipped ones, those of the cache, those in folders that a person added, and what
// each takes. Reads headers only, which takes a moment for many: any thread but the GUI's.

#include "core/base/progress.h"
#include "core/io/modelfolder.h"
#include "core/lm/familykind.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

struct ListedModel {
    io::ModelFolder folder;
    std::string family; ///< empty: unknown, and `problem` says why
    std::optional<lm::FamilyKind> kind;
    int layers = 0;
    std::int64_t parameters = 0;
    std::int64_t fileBytes = 0; ///< of the weights as they lie there; 0: there are none
    std::string dtype;          ///< that it is opened in unless one is asked for: "bf16"
    std::int64_t memory = 0;    ///< bytes that it takes in that type, with a prompt of ordinary length
    bool fits = false;          ///< in what is free now
    std::string problem;        ///< why it cannot be opened
};

struct ModelList {
    std::vector<ListedModel> models;
    std::vector<std::string> unfinished;    ///< downloads that never ended, by name
    std::optional<std::int64_t> freeMemory; ///< nothing: the system does not say
};

/// What is there of `folder`, from its config and the headers of its weights.
[[nodiscard]] ListedModel listedModel(const io::ModelFolder& folder, std::optional<std::int64_t> freeMemory);
/// Shipped ones first, then own folders, then the cache. What was listed when it was stopped.
[[nodiscard]] ModelList listModels(const io::ModelPlaces& places, const Control& control = {});

} // namespace headscope::app
