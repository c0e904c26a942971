// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an analysis asks of a model: a prompt, the token that is right behind it and those that would be wrong. Any
// thread.

#include "core/engine/scoring/pairs/encode.h"
#include "core/why/recording.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::engine {

/// An answer of several tokens differs from others in one of them: the first in which it differs from another choice.
struct Question {
    std::string source;              ///< "toy_kv:pairs=8, sample 3"; "text"
    std::vector<int> ids;            ///< the prompt, and what all choices begin with
    std::optional<int> answer{};     ///< nothing: what the model itself finds most probable
    std::vector<int> wrong{};        ///< the other choices; empty: any other token
    std::vector<int> answerTokens{}; ///< all of the answer
    int shared = 0;                  ///< of them at the end of ids

    [[nodiscard]] std::span<const int> prompt() const
    {
        return std::span(ids).first(ids.size() - static_cast<std::size_t>(shared));
    }
    /// Whether it asks on behind these ids of a prompt.
    [[nodiscard]] bool isBehind(std::span<const int> other) const { return std::ranges::equal(prompt(), other); }
};

/// How many tokens two answers begin with alike; nothing where one of them ends there, so that no token parts them.
[[nodiscard]] std::optional<int> partingToken(std::span<const int> a, std::span<const int> b);

/// How a model's texts become ids.
struct Reader {
    const text::Tokenizer& tokenizer;
    BosPolicy bos = BosPolicy::Never;
    int maxLength = 0; ///< the most tokens that the model reads; 0: no limit
};

/// Fails for an example that cannot be scored and for one whose answer is generated.
[[nodiscard]] Result<Question> questionOf(const tasks::TaskSet& set, int sample, const Reader& reader);
/// The same of an example that is none of the set's but made of the sample.
[[nodiscard]] Result<Question> questionOf(const tasks::TaskSet& set, int sample, const tasks::Example& example,
                                          const Reader& reader);

/// The id of a text that is a single token; U+2581 at its beginning means a blank. Otherwise an error that says how
/// many tokens it is.
[[nodiscard]] Result<int> singleToken(const text::Tokenizer& tokenizer, const std::string& text);
/// What a token writes; where it writes nothing by itself as the vocabulary spells it.
[[nodiscard]] std::string tokenText(const text::Tokenizer& tokenizer, int id);
/// The prompt that tokens make, with the blanks between words that the tokenizer dropped.
[[nodiscard]] std::string promptText(const text::Tokenizer& tokenizer, const std::vector<int>& ids);

/// Answer and distractor: those of the question; what it leaves open is what the run finds most probable. Fails for a
/// token that the model does not have.
[[nodiscard]] Result<why::Metric> metricOf(const Question& question, const why::Recording& run, const lm::Model& model);

} // namespace headscope::engine
