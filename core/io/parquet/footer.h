// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The footer of a Parquet file: its columns, and the positions of their chunks. Any thread.

#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope::io {

enum class ParquetType {
    Boolean = 0,
    Int32 = 1,
    Int64 = 2,
    Int96 = 3,
    Float = 4,
    Double = 5,
    Bytes = 6,
    FixedBytes = 7
};

/// A column that is not a group.
struct ParquetLeaf {
    std::vector<std::string> path; ///< without the levels that only contain "list" and "element"
    ParquetType type = ParquetType::Bytes;
    std::size_t width = 0; ///< bytes of FixedBytes
    int present = 0;       ///< definition level of an existing value
    int repeated = 0;      ///< repetition level of its list's elements; 0: it is not a list
    int element = 0;       ///< list: definition level from which on an element exists
};

/// One chunk of a column.
struct ParquetChunk {
    int codec = 0;
    std::int64_t values = 0;           ///< including missing ones
    std::uint64_t begin = 0, size = 0; ///< position of its pages in the file
};

struct ParquetGroup {
    std::int64_t rows = 0;
    std::vector<ParquetChunk> chunks; ///< one per leaf
};

struct ParquetFooter {
    std::int64_t rows = 0;
    std::vector<ParquetLeaf> leaves;
    std::vector<ParquetGroup> groups;
};

/// Parses and checks the footer: every chunk is within the file, groups have a chunk for each leaf and their rows add
/// up to those of the file. Fails with a clause that follows the file's name: "is cut".
[[nodiscard]] Result<ParquetFooter> parseParquetFooter(std::span<const std::byte> file);

} // namespace headscope::io
