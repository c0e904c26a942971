// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether an effect that the paper describes appears in the rows of a table. Values and pure functions; any thread.

#include <string>
#include <vector>

namespace headscope::experiments {

enum class Verdict { Appears, InPart, DoesNotAppear, CanNotTell };

/// "appears", "appears in part", "does not appear", "inconclusive".
[[nodiscard]] const char* name(Verdict verdict);

struct Judgement {
    Verdict verdict = Verdict::CanNotTell;
    std::string why; ///< one clause with the numbers; of several models one a model
};

/// Of several models: what all of them say; in part where it appears in some; otherwise inconclusive.
[[nodiscard]] Verdict together(const std::vector<Verdict>& verdicts);

} // namespace headscope::experiments
