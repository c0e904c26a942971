// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Token texts of the toy tasks, in batches of equal length: the source of training texts and of examples. Values only;
// any thread.

#include "core/tasks/toy/toyrandom.h"

#include <cstdint>
#include <vector>

namespace headscope::tasks::toy {

/// Texts of equal length. Everything that is not in `ids` is the same in every text of the batch.
struct Batch {
    int count = 0;
    int length = 0;
    std::vector<std::int64_t> ids;  ///< [count, length]
    std::vector<std::int64_t> rows; ///< positions whose NEXT token is scored, ascending

    std::vector<int> asked;                    ///< KV: [count, queries], the pair requested by each query
    std::vector<int> right;                    ///< MC: [count, questions], the right option, 0 to 3
    std::vector<std::int64_t> sourcePositions; ///< KV: the value of each pair; MC: the options of the last question

    [[nodiscard]] std::int64_t at(int text, std::int64_t position) const { return ids[text * length + position]; }
};

struct CopyTexts {
    int words = 8; ///< distinct words of the keys and numbers
    int repeats = 3;
};

struct KvTexts {
    int pairs = 8; ///< 1 to 48
    int queries = 1;
    double shortShare = 0.0; ///< share of queries in the form "key : value" instead of the sentence
    int keyWords = 48;       ///< how many of the first and of the second words are used, at least `pairs`
    int values = 100;        ///< how many of the numbers are used
};

struct McTexts {
    int questions = 1;
    double nameAttributeShare = 0.0; ///< share of questions that end with "Answer is <attribute>" (training only)
};

struct CompletionTexts {
    int statements = 1;
};

/// Makes `<s>` and `words` random words, repeated `repeats` times; scored from the second word of the second copy on.
[[nodiscard]] Batch copyTexts(ToyRandom& random, int count, const CopyTexts& form);

/// Makes a dictionary and queries drawn with replacement. First words, second words and values are each distinct within
/// a dictionary.
[[nodiscard]] Batch kvTexts(ToyRandom& random, int count, const KvTexts& form);

/// Makes questions with four attributes of the same relation, one of them right.
[[nodiscard]] Batch mcTexts(ToyRandom& random, int count, const McTexts& form);

/// Makes statements "The <relation> of <entity> is [attribute] .".
[[nodiscard]] Batch completionTexts(ToyRandom& random, int count, const CompletionTexts& form);

/// Returns one statement per fact, all 300, relation by relation.
[[nodiscard]] Batch allFacts();

} // namespace headscope::tasks::toy
