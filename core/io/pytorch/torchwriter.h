// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes tables of numbers, texts and tensors as torch.save() does, for torch.load(), weights_only too. Any thread.

#include "core/io/safetensors/safetensorswriter.h"

#include <utility>
#include <variant>

namespace headscope::io {

/// What a table may hold.
struct TorchValue {
    using List = std::vector<TorchValue>;
    using Table = std::vector<std::pair<TorchValue, TorchValue>>; ///< keys are integers or texts
    std::variant<std::int64_t, std::string, TensorToWrite, List, Table> value;
};

/// The bytes of a file, the same for equal tables. A tensor's name is not used.
[[nodiscard]] Result<std::string> torchBytes(const TorchValue::Table& table);

} // namespace headscope::io
