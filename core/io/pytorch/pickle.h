// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tensors that a pickle of PyTorch describes. A pickle is a program; this reads the few instructions that tables of
// tensors are written with and knows by name the few globals that those need. Nothing is imported, nothing is called:
// any other global or instruction ends the reading with its name. (What torch.load calls weights_only.) Any thread.

#include "core/io/safetensors/safetensorsheader.h"

#include <map>
#include <string_view>

namespace headscope::io {

/// A tensor over a storage, which is an entry of the archive.
struct PickledTensor {
    std::string name;    ///< key in the table; keys of nested tables precede it with dots
    std::string storage; ///< its key: the entry data/KEY
    Dtype dtype = Dtype::F32;
    std::uint64_t storageElements = 0; ///< as the pickle says
    std::uint64_t offset = 0;          ///< elements before the first
    std::vector<std::int64_t> shape;   ///< checked: no negative size, bytes fit 64 bits
    std::vector<std::int64_t> strides; ///< elements; checked: the last element lies within the storage
};

/// What is read of a pickle.
struct PickledTables {
    std::vector<PickledTensor> tensors;        ///< at least one
    std::map<std::string, std::string> values; ///< what else there is by its key: "100", "some text", "[0, 1, 2]"
};
enum class PickleScope {
    Weights,   ///< the table at the top, or the one under "state_dict", "model_state_dict" or "model" in it; no values
    Everything ///< all tables, whose keys may be integers too, with their values
};

/// The tensors of tables in order. The message is a clause that follows the name of the file.
[[nodiscard]] Result<PickledTables> readPickle(std::string_view pickle, PickleScope scope = PickleScope::Weights);

} // namespace headscope::io
