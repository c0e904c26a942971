// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes tables of numbers, texts and tensors like torch.save(), for torch.load(), also with weights_only. Any thread.

#include "core/io/safetensors/safetensorswriter.h"

#include <utility>
#include <variant>

namespace headscope::io {

/// A value in a table.
struct TorchValue {
    using List = std::vector<TorchValue>;
    using Table = std::vector<std::pair<TorchValue, TorchValue>>; ///< keys are integers or texts
    std::variant<std::int64_t, std::string, TensorToWrite, List, Table> value;
};

/// Returns the bytes of a file, identical for equal tables. A tensor's name is not used.
[[nodiscard]] Result<std::string> torchBytes(const TorchValue::Table& table);

} // namespace headscope::io
