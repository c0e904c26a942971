// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One file that torch.save() wrote (since PyTorch 1.6: a zip archive of a pickle and of storages), mapped and checked.
// Immutable: any thread.

#include "core/io/pytorch/pickle.h"
#include "core/io/safetensors/weightsfile.h"

namespace headscope::io {

class TorchFile : public WeightsFile
{
public:
    /// Maps the file read-only and reads its tables of tensors, with what else they hold as metadata() where the scope
    /// has it; nothing in it is run. Shared storages and any strides are as good as others.
    static Result<std::shared_ptr<const WeightsFile>> open(const std::filesystem::path& path,
                                                           PickleScope scope = PickleScope::Weights);

private:
    TorchFile() = default;
};

} // namespace headscope::io
