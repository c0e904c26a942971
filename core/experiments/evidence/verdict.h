// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether an effect described in the paper appears in the rows of a table. Values and pure functions; any thread.

#include <string>
#include <vector>

namespace headscope::experiments {

enum class Verdict { Appears, InPart, DoesNotAppear, CanNotTell };

/// Returns "appears", "appears in part", "does not appear" or "inconclusive".
[[nodiscard]] const char* name(Verdict verdict);

struct Judgement {
    Verdict verdict = Verdict::CanNotTell;
    std::string why; ///< one clause with the numbers; for several models one per model
};

/// Combines the verdicts of several models: the common one; in part if some appear; otherwise inconclusive.
[[nodiscard]] Verdict together(const std::vector<Verdict>& verdicts);

} // namespace headscope::experiments
