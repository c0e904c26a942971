// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The numbers of a tensor of a GGUF file as in the original model: blocks decoded, the converter's changes undone.
// Immutable: any thread.

#include "core/io/gguf/ggufnames.h"
#include "core/io/safetensors/weightsfile.h"

namespace headscope::io {

/// The original's tensor: name, dtype and shape of the elements (F32 wherever they are computed).
struct GgufView {
    TensorInfo info;
    std::shared_ptr<const Elements> elements; ///< null: the bytes are the elements
};

/// Head counts that determine the order of a tensor's numbers.
struct GgufHeads {
    std::int64_t rotating = 0;             ///< heads of the rows to which rotation applies
    std::int64_t groups = 0;               ///< key heads, for tensors of value heads
    std::int64_t values = 0, elements = 0; ///< value heads, and their total number of elements
};

/// Returns the view of a tensor. Fails if the change does not fit the shape.
[[nodiscard]] Result<GgufView> viewOf(const GgufTensor& tensor, GgufOriginal original, const GgufHeads& heads);

} // namespace headscope::io
