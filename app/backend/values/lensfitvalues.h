// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Requests to fit a Jacobian lens, and their replies: plain values without tensors. Any thread.

#include "app/backend/values/modelvalues.h"
#include "app/workbench/models/lensfitrequest.h"

#include <cstdint>

namespace headscope::app {

template <typename Reply> struct Job;

struct LensForecast {
    int prompts = 0; ///< prompts that the texts provide, at most the requested number
    int done = 0;    ///< prompts that an interrupted fit has finished
    int leftOut = 0; ///< passages that are too short
    double seconds = 0;
    std::int64_t bytes = 0; ///< memory in addition to the model
};

/// Requests the duration and memory of a fit, estimated from a few timed rows.
struct LensForecastRequest {
    using Reply = LensForecast;
    ModelState state;
    LensFitRequest fit;
};
[[nodiscard]] Job<LensForecast> jobOf(const LensForecastRequest& request);

struct LensFitReply {
    LensFitRequest fit;
    int prompts = 0;
    LensQuality quality;
};

/// Fits the lens to the model with all heads on and writes it to its file. Yields to all other requests. Progress is
/// stored beside the file, and a repeated request resumes from it.
struct LensFitQuestion {
    using Reply = LensFitReply;
    ModelState state;
    LensFitRequest fit;
};
[[nodiscard]] Job<LensFitReply> jobOf(const LensFitQuestion& request);

} // namespace headscope::app
