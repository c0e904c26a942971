// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a fit of a Jacobian lens is asked and answers: plain values without tensors. Any thread.

#include "app/backend/values/modelvalues.h"
#include "app/workbench/models/lensfitrequest.h"

#include <cstdint>

namespace headscope::app {

template <typename Reply> struct Job;

struct LensForecast {
    int prompts = 0; ///< that the texts have, at most as many as are asked for
    int done = 0;    ///< of them, by an interrupted fit
    int leftOut = 0; ///< pieces of text that are too short
    double seconds = 0;
    std::int64_t bytes = 0; ///< beside the model
};

/// How long a fit takes, and what it needs, from a few rows that are timed.
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

/// Fits the lens to the model with all heads on, and writes it. Yields to everything else; what is done is kept beside
/// the file, and continued when it is asked again.
struct LensFitQuestion {
    using Reply = LensFitReply;
    ModelState state;
    LensFitRequest fit;
};
[[nodiscard]] Job<LensFitReply> jobOf(const LensFitQuestion& request);

} // namespace headscope::app
