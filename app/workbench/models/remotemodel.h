// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model on a hub before it is downloaded: its needs, derived from config.json alone. Blocks while waiting for the
// hub; any thread but the GUI's.

#include "core/hub/download.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::app {

/// Memory that a model needs in one dtype, with a prompt of typical length.
struct MemoryNeed {
    std::string dtype;
    std::int64_t bytes = 0;
    bool fits = false; ///< in the memory that is free now
};

struct RemoteModel {
    hub::Plan plan;
    std::string family;  ///< empty: unknown, for the reason in `problem`
    std::string packing; ///< quantization of the weights: "AWQ 4 bit g64"; empty: none
    std::int64_t parameters = 0;
    std::vector<MemoryNeed> memory;
    std::string problem;      ///< why the needs are unknown; those of a GGUF file are known once it is downloaded
    bool hasTokenizer = true; ///< otherwise the user has to name one at first use
};

/// Looks up a model. `weights`: a file of weights, if the repository contains several forms.
[[nodiscard]] Result<RemoteModel> lookAt(const std::string& name, const std::string& weights,
                                         const hub::HubSettings& settings, const Control& control);

} // namespace headscope::app
