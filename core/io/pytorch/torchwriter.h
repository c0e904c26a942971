// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes tables of numbers, texts and tensors like torch.save(), for torch.load(), also with weights_only. Any thread.

#include "core/io/safetensors/safetensorswriter.h"

#include <variant>

namespace headscope::io {

/// A value in a table.
struct TorchValue {
    using List = std::vector<TorchValue>;
    struct Entry;
    using Table = std::vector<Entry>;
    std::variant<std::int64_t, std::string, TensorToWrite, List, Table> value;
};

/// No std::pair: clang asks of its parts, while it is made, what a value of itself is made of.
struct TorchValue::Entry {
    TorchValue key; ///< an integer or a text
    TorchValue value;
};

/// Returns the bytes of a file, identical for equal tables. A tensor's name is not used.
[[nodiscard]] Result<std::string> torchBytes(const TorchValue::Table& table);

} // namespace headscope::io
