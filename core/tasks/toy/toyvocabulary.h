// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The 390 words of the tiny models and the fact table behind toy_mc and toy_knowledge. Constant data; any thread.

#include <span>
#include <string_view>

namespace headscope::tasks::toy {

inline constexpr int kRelations = 3;   ///< color, home, food
inline constexpr int kEntities = 100;  ///< first names
inline constexpr int kAttributes = 24; ///< per relation
inline constexpr int kKeyWords = 48;   ///< first (adjectives) and second (animals) words of a key, each
inline constexpr int kNumbers = 100;   ///< "00" to "99", the values of dictionaries

/// Ids of single words and of the first word of each group.
enum Word : int {
    Bos,
    Newline,
    Colon,
    QuestionMark,
    Period,
    LetterA,
    LetterB,
    LetterC,
    LetterD,
    Answer,
    The,
    Value,
    Of,
    LowerThe,
    Key,
    Is,
    Memorize,
    Dictionary,
    Question,
    FirstRelation,
    FirstEntity = FirstRelation + kRelations,
    FirstAttribute = FirstEntity + kEntities,
    FirstKeyWord = FirstAttribute + kRelations * kAttributes,
    FirstSecondWord = FirstKeyWord + kKeyWords,
    FirstNumber = FirstSecondWord + kKeyWords,
    WordCount = FirstNumber + kNumbers
};

/// Returns all words by id; the newline token is "\n", the start token "<s>".
[[nodiscard]] std::span<const std::string_view> words();

/// Returns the attribute (0 to 23) of an entity, drawn from a fixed seed.
[[nodiscard]] int fact(int relation, int entity);

/// Returns the id of that attribute's word.
[[nodiscard]] inline int factWord(int relation, int entity)
{
    return FirstAttribute + relation * kAttributes + fact(relation, entity);
}

} // namespace headscope::tasks::toy
