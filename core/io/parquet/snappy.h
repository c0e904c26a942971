// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Bytes that Snappy made smaller (the format that google/snappy describes), which is what Parquet files of the hub are
// written with. Pure; any thread.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace headscope::io {

/// Nothing where the bytes are not Snappy's or do not make exactly `size` bytes.
[[nodiscard]] std::optional<std::vector<std::byte>> unsnapped(std::span<const std::byte> bytes, std::size_t size);

} // namespace headscope::io
