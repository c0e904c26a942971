// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small whole numbers as Parquet packs them: runs of one value, and groups of eight with as many bits as needed ("RLE /
// bit-packing hybrid"). Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headscope::io {

/// `count` numbers of `bits` bits (0 to 32) each. Nothing where the bytes hold fewer.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> parquetLevels(std::span<const std::byte> bytes, int bits,
                                                                      std::size_t count);

/// Bits that numbers of 0 to `most` take.
[[nodiscard]] int bitsFor(std::uint32_t most);

} // namespace headscope::io
