// SPDX-License-Identifier: GPL-3.0-or-later
namespace {

constexpr int kLanes = 16, kRows = 6, kVectors = 4;

} // namespace

#define HEADSCOPE_VNNI // products of 16 bits, where the processor has them as well

#include "core/lm/kernels/cpulinearimpl.h"
#include "core/lm/kernels/cpuroundedimpl.h"

namespace headscope::lm {

const CpuKernels& avx512Kernels();
const CpuKernels& avx512Kernels()
{
    return kernelsOfThisSet("avx512");
}
LinearKernel avx512Linear();
LinearKernel avx512Linear()
{
    return linear;
}
BfloatRowKernel avx512BfloatRow();
BfloatRowKernel avx512BfloatRow()
{
    return productOfBfloatRow;
}
const PackedKernels& avx512Packed();
const PackedKernels& avx512Packed()
{
    return packedKernelsOfThisSet();
}

} // namespace headscope::lm
