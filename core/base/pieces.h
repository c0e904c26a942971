// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work that consists of independent pieces with byte results: measured here one after the other, or shared with other
// processes. Any thread.

#include "core/base/progress.h"
#include "core/base/result.h"

#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace headscope {

struct PiecedWork {
    std::string name;  ///< unique within a measurement
    std::string stage; ///< for progress
    int first = 0;     ///< number of the first piece
    int count = 0;
    std::function<Result<std::string>(int piece, const Control& control)> measure;
};

/// Returns the results of all pieces in order. If stopped, returns those of the first pieces that are known, fewer than
/// all; cancelled if there is none.
using MeasurePieces = std::function<Result<std::vector<std::string>>(const PiecedWork& work, const Control& control)>;

/// Measures one piece after the other in this process.
[[nodiscard]] inline Result<std::vector<std::string>> measureHere(const PiecedWork& work, const Control& control)
{
    std::vector<std::string> results;
    for (int piece = work.first; piece < work.first + work.count; ++piece) {
        auto result = work.measure(piece, work.count > 1 ? Control{control.stop, {}} : control);
        if (!result.has_value() && result.error().kind == Error::Kind::Cancelled && !results.empty())
            break;
        if (!result.has_value())
            return result.error();
        results.push_back(std::move(*result));
        if (work.count > 1)
            control.progress(work.stage, std::ssize(results), work.count);
    }
    return results;
}

} // namespace headscope
