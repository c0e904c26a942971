// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The table of packed forms: how a packed map is recognized, which tensors belong to it, and how it is unpacked. Any
// thread.

#include "core/io/packed/packedparts.h"

#include <string_view>
#include <vector>

namespace headscope::io {

/// One form; parts are named as in partName().
struct PackedForm {
    Packer packer = Packer::Blocks;
    std::string_view main;               ///< the part that contains the numbers
    std::vector<Dtype> codes;            ///< types of that part that identify the form; none: any type
    std::vector<std::string_view> marks; ///< parts that identify the form without the main one
    std::vector<std::string_view> others;
    Result<TensorView> (*unpack)(PackedParts& parts) = nullptr;
    bool turned = false; ///< also made from maps [in, out], which it stores as [out, in]
};

[[nodiscard]] const std::vector<PackedForm>& packedForms();

} // namespace headscope::io
