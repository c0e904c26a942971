// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A part of a text on its way through a tokenizer, which records the bytes of the caller's text that each byte came
// from. Lives within one call of encode, on the caller's thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::text {

/// Bytes [begin, end) of the caller's text.
struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

/// Text and its origin. Contains only views; an Arena owns the data.
struct Piece {
    std::string_view text;
    const Span* source = nullptr; ///< one per byte of `text`; null: byte i is byte `origin + i` of the caller's text
    std::uint32_t origin = 0;     ///< see `source`
    std::uint32_t start = 0;      ///< start of the piece in the caller's text
    int id = -1;                  ///< id if the piece is an added token, else -1
    bool byteLevel = false;       ///< each byte stands for one character of the byte-level alphabet

    /// Returns the source of the character that contains byte `i`.
    [[nodiscard]] Span sourceOf(std::size_t i) const;
    /// Returns the source of the non-empty range [begin, end).
    [[nodiscard]] Span sourceOf(std::size_t begin, std::size_t end) const
    {
        return {sourceOf(begin).begin, sourceOf(end - 1).end};
    }
    [[nodiscard]] Piece part(std::size_t begin, std::size_t end) const;
};

/// Owns the rewritten texts of one encode call. An untrusted tokenizer can produce unbounded text (each of a chain of
/// replacements doubles the previous result): beyond a limit far above any real tokenizer it throws Failure.
class Arena
{
public:
    /// `text` is the text to encode.
    explicit Arena(std::string_view text) : m_left(kGrowth * text.size() + kAlways) {}

    /// A text under construction, one source per byte; initially empty and reused by the next draft.
    struct Draft {
        std::string text;
        std::vector<Span> source;
        std::size_t most = 0; ///< bytes

        void add(std::string_view bytes, Span from)
        {
            if (bytes.size() > most || text.size() > most - bytes.size())
                refuse();
            text.append(bytes);
            source.insert(source.end(), bytes.size(), from);
        }
    };
    [[nodiscard]] Draft& draft(std::size_t expected);
    /// Returns `from` with the draft as its text; keeps the piece's start.
    [[nodiscard]] Piece keep(const Piece& from);

private:
    static constexpr std::size_t kGrowth = 64, kAlways = std::size_t{1} << 20;
    [[noreturn]] static void refuse();

    template <typename T> struct Store {
        std::vector<std::unique_ptr<T[]>> blocks;
        T* next = nullptr;
        std::size_t left = 0;
        std::size_t block = 256; ///< items in the next block; small at first, because most texts are short
        T* put(const T* items, std::size_t count);
    };
    Draft m_draft;
    std::size_t m_left; ///< bytes that may still be allocated
    Store<char> m_texts;
    Store<Span> m_sources;
};

/// One character of a rewritten text. `change` counts as in the reference: 1 is inserted, 0 replaces one character of
/// the old text, -n replaces one and n more that follow it.
struct Rewritten {
    char32_t character;
    int change;
};

/// Returns the piece with all its text replaced; `skipped` characters of the old text come before the first new one.
[[nodiscard]] Piece rewrite(const Piece& piece, std::span<const Rewritten> characters, std::size_t skipped,
                            Arena& arena);

/// Returns the non-empty piece with `prefix` in front, attributed to its first character.
[[nodiscard]] Piece prepend(const Piece& piece, std::string_view prefix, Arena& arena);

} // namespace headscope::text
