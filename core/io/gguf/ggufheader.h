// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The part of a GGUF file before the tensors (llama.cpp's format, versions 2 and 3): metadata and the table of tensors,
// as checked values. Any thread.

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope::io {

using GgufValue = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>>;

/// The supported storage types, by ggml's numbers.
enum class GgmlType {
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q5_0 = 6,
    Q5_1 = 7,
    Q8_0 = 8,
    Q2_K = 10,
    Q3_K = 11,
    Q4_K = 12,
    Q5_K = 13,
    Q6_K = 14,
    IQ4_NL = 20,
    IQ4_XS = 23,
    F64 = 28,
    BF16 = 30,
    MXFP4 = 39
};

struct GgufTensor {
    std::string name;
    GgmlType type = GgmlType::F32;
    std::vector<std::int64_t> shape;  ///< slowest dimension first, as everywhere here; reversed in the file
    std::uint64_t begin = 0, end = 0; ///< bytes from the start of the file
};

struct GgufHeader {
    std::map<std::string, GgufValue, std::less<>> metadata;
    std::vector<GgufTensor> tensors;

    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
    /// Returns a number, or the common value of a list of equal numbers.
    [[nodiscard]] std::optional<std::int64_t> inAllLayers(std::string_view key) const;
    /// Returns the common number of the layers that have one, if all others have 0.
    [[nodiscard]] std::optional<std::int64_t> inSomeLayers(std::string_view key) const;
    [[nodiscard]] std::optional<double> number(std::string_view key) const; ///< also for integers
    [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
    [[nodiscard]] const std::string* text(std::string_view key) const;               ///< null if there is none
    [[nodiscard]] const std::vector<std::string>* texts(std::string_view key) const; ///< null if there are none
    [[nodiscard]] const std::vector<std::int64_t>* integers(std::string_view key) const;
    [[nodiscard]] const std::vector<double>* numbers(std::string_view key) const;
    [[nodiscard]] const GgufTensor* find(std::string_view tensor) const;
};

/// Reads the header of a whole file and checks every size against it. Rejects an unsupported number type by name. The
/// message is a clause that follows the name of the file.
[[nodiscard]] Result<GgufHeader> parseGgufHeader(std::span<const std::byte> file);

} // namespace headscope::io
