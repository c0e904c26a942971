// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A page's values as the two texts that its file holds. Pure functions; any thread.

#include "app/page/pagedata.h"

#include <string>

namespace headscope::page {

struct Encoded {
    std::string json;
    /// The maps: for each pattern, in their order, its scales and its last row as little-endian fp32; then for each
    /// its cells.
    std::string maps;
};

/// Numbers with every digit; what is not finite is null.
[[nodiscard]] Encoded encode(const Data& data);

} // namespace headscope::page
