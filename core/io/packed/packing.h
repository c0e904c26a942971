// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The forms in which checkpoints store quantized maps (GPTQ, AWQ, bitsandbytes, compressed-tensors, torchao, FP8 in
// blocks, MXFP4): which tensors of a file belong to one map, and the numbers that they stand for. Immutable: any
// thread.

#include "core/io/packed/packedelements.h"
#include "core/io/safetensors/checkpoint.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::io {

/// Who packed the maps.
enum class Packer { Blocks, Gptq, Awq, Bitsandbytes, CompressedTensors, TorchAo };

/// How numbers of a map share their scales.
struct PackedScheme {
    int bits = 4;
    std::int64_t groupInputs = 0;  ///< neighbouring inputs with one scale; 0: all
    std::int64_t groupOutputs = 1; ///< neighbouring outputs with one scale; 0: all
    bool zeros = false;            ///< has to have zero points
    bool ordered = false;          ///< has to say which group each input is of
    bool floats = false;           ///< numbers in FP8

    [[nodiscard]] std::int64_t groups(std::int64_t inputs) const;
    [[nodiscard]] std::int64_t rows(std::int64_t outputs) const;
};

/// How the maps of one checkpoint are packed, as its config says.
struct Packing {
    Packer packer = Packer::Blocks;
    std::string title;                 ///< "AWQ 4 bit g64"
    std::vector<PackedScheme> schemes; ///< each map has one of these; none where the file itself says it
    BlockSize block;                   ///< of FP8 in blocks
    int zeroOffset = 0;                ///< what stored zero points lack
    bool roundsActivations = false;    ///< between maps, in the library that made it
};

/// A map that is quantized.
struct PackedTensor {
    TensorView view;                ///< F32, [out, in]
    std::vector<std::string> names; ///< of the tensors it is made of
    bool turned = false;            ///< of a layer that keeps [in, out] where it is plain (Conv1D of GPT-2)
    /// Gives the bytes of all of them back to the system, after they were read.
    void release() const;

    std::vector<std::span<const std::byte>> bytes;
};

/// Whether any tensor is there that only belongs to a packed `name`.
[[nodiscard]] bool isPacked(const Checkpoint& checkpoint, const Packing& packing, const std::string& name);
/// Nothing where `name` is not packed; fails where its tensors are incomplete or do not go together.
[[nodiscard]] Result<std::optional<PackedTensor>> packedTensor(const Checkpoint& checkpoint, const Packing& packing,
                                                               const std::string& name);
/// What stands in place of "X.weight" in files that are packed so: "X.qweight".
[[nodiscard]] std::string packedName(const Packing& packing, const std::string& name);

} // namespace headscope::io
