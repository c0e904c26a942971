// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Texts with a question, in ordinary words, for the small English models: the source of training texts and of the
// benchmarks' examples. Values only; any thread.

#include "core/base/role.h"
#include "core/tasks/toy/toyrandom.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::tasks::english {

/// A part of a text. Every tokenizer that splits words at spaces also splits between parts.
struct TextPart {
    std::string text;
    bool scored = false; ///< the model is asked for this part
    std::optional<Role> role = {};
    int group = 0;       ///< as in tasks::Segment
    bool target = false; ///< contains the last question's answer
    /// For an answer found in two steps: the word found by the first; otherwise empty.
    std::string halfway = {};
    bool told = false; ///< the halfway word is not in the text: it is given to the network
};

using Text = std::vector<TextPart>;

/// The words that fill texts. Training and benchmarks draw from different pools.
struct Pools {
    std::vector<std::string> words; ///< lower case, at least three for each pair of the largest dictionary
    std::vector<std::string> names; ///< first names, at least 8
};

/// How a dictionary is queried: The value of the key 'acorn' is / the same without quotation marks / acorn:
enum class QueryForm { Quoted, Plain, Short, Any };

struct DictionaryText {
    int pairs = 8;
    int queries = 1;             ///< drawn with replacement
    double twoWordShare = 0.3;   ///< share of dictionaries whose keys have two words
    double wordValueShare = 0.5; ///< share of dictionaries whose values are words, otherwise numbers from 10 to 99
    QueryForm form = QueryForm::Quoted;
};

struct PassageText {
    int questions = 1;
    /// Share of questions that ask for only one step: the letter of a word (in two forms of question), or the word that
    /// belongs to a name.
    double stepShare = 0.0;
    bool apart = false;    ///< no two questions are about the same name, as far as four names permit
    int toldQuestions = 0; ///< in texts without facts: number of questions that have only the second step left; 0: none
    double listShare = 0.0; ///< share of texts without facts, with only options and questions for their letters
};

/// Makes pairs "key: value", one per line, then questions. Keys and values are each distinct.
[[nodiscard]] Text dictionaryText(ToyRandom& random, const Pools& pools, const DictionaryText& form);
/// Makes four facts ("Ada has the ladder."), four options A to D, then questions that are answered by a letter.
[[nodiscard]] Text passageText(ToyRandom& random, const Pools& pools, const PassageText& form);
/// Makes "When Ada and Ben went to the park, Ada gave the ball to" Ben (Wang et al. 2022, arXiv 2211.00593).
[[nodiscard]] Text indirectObjectText(ToyRandom& random, const Pools& pools);
/// Makes `words` different words, repeated from the first up to one of the second half, which is the answer.
[[nodiscard]] Text inductionText(ToyRandom& random, const Pools& pools, int words);

inline constexpr int kFacts = 300;
/// Makes invented fact number `index`, 0 to kFacts - 1, of the tiny models' table: "The color of Ada is" red.
[[nodiscard]] Text factText(int index);

/// Returns the tiny models' 100 first names: every fifth is reserved for benchmarks.
[[nodiscard]] std::vector<std::string> names(bool forBenchmarks);

/// Returns the lower-case words in the sentences above, whatever the pools are.
[[nodiscard]] std::vector<std::string> sentenceWords();

} // namespace headscope::tasks::english
