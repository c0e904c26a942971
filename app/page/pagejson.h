// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Encodes the values of a page as the two texts in its file. Pure functions; any thread.

#include "app/page/pagedata.h"

#include <string>

namespace headscope::page {

struct Encoded {
    std::string json;
    /// The maps: for each pattern, in order, its scales and its last row as little-endian fp32; then the cells of
    /// each.
    std::string maps;
};

/// Writes numbers with all digits; non-finite ones are null.
[[nodiscard]] Encoded encode(const Data& data);

} // namespace headscope::page
