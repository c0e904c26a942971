// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A vocabulary of SentencePiece's, whatever file it comes from, in the words of tokenizer.json. Any thread.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::io {

/// What a piece is, by SentencePiece's own numbers.
enum PieceType : std::int64_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

struct PieceVocabulary {
    std::vector<std::string> pieces; ///< by id
    std::vector<double> scores;      ///< one each
    std::size_t unknown = 0;         ///< its id; none where there are fewer pieces
    bool unigram = false;            ///< the best split by the sum of scores; else merges, the best score first
    bool byteFallback = true;
    bool prefix = true;       ///< a space is put in front of the text
    bool joinsSpaces = false; ///< of spaces beside each other one is left, and none at the ends
    std::string characterMap; ///< base64, as tokenizer.json has it; empty: none
};

/// tokenizer.json's parts that depend on the vocabulary.
struct PieceParts {
    nlohmann::json normalizer, decoder, model;
};

/// As many scores as pieces are the caller's promise.
[[nodiscard]] PieceParts pieceParts(const PieceVocabulary& vocabulary);

/// Tokens to their ids.
[[nodiscard]] nlohmann::json vocabularyOf(const std::vector<std::string>& tokens);
/// Control tokens are special; what a person defined is found whole in the text.
[[nodiscard]] nlohmann::json addedTokensOf(const std::vector<std::string>& tokens,
                                           const std::vector<std::int64_t>& types);
/// {"type": "Sequence", member: steps}.
[[nodiscard]] nlohmann::json sequenceOf(const char* member, std::vector<nlohmann::json> steps);

} // namespace headscope::io
