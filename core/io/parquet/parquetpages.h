// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pages of one column chunk, decompressed, and their values. Any thread.

#include "core/io/parquet/footer.h"

#include <functional>
#include <variant>

namespace headscope::io {

/// A value; monostate for "null".
using ParquetValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// One entry of a column, in order.
struct ParquetEntry {
    bool newRow = true;    ///< false: another element of the current list
    bool isElement = true; ///< false: the list of this row is empty
    ParquetValue value;
};

/// Passes each entry to `take` until it fails, which ends reading with that error. No page uses more than `most` bytes
/// of memory, whatever its decompressed size. Fails with a clause that follows the column's name: "is packed with ZSTD,
/// which is not supported".
[[nodiscard]] Result<void> readParquetChunk(std::span<const std::byte> file, const ParquetLeaf& leaf,
                                            const ParquetChunk& chunk, std::size_t most,
                                            const std::function<Result<void>(ParquetEntry&&)>& take);

} // namespace headscope::io
