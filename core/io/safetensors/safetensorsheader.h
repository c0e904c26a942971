// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The header of a safetensors file as values: dtypes, tensor table, strict parser. Any thread.

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::io {

/// Element types in the format's own order, which is also the order of increasing alignment.
enum class Dtype {
    Bool,
    F4,
    F6_E2M3,
    F6_E3M2,
    U8,
    I8,
    F8_E5M2,
    F8_E4M3,
    F8_E8M0,
    F8_E4M3FNUZ,
    F8_E5M2FNUZ,
    I16,
    U16,
    F16,
    BF16,
    I32,
    U32,
    F32,
    C64,
    F64,
    I64,
    U64
};

/// Returns the bits of one element: 4 and 6 for the packed types, otherwise whole bytes.
[[nodiscard]] std::uint64_t dtypeBits(Dtype dtype);
/// Returns the name in the file, such as "BF16".
[[nodiscard]] std::string_view dtypeName(Dtype dtype);
/// Returns the type; nothing for an unknown name. Names are case-sensitive.
[[nodiscard]] std::optional<Dtype> dtypeFromName(std::string_view name);

struct TensorInfo {
    std::string name;
    Dtype dtype = Dtype::F32;
    std::vector<std::int64_t> shape; ///< empty for a scalar; a dimension can be 0
    std::uint64_t begin = 0;         ///< bytes from the start of the data part
    std::uint64_t end = 0;           ///< one past the last byte
};

struct SafetensorsHeader {
    std::vector<TensorInfo> tensors; ///< in order of their position in the file
    std::map<std::string, std::string> metadata;
};

/// Maximum size of a header that is read or written, in bytes.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// Parses and checks a header against the size of the data part that follows it. Strict JSON; duplicate keys, holes,
/// overlaps and wrong sizes are errors. The message is a clause without the file's name.
[[nodiscard]] Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes);

/// Returns the bytes of a tensor, or the reason why it has no valid size (overflow, not whole bytes).
[[nodiscard]] Result<std::uint64_t> tensorBytes(Dtype dtype, const std::vector<std::int64_t>& shape);

} // namespace headscope::io
