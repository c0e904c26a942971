// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pages of one piece of a column: unpacked, and their values. Any thread.

#include "core/io/parquet/footer.h"

#include <functional>
#include <variant>

namespace headscope::io {

/// A value; nothing where the file says "null".
using ParquetValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// One place of a column, in order.
struct ParquetEntry {
    bool newRow = true;    ///< else one more element of the list before
    bool isElement = true; ///< else the list of this row has none
    ParquetValue value;
};

/// Gives each entry to `take` until it is false, which ends the reading with its own reason. No page takes more
/// than `most` bytes of memory, whatever it unpacks to. Fails with a clause that follows the column's name: "is packed
/// with ZSTD, which is not read".
[[nodiscard]] Result<void> readParquetChunk(std::span<const std::byte> file, const ParquetLeaf& leaf,
                                            const ParquetChunk& chunk, std::size_t most,
                                            const std::function<Result<void>(ParquetEntry&&)>& take);

} // namespace headscope::io
