// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Continues a text token by token, greedily or sampled, with interventions active. Worker thread.

#include "core/base/progress.h"
#include "core/lm/model.h"

#include <ATen/core/Generator.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope::engine {

struct GenerateOptions {
    int newTokens = 32;
    double temperature = 0.0; ///< 0: greedy, first on a tie
    std::uint64_t seed = 0;
    std::vector<int> stopIds; ///< ends a sequence; the id itself is not returned
    const lm::Edits* edits = nullptr;
    /// Called after each token of sequence 0 (streaming); returning false stops.
    std::function<bool(int id)> onToken;
};

/// A continuation that is made one token at a time, so that its owner may do other things between two.
class Generation
{
public:
    /// The model and the edits of `options` outlive this. ids: int64 [B, T] of one length.
    Generation(const lm::Model& model, const at::Tensor& ids, GenerateOptions options);
    /// Makes the next token of each sequence. False when there is nothing more to make: all have ended, newTokens are
    /// made, the listener had enough, or `stop` came.
    [[nodiscard]] bool step(const std::stop_token& stop = {});
    /// The new ids of each sequence so far, without those that ended it.
    [[nodiscard]] const std::vector<std::vector<int>>& tokens() const { return m_tokens; }
    /// What the last step chose from: [B, V], undefined before the first and after a stop.
    [[nodiscard]] const at::Tensor& logits() const { return m_logits; }
    /// Whether sequence 0 came to a stop id.
    [[nodiscard]] bool ended() const { return m_ended.front(); }

private:
    const lm::Model* m_model;
    GenerateOptions m_options;
    at::Generator m_generator;
    lm::State m_state;
    at::Tensor m_input; ///< [B, 1 or T], what the model reads next
    at::Tensor m_text;  ///< [B, T], all that it read; only of models that read anew
    at::Tensor m_logits;
    std::vector<std::vector<int>> m_tokens;
    std::vector<bool> m_ended;
    int m_made = 0;
};

/// ids: int64 [B, T] of one length. Returns for each sequence the new ids. Uses keys, values and states, so a token
/// costs one step. Edits that name the last position act at the last position of each step.
[[nodiscard]] std::vector<std::vector<int>> generate(const lm::Model& model, const at::Tensor& ids,
                                                     const GenerateOptions& options, const std::stop_token& stop = {});

} // namespace headscope::engine
