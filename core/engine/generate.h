// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Continues a prompt token by token, greedily or sampled, with interventions active. Worker thread.

#include "core/base/progress.h"
#include "core/lm/model.h"

#include <ATen/core/Generator.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace headscope::engine {

struct GenerateOptions {
    int newTokens = 32;
    double temperature = 0.0; ///< 0: greedy, the first on a tie
    std::uint64_t seed = 0;
    std::vector<int> stopIds; ///< ends a sequence; the id itself is not returned
    const lm::Edits* edits = nullptr;
    /// Called after each token of sequence 0 (streaming); returning false stops.
    std::function<bool(int id)> onToken;
};

/// A continuation generated one token at a time, so that its owner can do other work between tokens.
class Generation
{
public:
    /// Starts a continuation. The model must outlive it. ids: int64 [B, T] of one length. A head that is replaced by
    /// its mean keeps the prompt's in each new token.
    Generation(const lm::Model& model, const at::Tensor& ids, GenerateOptions options);
    /// Generates the next token of each sequence. Returns false at the end: all sequences have ended, newTokens are
    /// generated, the listener returned false, or `stop` was requested.
    [[nodiscard]] bool step(const std::stop_token& stop = {});
    /// Returns the new ids of each sequence so far, without those that ended it.
    [[nodiscard]] const std::vector<std::vector<int>>& tokens() const { return m_tokens; }
    /// Returns the logits that the last step chose from: [B, V], undefined before the first step and after a stop.
    [[nodiscard]] const at::Tensor& logits() const { return m_logits; }
    /// Returns whether sequence 0 reached a stop id.
    [[nodiscard]] bool ended() const { return m_ended.front(); }

private:
    const lm::Model* m_model;
    GenerateOptions m_options;
    std::unique_ptr<lm::Edits> m_edits; ///< those of the options, with room for the prompt's means; null: none
    at::Generator m_generator;
    lm::State m_state;
    at::Tensor m_input; ///< [B, 1 or T], the next input of the model
    at::Tensor m_text;  ///< [B, T], everything read so far; only for models that re-read a prompt that grew
    at::Tensor m_logits;
    std::vector<std::vector<int>> m_tokens;
    std::vector<bool> m_ended;
    int m_made = 0;
};

/// Continues ids, int64 [B, T] of one length, and returns the new ids of each sequence. Uses keys, values and states,
/// so a token costs one step. Edits that name the last position apply to the last position of each step.
[[nodiscard]] std::vector<std::vector<int>> generate(const lm::Model& model, const at::Tensor& ids,
                                                     const GenerateOptions& options, const std::stop_token& stop = {});

} // namespace headscope::engine
