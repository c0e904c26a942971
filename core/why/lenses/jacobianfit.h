// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fits a Jacobian lens prompt by prompt: one backward pass for each entry of the final stream gives one row of the
// matrices of all layers at once; several run in parallel as copies of the prompt. Worker thread.

#include "core/why/lenses/lens.h"
#include "core/why/recording.h"

#include <set>

namespace headscope::why {

struct JacobianOptions {
    std::set<int> layers; ///< layers before which to fit, each in [0, L); empty: all
    int skip = 16;        ///< positions at the start of a prompt that are neither source nor target
    int prompts = 1;      ///< number planned, for progress
};

class JacobianFit
{
public:
    /// `base`: edits active during the fit; both arguments must outlive it.
    JacobianFit(const lm::Model& model, const lm::Edits& base, JacobianOptions options);

    /// Returns the bytes that a prompt of `length` tokens needs beside the model, the sums included.
    [[nodiscard]] std::int64_t bytes(std::int64_t length) const;
    /// Estimates the time per prompt by timing some rows of the last layer. Fails where add() fails.
    [[nodiscard]] Result<double> secondsPerPrompt(const std::vector<int>& ids) const;
    /// Adds one prompt, or nothing if it fails or is stopped: fails for fewer tokens than skip + 2, ids that the model
    /// does not have, and non-finite numbers.
    [[nodiscard]] Result<void> add(const std::vector<int>& ids, const Control& control = {});

    /// Returns the mean over the prompts so far, at least one.
    [[nodiscard]] JacobianLens mean() const;

    /// The stored state of an unfinished fit: sums over `prompts` prompts by layer, fp32 [D, D] on the host.
    struct Sums {
        int prompts = 0;
        std::map<int, at::Tensor> before;
    };
    [[nodiscard]] const Sums& sums() const { return m_sums; }
    /// Continues from these sums. Their layers must be those of the options.
    void resume(Sums sums) { m_sums = std::move(sums); }

private:
    class Pass;
    [[nodiscard]] Result<at::Tensor> tokens(const std::vector<int>& ids) const;
    const lm::Model& m_model;
    const lm::Edits& m_base;
    JacobianOptions m_options;
    Sums m_sums;
};

} // namespace headscope::why
