// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model on a hub before it is here: what it would take, derived from its config.json alone. Blocks while the hub
// answers; any thread but the GUI's.

#include "core/hub/download.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::app {

/// Memory that a model needs in one type, with a prompt of ordinary length.
struct MemoryNeed {
    std::string dtype;
    std::int64_t bytes = 0;
    bool fits = false; ///< in what is free now
};

struct RemoteModel {
    hub::Plan plan;
    std::string family;  ///< empty: unknown, and `problem` says why
    std::string packing; ///< of the weights: "AWQ 4 bit g64"; empty: none
    std::int64_t parameters = 0;
    std::vector<MemoryNeed> memory;
    std::string problem;      ///< why Headscope cannot say what it needs; a GGUF file is known once it is here
    bool hasTokenizer = true; ///< else a person has to name one when it is used first
};

/// `weights`: a file of weights, where the repository has several forms.
[[nodiscard]] Result<RemoteModel> lookAt(const std::string& name, const std::string& weights,
                                         const hub::HubSettings& settings, const Control& control);

} // namespace headscope::app
