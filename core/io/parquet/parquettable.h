// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A Parquet file as a table: the hub's format of data sets. Strings, numbers, truth values and lists of them, in groups
// or not; compressed with Snappy, gzip or not at all; stored plainly or with a dictionary. Anything else is rejected by
// name. Pure; any thread.

#include "core/io/parquet/parquetpages.h"

namespace headscope::io {

struct ParquetColumn {
    std::vector<std::string> path; ///< of groups and the column: {"choices", "text"}
    bool isList = false;
    std::vector<ParquetValue> values;   ///< of all rows consecutively
    std::vector<std::size_t> ends = {}; ///< list: end of each row's values
    [[nodiscard]] std::span<const ParquetValue> row(std::size_t index) const;
};

struct ParquetTable {
    std::size_t rows = 0;
    std::vector<ParquetColumn> columns;

    /// Reads the bytes of a whole file, which may be hostile: the result uses at most `limit` bytes of memory, also as
    /// JSON, and is limited by the file's size (64 MiB plus 1,000 bytes per byte). Fails with one sentence that begins
    /// with `name`.
    [[nodiscard]] static Result<ParquetTable> read(std::span<const std::byte> file, const std::string& name,
                                                   std::size_t limit = std::size_t{2} << 30);
};

} // namespace headscope::io
