// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lists the models that can be opened here: shipped ones, those in the cache, and those in folders added by the user,
// with their memory needs. Reads headers only, which takes a moment for many: any thread but the GUI's.

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
    std::string family; ///< empty: unknown, for the reason in `problem`
    std::optional<lm::FamilyKind> kind;
    int layers = 0;
    std::int64_t parameters = 0;
    std::int64_t fileBytes = 0; ///< size of the stored weights; 0: there are none
    std::string dtype;          ///< dtype used unless another is requested: "bf16"
    std::int64_t memory = 0;    ///< bytes needed in that dtype, with a prompt of typical length
    bool fits = false;          ///< in the memory that is free now
    std::string problem;        ///< why it cannot be opened
};

struct ModelList {
    std::vector<ListedModel> models;
    std::vector<std::string> unfinished;    ///< incomplete downloads, by name
    std::optional<std::int64_t> freeMemory; ///< nothing: the system does not report it
};

/// Describes the model in `folder`, from its config and the headers of its weights.
[[nodiscard]] ListedModel listedModel(const io::ModelFolder& folder, std::optional<std::int64_t> freeMemory);
/// Lists shipped models first, then own folders, then the cache. After a stop, returns those listed so far.
[[nodiscard]] ModelList listModels(const io::ModelPlaces& places, const Control& control = {});

} // namespace headscope::app
