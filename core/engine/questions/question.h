// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A question to a model: a prompt, the token that correctly continues it and tokens that would be wrong. Any
// thread.

#include "core/engine/scoring/pairs/encode.h"
#include "core/why/recording.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::engine {

/// A question. An answer of several tokens is compared at one token: the first that differs from another choice.
struct Question {
    std::string source;              ///< "toy_kv:pairs=8, sample 3"; "text"
    std::vector<int> ids;            ///< the prompt and the common beginning of all choices
    std::optional<int> answer{};     ///< nothing: the model's most probable token
    std::vector<int> wrong{};        ///< the other choices; empty: any other token
    std::vector<int> answerTokens{}; ///< all tokens of the answer
    int shared = 0;                  ///< number of these at the end of ids

    [[nodiscard]] std::span<const int> prompt() const
    {
        return std::span(ids).first(ids.size() - static_cast<std::size_t>(shared));
    }
    /// Returns whether it continues a prompt with these ids.
    [[nodiscard]] bool isBehind(std::span<const int> other) const { return std::ranges::equal(prompt(), other); }
};

/// Returns the length of two answers' common beginning; nothing if one of them ends there, so that no token differs.
[[nodiscard]] std::optional<int> partingToken(std::span<const int> a, std::span<const int> b);

/// How a model's prompts are tokenized.
struct Reader {
    const text::Tokenizer& tokenizer;
    BosPolicy bos = BosPolicy::Never;
    int maxLength = 0; ///< maximum number of input tokens; 0: no limit
};

/// Returns the question of a sample. Fails for an example that cannot be scored and for one whose answer is generated.
[[nodiscard]] Result<Question> questionOf(const tasks::TaskSet& set, int sample, const Reader& reader);
/// Returns the same for an example that was derived from the sample and is not in the set.
[[nodiscard]] Result<Question> questionOf(const tasks::TaskSet& set, int sample, const tasks::Example& example,
                                          const Reader& reader);

/// Returns the id of a text that is a single token; a leading U+2581 stands for a space. Otherwise an error that says
/// how many tokens it has.
[[nodiscard]] Result<int> singleToken(const text::Tokenizer& tokenizer, const std::string& text);
/// Returns the text of a token; if it has none of its own, its spelling in the vocabulary.
[[nodiscard]] std::string tokenText(const text::Tokenizer& tokenizer, int id);
/// Returns the text of a prompt's tokens, with the spaces between words that the tokenizer dropped.
[[nodiscard]] std::string promptText(const text::Tokenizer& tokenizer, const std::vector<int>& ids);

/// Returns answer and distractor of the question; open ones are the run's most probable tokens. Fails for a token that
/// the model does not have.
[[nodiscard]] Result<why::Metric> metricOf(const Question& question, const why::Recording& run, const lm::Model& model);

} // namespace headscope::engine
