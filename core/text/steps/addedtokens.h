// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The added tokens of a tokenizer: strings that are matched in a text before all other steps. Any thread.

#include "core/base/result.h"
#include "core/text/models/tokenizermodels.h"
#include "core/text/steps/normalizers.h"
#include "core/text/steps/piece.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headscope::text {

/// An entry of `added_tokens`; the names are those of tokenizer.json.
struct AddedToken {
    std::int64_t id = -1; ///< as stated in the file; -1: not stated
    std::string content;
    bool singleWord = false;
    bool lstrip = false;
    bool rstrip = false;
    bool normalized = false;
    bool special = false;
};

/// Finds strings in a text in linear time: from left to right, the longest of those that begin at one position.
class StringFinder
{
public:
    struct Hit {
        std::size_t begin;
        std::size_t end;
        int value;
    };
    void add(std::string_view string, int value); ///< not empty
    void build();                                 ///< after the last add
    [[nodiscard]] bool empty() const { return m_longest.size() <= 1; }
    /// Appends hits that do not overlap, in order.
    void find(std::string_view text, std::vector<Hit>& out) const;

private:
    // An Aho-Corasick automaton over the reversed strings: read backwards, its state at a position gives the longest
    // string that begins there.
    struct Node;
    [[nodiscard]] std::uint32_t step(std::uint32_t node, unsigned char byte) const;
    struct Longest {
        std::uint32_t length = 0;
        int value = -1;
    };
    std::unordered_map<std::uint64_t, std::uint32_t> m_edges; ///< node and byte to node
    std::vector<std::uint32_t> m_root = std::vector<std::uint32_t>(256, 0);
    std::vector<std::uint32_t> m_fail{0};
    std::vector<Longest> m_longest{Longest{}};
    std::vector<std::uint32_t> m_parent{0};
    std::vector<unsigned char> m_byte{0};
};

class AddedTokens
{
public:
    /// Assigns every token the reference's id: that of the same content in the vocabulary, otherwise the next free one.
    /// Fails if the file states a different id.
    [[nodiscard]] static Result<AddedTokens> make(std::vector<AddedToken> tokens, const Vocabulary& vocabulary,
                                                  const Normalizer* normalizer);

    /// Cuts out of a piece the tokens that are matched before (`normalized` false) or after normalization.
    void cut(const Piece& piece, bool normalized, bool splitSpecial, std::vector<Piece>& out) const;

    [[nodiscard]] std::optional<int> idOf(std::string_view content) const;
    [[nodiscard]] const AddedToken* tokenOf(int id) const;
    /// Returns the decoder's input for the id: the normalized form if normalization changed it. Null for other ids.
    [[nodiscard]] const std::string* decodedForm(int id) const;
    [[nodiscard]] bool isSpecial(std::string_view content) const;
    [[nodiscard]] int largestId() const { return m_largest; }

private:
    std::vector<AddedToken> m_tokens;
    std::vector<std::string> m_decoded;
    std::unordered_map<int, std::size_t> m_byId;
    std::unordered_map<std::string, int> m_byContent;
    std::unordered_map<std::string, bool> m_special;
    StringFinder m_raw;
    StringFinder m_afterNormalizing;
    int m_largest = -1;
};

} // namespace headscope::text
