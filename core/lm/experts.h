// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An MLP of many experts, of which a router chooses a few for each token (Shazeer et al. 2017, arXiv 1701.06538; in the
// forms of current families). Worker thread.

#include "core/lm/ops.h"

#include <optional>
#include <vector>

namespace headscope::lm {

/// How a router chooses experts and weights their outputs.
struct Routing {
    enum class Scores {
        Softmax,         ///< over all experts, before the choice (Mixtral, Qwen)
        SoftmaxOfChosen, ///< over the chosen ones (gpt-oss, Granite)
        Sigmoid          ///< of each expert on its own (DeepSeek-V3)
    };
    Scores scores = Scores::Softmax;
    int chosen = 1;          ///< k
    bool normalised = false; ///< weights of the chosen experts are divided by their sum
    double epsilon = 1e-20;  ///< added to that sum
    double leastSum = 0.0;   ///< lower bound of that sum
    double factor = 1.0;     ///< multiplies the weights
    at::Tensor factors;      ///< [E]: multiplies each expert's weight (Gemma 4); undefined: ones
    at::Tensor correction;   ///< [E]: added to the scores only for the choice; undefined: none
    int groups = 1;          ///< number of groups that the experts are divided into
    int chosenGroups = 1;    ///< number of best groups from which experts are chosen
    int bestOfGroup = 1;     ///< a group's score is the sum of this many of its best experts
};

/// The router's choices for N tokens.
struct Choices {
    at::Tensor experts; ///< int64 [N, k]
    at::Tensor weights; ///< fp32 [N, k]
    at::Tensor shared;  ///< fp32 [N]: weight of the expert that runs for every token; undefined: unknown, or none
};

struct ExpertParts {
    Linear router; ///< [E, D]
    Routing routing;
    std::vector<Mlp> experts;
    std::optional<Mlp> shared; ///< runs for every token
    Linear before, after;      ///< maps before and after the chosen experts (Nemotron-H); weight undefined: none
    Linear sharedGate;         ///< [1, D]: the sigmoid multiplies `shared`; weight undefined: 1
    bool weighsInputs = false; ///< Llama 4: the weights multiply the experts' inputs, not their outputs
};

class Experts
{
public:
    explicit Experts(ExpertParts parts) : m_p(std::move(parts)) {}
    [[nodiscard]] int count() const { return static_cast<int>(m_p.experts.size()); }
    [[nodiscard]] const ExpertParts& parts() const { return m_p; }
    /// Returns the choices for x [.., D], N tokens.
    [[nodiscard]] Choices choose(const at::Tensor& x) const;
    /// Returns the same with the weight of the shared expert, which also reads x.
    [[nodiscard]] Choices chooseAll(const at::Tensor& x) const;
    /// Runs the experts on x and returns [.., D]. `scale` [E] on the host multiplies the output of each expert, however
    /// it was chosen; undefined: ones. 0 removes an expert's output, but the router still chooses it. The router reads
    /// `routed` if given, otherwise x.
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x, const at::Tensor& scale,
                                        const at::Tensor& routed = {}) const;

private:
    /// Returns the factor of the shared expert, [N, 1]; undefined: 1.
    [[nodiscard]] at::Tensor sharedFactor(const at::Tensor& tokens) const;

    ExpertParts m_p;
};

} // namespace headscope::lm
