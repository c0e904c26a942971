// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Formats in which checkpoints store quantized maps (GPTQ, AWQ, bitsandbytes, compressed-tensors, torchao, FP8
// in blocks, MXFP4): the tensors that form one map, and the numbers that they represent. Immutable: any
// thread.

#include "core/io/packed/packedelements.h"
#include "core/io/safetensors/checkpoint.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::io {

/// The library or format of the packed maps.
enum class Packer { Blocks, Gptq, Awq, Bitsandbytes, CompressedTensors, TorchAo };

/// How numbers of a map share their scales.
struct PackedScheme {
    int bits = 4;
    std::int64_t groupInputs = 0;  ///< adjacent inputs with one scale; 0: all
    std::int64_t groupOutputs = 1; ///< adjacent outputs with one scale; 0: all
    bool zeros = false;            ///< must have zero points
    bool ordered = false;          ///< must specify the group of each input
    bool floats = false;           ///< FP8 numbers

    [[nodiscard]] std::int64_t groups(std::int64_t inputs) const;
    [[nodiscard]] std::int64_t rows(std::int64_t outputs) const;
};

/// The packing of a checkpoint's maps, according to its config.
struct Packing {
    Packer packer = Packer::Blocks;
    std::string title;                 ///< "AWQ 4 bit g64"
    std::vector<PackedScheme> schemes; ///< each map has one of these; none if the file specifies it itself
    BlockSize block;                   ///< block size of FP8 in blocks
    int zeroOffset = 0;                ///< to be added to stored zero points
    bool roundsActivations = false;    ///< between maps, in the library that made them
};

/// A quantized map.
struct PackedTensor {
    TensorView view;                ///< F32, [out, in]
    std::vector<std::string> names; ///< names of the tensors it is made of
    bool turned = false;            ///< belongs to a layer that stores [in, out] when not packed (Conv1D of GPT-2)
    /// Returns the memory of all of them to the system after they were read.
    void release() const;

    std::vector<std::span<const std::byte>> bytes;
};

/// Returns whether any tensor exists that only belongs to a packed `name`.
[[nodiscard]] bool isPacked(const Checkpoint& checkpoint, const Packing& packing, const std::string& name);
/// Returns the map; nothing if `name` is not packed. Fails if its tensors are incomplete or inconsistent.
[[nodiscard]] Result<std::optional<PackedTensor>> packedTensor(const Checkpoint& checkpoint, const Packing& packing,
                                                               const std::string& name);
/// Returns the replacement of "X.weight" in such files: "X.qweight".
[[nodiscard]] std::string packedName(const Packing& packing, const std::string& name);

} // namespace headscope::io
