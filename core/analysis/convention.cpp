// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/convention.h"

namespace headscope::analysis {

std::string hiddenAttention(const SsmConvention& convention)
{
    std::string text = convention.channel ? "hidden attention of a channel" : "hidden attention";
    text += convention.withD ? ", with D" : ", without D";
    text += convention.withDt ? "" : ", without dt";
    text += convention.withGate ? ", times the gate" : "";
    return text + " (signed, rows do not sum to 1)";
}

bool rowsSumToOne(std::string_view convention)
{
    // What follows the words (", now minus baseline") makes it something else.
    return convention.ends_with("rows sum to 1)") || convention.ends_with("rows sum to 1");
}

} // namespace headscope::analysis
