// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What precedes the tensors of a GGUF file (llama.cpp's form, versions 2 and 3): metadata and the table of
// tensors, as checked values. Any thread.

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

/// How numbers are stored, by ggml's own numbers: those that are read.
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
    std::vector<std::int64_t> shape;  ///< slowest first, as everywhere here; the file has it the other way
    std::uint64_t begin = 0, end = 0; ///< bytes from the start of the file
};

struct GgufHeader {
    std::map<std::string, GgufValue, std::less<>> metadata;
    std::vector<GgufTensor> tensors;

    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
    /// A number, or the one that a list of numbers repeats.
    [[nodiscard]] std::optional<std::int64_t> inAllLayers(std::string_view key) const;
    /// The same where other layers have 0.
    [[nodiscard]] std::optional<std::int64_t> inSomeLayers(std::string_view key) const;
    [[nodiscard]] std::optional<double> number(std::string_view key) const; ///< integers too
    [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
    [[nodiscard]] const std::string* text(std::string_view key) const;               ///< null where there is none
    [[nodiscard]] const std::vector<std::string>* texts(std::string_view key) const; ///< null where there are none
    [[nodiscard]] const std::vector<std::int64_t>* integers(std::string_view key) const;
    [[nodiscard]] const std::vector<double>* numbers(std::string_view key) const;
    [[nodiscard]] const GgufTensor* find(std::string_view tensor) const;
};

/// Reads the header of a whole file and checks every size against it. Refuses a type of numbers that is not read, by
/// its name. The message is a clause that follows the name of the file.
[[nodiscard]] Result<GgufHeader> parseGgufHeader(std::span<const std::byte> file);

} // namespace headscope::io
