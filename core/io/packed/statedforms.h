// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Forms of which the file itself, and not the config, says how each map is stored: bitsandbytes and torchao. Any
// thread.

#include "core/io/packed/packedparts.h"

namespace headscope::io {

/// bitsandbytes NF4 and FP4: bytes of two numbers, the values that they stand for, and a description in JSON as a
/// tensor.
[[nodiscard]] Result<TensorView> unpackCodebook(PackedParts& parts);
/// bitsandbytes int8: weight [out, in] I8 times SCB [out] / 127.
[[nodiscard]] Result<TensorView> unpackRowBytes(PackedParts& parts);
/// torchao: _weight_qdata [out, in] I8, and an entry in the metadata of the file.
[[nodiscard]] Result<TensorView> unpackTorchAo(PackedParts& parts);

} // namespace headscope::io
