// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small integers as packed by Parquet: runs of one value, and groups of eight with as many bits as needed ("RLE /
// bit-packing hybrid"). Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headscope::io {

/// Returns `count` numbers of `bits` bits (0 to 32) each. Nothing if there are fewer in the bytes.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> parquetLevels(std::span<const std::byte> bytes, int bits,
                                                                      std::size_t count);

/// Returns the number of bits for numbers from 0 to `most`.
[[nodiscard]] int bitsFor(std::uint32_t most);

} // namespace headscope::io
