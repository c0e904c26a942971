// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Quantized maps stored as whole numbers with a scale, and perhaps a zero point, for each group of them, as the F32
// numbers that they stand for. Immutable: any thread.

#include "core/io/safetensors/weightsfile.h"

#include <cstdint>
#include <optional>

namespace headscope::io {

/// A matrix of whole numbers, as bits of 32-bit words or as bytes.
struct Codes {
    enum class Layout {
        AlongRows,    ///< a row is a stream of bits, the lowest of its first word first
        AlongColumns, ///< a column is one
        Interleaved,  ///< along rows eight of four bits a word, in the order 0, 2, 4, 6, 1, 3, 5, 7
        Bytes         ///< one signed byte each
    };
    TensorView stored;
    Layout layout = Layout::Bytes;
    int bits = 8;
    std::int64_t width = 0; ///< words in a stored row; of bytes, bytes
    int offset = 0;         ///< what is added to each

    /// The numbers from (row, column) on, each `down` rows and `right` columns behind the one before.
    void read(std::int64_t row, std::int64_t column, std::int64_t down, std::int64_t right,
              std::span<std::int32_t> into) const;
};

/// weight[o, i] = (code - zero point) * scale, where the scale is that of the group of input i and output o.
struct GroupedMap {
    std::int64_t outputs = 0, inputs = 0;
    bool turned = false; ///< codes, zero points and scales have an input or a group for a row, and outputs along it
    Codes codes;
    std::optional<Codes> zeros;
    TensorView scales;                      ///< of a type that factorAt() reads
    std::int64_t groups = 1;                ///< scales of an output
    std::int64_t groupInputs = 1;           ///< neighbouring inputs of a group, the last may have fewer
    std::int64_t groupOutputs = 1;          ///< outputs that share their scales and zero points
    std::optional<TensorView> groupOfInput; ///< I32, below `groups`: where groups are not neighbours
    float factor = 1;                       ///< of all
};

/// `stored` with the elements of the map, which has to fit its tensors. `stored` names it, and its bytes are released
/// when they were read.
[[nodiscard]] TensorView groupedView(const TensorView& stored, GroupedMap map);

/// Numbers of 4 bits that stand for one of 16 values each, the high half of a byte first, times the size of their
/// block: as bitsandbytes stores them.
struct CodebookMap {
    std::vector<float> values;     ///< 16
    std::int64_t block = 64;       ///< elements, row by row
    TensorView sizes;              ///< F32, or U8: numbers of `sizeValues`
    std::vector<float> sizeValues; ///< 256, or none
    TensorView sizeFactors;        ///< F32: what a block of sizes is multiplied by
    std::int64_t sizeBlock = 256;
    float sizeOffset = 0; ///< is added then
};
[[nodiscard]] TensorView codebookView(const TensorView& stored, std::vector<std::int64_t> shape, CodebookMap map);

} // namespace headscope::io
