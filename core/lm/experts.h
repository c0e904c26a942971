// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An MLP of many, of which a router chooses a few for each token (Shazeer et al. 2017, arXiv 1701.06538; the forms of
// today's families). Worker thread.

#include "core/lm/ops.h"

#include <optional>
#include <vector>

namespace headscope::lm {

/// How a router chooses among experts, and what the chosen ones count.
struct Routing {
    enum class Scores {
        Softmax,         ///< over all experts, before the choice (Mixtral, Qwen)
        SoftmaxOfChosen, ///< over the chosen ones (gpt-oss, Granite)
        Sigmoid          ///< of each alone (DeepSeek-V3)
    };
    Scores scores = Scores::Softmax;
    int chosen = 1;          ///< k
    bool normalised = false; ///< the weights of the chosen ones are divided by their sum
    double epsilon = 1e-20;  ///< added to that sum
    double leastSum = 0.0;   ///< what that sum is at least
    double factor = 1.0;     ///< of the weights
    at::Tensor factors;      ///< [E]: a factor of each expert's weight (Gemma 4); undefined: ones
    at::Tensor correction;   ///< [E]: added to the scores for the choice alone; undefined: nothing
    int groups = 1;          ///< experts are in that many groups, ...
    int chosenGroups = 1;    ///< ... and only those of the best that many are chosen from
    int bestOfGroup = 1;     ///< a group counts as much as the sum of its best that many
};

/// Of N tokens.
struct Choices {
    at::Tensor experts; ///< int64 [N, k]
    at::Tensor weights; ///< fp32 [N, k]
    at::Tensor shared;  ///< fp32 [N]: what the expert counts that runs for every token; undefined: unknown, or none
};

struct ExpertParts {
    Linear router; ///< [E, D]
    Routing routing;
    std::vector<Mlp> experts;
    std::optional<Mlp> shared; ///< runs for every token
    Linear before, after;      ///< what the chosen ones read and give passes these (Nemotron-H); weight undefined: no
    Linear sharedGate;         ///< [1, D]: its sigmoid is a factor of `shared`; weight undefined: 1
    bool weighsInputs = false; ///< Llama 4: the weights are factors of what experts read, not of what they give
};

class Experts
{
public:
    explicit Experts(ExpertParts parts) : m_p(std::move(parts)) {}
    [[nodiscard]] int count() const { return static_cast<int>(m_p.experts.size()); }
    [[nodiscard]] const ExpertParts& parts() const { return m_p; }
    /// x: [.., D], N tokens.
    [[nodiscard]] Choices choose(const at::Tensor& x) const;
    /// The same, and what the shared expert counts that reads x too.
    [[nodiscard]] Choices chooseAll(const at::Tensor& x) const;
    /// [.., D]. `scale` [E] on the host is a factor of what each expert gives, however it was chosen; undefined: ones.
    /// 0 is the expert without its output: the router continues choosing it. The router reads `routed` where it is not
    /// x.
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x, const at::Tensor& scale,
                                        const at::Tensor& routed = {}) const;

private:
    /// [N, 1]; undefined: 1.
    [[nodiscard]] at::Tensor sharedFactor(const at::Tensor& tokens) const;

    ExpertParts m_p;
};

} // namespace headscope::lm
