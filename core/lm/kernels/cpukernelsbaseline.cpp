// SPDX-License-Identifier: GPL-3.0-or-later
namespace {

constexpr int kLanes = 4, kRows = 4, kVectors = 2;

} // namespace

#include "core/lm/kernels/cpukernelsimpl.h"
#include "core/lm/kernels/cpuroundedimpl.h"

namespace headscope::lm {

const CpuKernels& baselineKernels();
const CpuKernels& baselineKernels()
{
    return kernelsOfThisSet("baseline");
}
const PackedKernels& baselinePacked();
const PackedKernels& baselinePacked()
{
    return packedKernelsOfThisSet();
}

} // namespace headscope::lm
