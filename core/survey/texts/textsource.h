// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A collection of texts that is never in memory as a whole: folders of .txt and .jsonl files, single files, and given
// texts. Long texts are split into pieces, so that a book is sampled like many pages. One thread at a time.

#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope::survey {

/// Bytes [first, second) of a text.
using ByteRange = std::pair<std::size_t, std::size_t>;

/// A text supplied by the caller, such as a task's prompt.
struct GivenText {
    std::string name; ///< "toy_kv, sample 3"
    std::string text;
    std::vector<ByteRange> segments; ///< identified by their ends; none: sentences and lines
};

struct PieceText {
    std::string text;
    std::string name;                ///< file, and byte or line at which it begins
    std::vector<ByteRange> segments; ///< as in GivenText
};

class TextSource
{
public:
    /// Reads every byte once, to find invalid text before a model runs. Files of a folder, at any depth, are sorted by
    /// name. Fails with one sentence for missing files or invalid UTF-8 (with the byte's position), a folder without
    /// texts, a line of JSON longer than 16 MB, and more than four million pieces.
    [[nodiscard]] static Result<TextSource> open(std::span<const std::filesystem::path> paths,
                                                 std::vector<GivenText> given, const Control& control = {});

    [[nodiscard]] std::size_t pieces() const { return m_pieces.size(); }
    [[nodiscard]] std::size_t files() const { return m_files.size(); }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    /// Returns the SHA-256 of all texts, the same for a copy elsewhere.
    [[nodiscard]] const std::string& hash() const { return m_hash; }

    /// Reads a piece. Fails if the file is missing or has changed since.
    [[nodiscard]] Result<PieceText> read(std::size_t piece) const;

private:
    enum class Kind : std::uint8_t { Plain, JsonLine, Given };
    struct Piece {
        std::uint64_t begin = 0; ///< byte in the file; for Given: index
        std::uint32_t size = 0;
        std::uint32_t file = 0;
        std::uint32_t line = 0; ///< from 1
        Kind kind = Kind::Plain;
    };
    class Indexer;
    std::vector<std::filesystem::path> m_files;
    std::vector<GivenText> m_given;
    std::vector<Piece> m_pieces;
    std::uint64_t m_bytes = 0;
    std::string m_hash;
};

} // namespace headscope::survey
