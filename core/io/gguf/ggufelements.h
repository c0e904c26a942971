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

/// `heads`: of the rows that rotate, for RotaryRows. Fails where the change does not fit the shape.
[[nodiscard]] Result<GgufView> viewOf(const GgufTensor& tensor, GgufOriginal original, std::int64_t heads);

} // namespace headscope::io
