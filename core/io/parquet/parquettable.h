// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A Parquet file as a table: what the hub serves data sets as. Strings, numbers, truth values and lists of them, in
// groups or not; packed with Snappy, gzip or not at all; stored plainly or through a dictionary. Everything else is
// refused by name. Pure; any thread.

#include "core/io/parquet/parquetpages.h"

namespace headscope::io {

struct ParquetColumn {
    std::vector<std::string> path; ///< of groups and the column: {"choices", "text"}
    bool isList = false;
    std::vector<ParquetValue> values;   ///< of all rows one after the other
    std::vector<std::size_t> ends = {}; ///< list: behind the last value of each row
    [[nodiscard]] std::span<const ParquetValue> row(std::size_t index) const;
};

struct ParquetTable {
    std::size_t rows = 0;
    std::vector<ParquetColumn> columns;

    /// The bytes of a whole file, which may be hostile: what comes out of it takes at most `limit` bytes of memory, as
    /// JSON too, and no more than fits its size (64 MiB and 1,000 bytes for each of its own). Fails with one sentence
    /// that begins with `name`.
    [[nodiscard]] static Result<ParquetTable> read(std::span<const std::byte> file, const std::string& name,
                                                   std::size_t limit = std::size_t{2} << 30);
};

} // namespace headscope::io
