// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tensors described by a PyTorch pickle. A pickle is a program; this interprets only the few instructions used for
// tables of tensors and knows by name the few globals that these need. Nothing is imported or called: any other global
// or instruction ends reading with its name. (torch.load calls this weights_only.) Any thread.

#include "core/io/safetensors/safetensorsheader.h"

#include <map>
#include <string_view>

namespace headscope::io {

/// A tensor in a storage, which is an entry of the archive.
struct PickledTensor {
    std::string name;    ///< key in the table; keys of nested tables precede it with dots
    std::string storage; ///< key of the storage: the entry data/KEY
    Dtype dtype = Dtype::F32;
    std::uint64_t storageElements = 0; ///< as stated in the pickle
    std::uint64_t offset = 0;          ///< elements before the first one
    std::vector<std::int64_t> shape;   ///< checked: no negative size, byte count fits 64 bits
    std::vector<std::int64_t> strides; ///< in elements; checked: the last element is within the storage
};

/// The contents of a pickle.
struct PickledTables {
    std::vector<PickledTensor> tensors;        ///< at least one
    std::map<std::string, std::string> values; ///< other values by key: "100", "some text", "[0, 1, 2]"
};
enum class PickleScope {
    Weights,   ///< the top-level table, or the one under "state_dict", "model_state_dict" or "model" in it; no values
    Everything ///< all tables, whose keys may be integers too, with their values
};

/// Reads the tensors of tables in order. The message is a clause that follows the name of the file.
[[nodiscard]] Result<PickledTables> readPickle(std::string_view pickle, PickleScope scope = PickleScope::Weights);

} // namespace headscope::io
