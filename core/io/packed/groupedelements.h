// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Quantized maps stored as integers with a scale, and possibly a zero point, per group, converted to the F32 numbers
// that they represent. Immutable: any thread.

#include "core/io/safetensors/weightsfile.h"

#include <cstdint>
#include <optional>

namespace headscope::io {

/// A matrix of integers, as bits of 32-bit words or as bytes.
struct Codes {
    enum class Layout {
        AlongRows,    ///< a row is a bit stream, starting with the lowest bit of its first word
        AlongColumns, ///< a column is a bit stream
        Interleaved,  ///< along rows, eight four-bit numbers per word, in the order 0, 2, 4, 6, 1, 3, 5, 7
        Bytes         ///< one signed byte each
    };
    TensorView stored;
    Layout layout = Layout::Bytes;
    int bits = 8;
    std::int64_t width = 0; ///< words in a stored row; for Bytes, bytes
    int offset = 0;         ///< added to each number

    /// Reads adjacent numbers of a row from `column` on.
    void read(std::int64_t row, std::int64_t column, std::span<std::int32_t> into) const;
};

/// weight[o, i] = (code - zero point) * scale, with the scale of the group of input i and output o.
struct GroupedMap {
    std::int64_t outputs = 0, inputs = 0;
    bool turned = false; ///< codes, zero points and scales have one row per input or group, with the outputs along it
    Codes codes;
    std::optional<Codes> zeros;
    TensorView scales;                      ///< of a type supported by factorAt()
    std::int64_t groups = 1;                ///< scales per output
    std::int64_t groupInputs = 1;           ///< adjacent inputs of a group, the last may have fewer
    std::int64_t groupOutputs = 1;          ///< outputs that share their scales and zero points
    std::optional<TensorView> groupOfInput; ///< I32, below `groups`: for groups that are not contiguous
    float factor = 1;                       ///< common factor of all elements
};

/// Returns `stored` with the elements of the map, which must fit its tensors. The view takes its name from `stored`,
/// whose bytes are released after reading.
[[nodiscard]] TensorView groupedView(const TensorView& stored, GroupedMap map);

/// 4-bit indices into 16 values, the high half of a byte first, times the scale of their block: the format of
/// bitsandbytes.
struct CodebookMap {
    std::vector<float> values;     ///< 16
    std::int64_t block = 64;       ///< elements, row by row
    TensorView sizes;              ///< F32, or U8: indices into `sizeValues`
    std::vector<float> sizeValues; ///< 256, or none
    TensorView sizeFactors;        ///< F32: factor of each block of sizes
    std::int64_t sizeBlock = 256;
    float sizeOffset = 0; ///< added afterwards
};
[[nodiscard]] TensorView codebookView(const TensorView& stored, std::vector<std::int64_t> shape, CodebookMap map);

} // namespace headscope::io
