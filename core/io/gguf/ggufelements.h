// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The numbers of a tensor of a GGUF file as the original model has them: blocks decoded, the converter's changes
// undone. Immutable: any thread.

#include "core/io/gguf/ggufnames.h"
#include "core/io/safetensors/weightsfile.h"

namespace headscope::io {

/// What the original's tensor is: name, dtype and shape of the elements (F32 wherever they are computed).
struct GgufView {
    TensorInfo info;
    std::shared_ptr<const Elements> elements; ///< null: the bytes are the elements
};

/// What the numbers of a tensor are ordered by.
struct GgufHeads {
    std::int64_t rotating = 0;             ///< heads of the rows that rotate
    std::int64_t groups = 0;               ///< heads of keys, for those of values
    std::int64_t values = 0, elements = 0; ///< heads of values, and numbers of all of them
};

/// Fails where the change does not fit the shape.
[[nodiscard]] Result<GgufView> viewOf(const GgufTensor& tensor, GgufOriginal original, const GgufHeads& heads);

} // namespace headscope::io
