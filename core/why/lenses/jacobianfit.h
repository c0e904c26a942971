// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fits a Jacobian lens prompt by prompt: one backward pass for each entry of the final stream gives a row of the
// matrices of all layers at once; several go side by side as copies of the prompt. Worker thread.

#include "core/why/lenses/jacobianlens.h"
#include "core/why/recording.h"

#include <set>

namespace headscope::why {

struct JacobianOptions {
    std::set<int> layers; ///< before which layers, each in [0, L); empty: all
    int skip = 16;        ///< positions at the start of a prompt that count neither as source nor as target
    int prompts = 1;      ///< planned, for progress
};

class JacobianFit
{
public:
    /// `base`: what is done to the model meanwhile; both outlive the fit.
    JacobianFit(const lm::Model& model, const lm::Edits& base, JacobianOptions options);

    /// What a prompt of `length` tokens takes beside the model, the sums included.
    [[nodiscard]] std::int64_t bytes(std::int64_t length) const;
    /// About how long such a prompt takes: some rows of the last layer are timed. Fails where add() does.
    [[nodiscard]] Result<double> secondsPerPrompt(const std::vector<int>& ids) const;
    /// Adds one prompt, or nothing where it fails or is stopped: for fewer tokens than skip + 2, ids that the model
    /// does not have, and numbers that are not finite.
    [[nodiscard]] Result<void> add(const std::vector<int>& ids, const Control& control = {});

    /// The mean over the prompts so far, at least one.
    [[nodiscard]] JacobianLens mean() const;

    /// What is stored of an unfinished fit: sums over `prompts` prompts by layer, fp32 [D, D] on the host.
    struct Sums {
        int prompts = 0;
        std::map<int, at::Tensor> before;
    };
    [[nodiscard]] const Sums& sums() const { return m_sums; }
    /// Continues from there. The layers are those of the options.
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
