// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Texts of the small English models that ask for something in the prompt, in ordinary words: what the trainer learns
// from and what the benchmarks' examples are made of. Values only; any thread.

#include "core/base/role.h"
#include "core/tasks/toy/toyrandom.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::tasks::english {

/// A stretch of a text. Every tokenizer that cuts words at spaces cuts between parts, too.
struct TextPart {
    std::string text;
    bool scored = false; ///< what the model is asked for
    std::optional<Role> role = {};
    int group = 0;       ///< as in tasks::Segment
    bool target = false; ///< the last question's answer comes from here
    /// Of an answer that is found in two steps: the word that the first one finds; else empty.
    std::string halfway = {};
    bool told = false; ///< nothing in the text says which word that is: the network is given it
};

using Text = std::vector<TextPart>;

/// What texts are filled with. Training and benchmarks draw from different pools.
struct Pools {
    std::vector<std::string> words; ///< lower case, at least three for each pair of the largest dictionary
    std::vector<std::string> names; ///< first names, at least 8
};

/// How a dictionary is asked: The value of the key 'acorn' is / the same without quotation marks / acorn:
enum class QueryForm { Quoted, Plain, Short, Any };

struct DictionaryText {
    int pairs = 8;
    int queries = 1;             ///< drawn with replacement
    double twoWordShare = 0.3;   ///< of dictionaries: keys of two words
    double wordValueShare = 0.5; ///< of dictionaries: values are words, else numbers from 10 to 99
    QueryForm form = QueryForm::Quoted;
};

struct PassageText {
    int questions = 1;
    /// Share of questions that ask for one step alone: the letter of a word (in two forms of question), or the word
    /// that belongs to a name.
    double stepShare = 0.0;
    bool apart = false; ///< no two questions are about the same name, as far as four names go
    int toldQuestions =
        0; ///< on texts without facts: that many instead, of which only the second step is left; 0: none
    double listShare = 0.0; ///< share of texts that have no facts, only options and questions for their letters
};

/// Pairs "key: value", one a line, then questions. Keys and values are each distinct.
[[nodiscard]] Text dictionaryText(ToyRandom& random, const Pools& pools, const DictionaryText& form);
/// Four facts ("Ada has the ladder."), four options A to D, then questions that are answered by a letter.
[[nodiscard]] Text passageText(ToyRandom& random, const Pools& pools, const PassageText& form);
/// "When Ada and Ben went to the park, Ada gave the ball to" Ben (Wang et al. 2022, arXiv 2211.00593).
[[nodiscard]] Text indirectObjectText(ToyRandom& random, const Pools& pools);
/// `words` different words, and again from the first one to one of the second half, which is asked for.
[[nodiscard]] Text inductionText(ToyRandom& random, const Pools& pools, int words);

inline constexpr int kFacts = 300;
/// Made-up fact number `index`, 0 to kFacts - 1, of the tiny models' table: "The color of Ada is" red.
[[nodiscard]] Text factText(int index);

/// The 100 first names of the tiny models: every fifth is kept for benchmarks.
[[nodiscard]] std::vector<std::string> names(bool forBenchmarks);

/// Lower-case words that are in the sentences above whatever the pools are.
[[nodiscard]] std::vector<std::string> sentenceWords();

} // namespace headscope::tasks::english
