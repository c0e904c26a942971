// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A SentencePiece vocabulary from any file, in the format of tokenizer.json. Any thread.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::io {

/// The type of a piece, by SentencePiece's numbers.
enum PieceType : std::int64_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

struct PieceVocabulary {
    std::vector<std::string> pieces; ///< by id
    std::vector<double> scores;      ///< one per piece
    std::size_t unknown = 0;         ///< id of the unknown piece; none if there are fewer pieces
    bool unigram = false;            ///< the best split by the sum of scores; false: merges, the best score first
    bool byteFallback = true;
    bool prefix = true;       ///< a space is added in front of the text
    bool joinsSpaces = false; ///< adjacent spaces become one, and those at the ends are removed
    std::string characterMap; ///< base64, as in tokenizer.json; empty: none
};

/// The parts of tokenizer.json that depend on the vocabulary.
struct PieceParts {
    nlohmann::json normalizer, decoder, model;
};

/// Returns these parts. The caller guarantees as many scores as pieces.
[[nodiscard]] PieceParts pieceParts(const PieceVocabulary& vocabulary);

/// Returns a map from tokens to ids.
[[nodiscard]] nlohmann::json vocabularyOf(const std::vector<std::string>& tokens);
/// Returns the added tokens: control tokens are special; user-defined ones are matched whole in the text.
[[nodiscard]] nlohmann::json addedTokensOf(const std::vector<std::string>& tokens,
                                           const std::vector<std::int64_t>& types);
/// Returns {"type": "Sequence", member: steps}.
[[nodiscard]] nlohmann::json sequenceOf(const char* member, std::vector<nlohmann::json> steps);

} // namespace headscope::io
