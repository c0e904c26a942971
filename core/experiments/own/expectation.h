// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A study's expectation as the rule of its verdict: in words, and applied to rows. Pure functions; any thread.

#include "core/experiments/evidence/evidence.h"
#include "core/experiments/own/definition.h"

#include <string>

namespace headscope::experiments {

/// Returns "Appears: ...": the rule in words, as `judgeExpectation` applies it.
[[nodiscard]] std::string ruleOf(const Definition& study);

/// Applies the rule to the rows of one model: the first condition, then the others in the study's order.
[[nodiscard]] Judgement judgeExpectation(const Definition& study, const Evidence& evidence);

} // namespace headscope::experiments
