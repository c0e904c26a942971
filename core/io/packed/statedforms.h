// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Formats for which the file itself rather than the config specifies how each map is stored: bitsandbytes and torchao.
// Any thread.

#include "core/io/packed/packedparts.h"

namespace headscope::io {

/// Unpacks bitsandbytes NF4 and FP4: bytes of two indices, the values they refer to, and a JSON description as a
/// tensor.
[[nodiscard]] Result<TensorView> unpackCodebook(PackedParts& parts);
/// Unpacks bitsandbytes int8: weight [out, in] I8 times SCB [out] / 127.
[[nodiscard]] Result<TensorView> unpackRowBytes(PackedParts& parts);
/// Unpacks torchao: _weight_qdata [out, in] I8, and an entry in the metadata of the file.
[[nodiscard]] Result<TensorView> unpackTorchAo(PackedParts& parts);

} // namespace headscope::io
