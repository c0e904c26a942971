// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One file written by torch.save() (since PyTorch 1.6: a zip archive of a pickle and of storages), mapped and checked.
// Immutable: any thread.

#include "core/io/pytorch/pickle.h"
#include "core/io/safetensors/weightsfile.h"

namespace headscope::io {

class TorchFile : public WeightsFile
{
public:
    /// Maps the file read-only and reads its tables of tensors, and their other values as metadata() if the scope
    /// includes them; nothing in it is run. Shared storages and any strides are supported.
    static Result<std::shared_ptr<const WeightsFile>> open(const std::filesystem::path& path,
                                                           PickleScope scope = PickleScope::Weights);

private:
    TorchFile() = default;
};

} // namespace headscope::io
