// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The table of forms: by what a map that is packed so is recognised, what belongs to it, and how it is unpacked. Any
// thread.

#include "core/io/packed/packedparts.h"

#include <string_view>
#include <vector>

namespace headscope::io {

/// One form; parts are named as for partName().
struct PackedForm {
    Packer packer = Packer::Blocks;
    std::string_view main;               ///< the part with the numbers
    std::vector<Dtype> codes;            ///< types of that part that identify the form; none: any does
    std::vector<std::string_view> marks; ///< parts that identify it without the main one
    std::vector<std::string_view> others;
    Result<TensorView> (*unpack)(PackedParts& parts) = nullptr;
    bool turned = false; ///< made of maps [in, out] too, which it stores as [out, in]
};

[[nodiscard]] const std::vector<PackedForm>& packedForms();

} // namespace headscope::io
