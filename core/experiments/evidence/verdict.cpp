// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/verdict.h"

#include <algorithm>

namespace headscope::experiments {

const char* name(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Appears: return "appears";
    case Verdict::InPart: return "appears in part";
    case Verdict::DoesNotAppear: return "does not appear";
    case Verdict::CanNotTell: break;
    }
    return "inconclusive";
}

Verdict together(const std::vector<Verdict>& verdicts)
{
    const auto all = [&](Verdict wanted) {
        return std::all_of(verdicts.begin(), verdicts.end(), [&](Verdict one) { return one == wanted; });
    };
    if (verdicts.empty())
        return Verdict::CanNotTell;
    if (all(verdicts.front()))
        return verdicts.front();
    const bool somewhere = std::any_of(verdicts.begin(), verdicts.end(),
                                       [](Verdict one) { return one == Verdict::Appears || one == Verdict::InPart; });
    return somewhere ? Verdict::InPart : Verdict::CanNotTell;
}

} // namespace headscope::experiments
