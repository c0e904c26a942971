// SPDX-License-Identifier: GPL-3.0-or-later
namespace {

constexpr int kLanes = 8, kRows = 4, kVectors = 2;

} // namespace

#include "core/lm/kernels/cpuroundedimpl.h"
#include "core/lm/kernels/cpurowimpl.h"

namespace headscope::lm {

const CpuKernels& avx2Kernels();
const CpuKernels& avx2Kernels()
{
    return kernelsOfThisSet("avx2");
}
BfloatRowKernel avx2BfloatRow();
BfloatRowKernel avx2BfloatRow()
{
    return productOfBfloatRow;
}
const PackedKernels& avx2Packed();
const PackedKernels& avx2Packed()
{
    return packedKernelsOfThisSet();
}

} // namespace headscope::lm
