// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/kernels/cpukernels.h"

#include "core/lm/kernels/cpulinear.h"
#include "core/lm/kernels/cpupacked.h"

namespace headscope::lm {

const CpuKernels& baselineKernels();
const PackedKernels& baselinePacked();
#ifdef HEADSCOPE_X86_KERNELS
const CpuKernels& avx2Kernels();
const CpuKernels& avx512Kernels();
const PackedKernels& avx2Packed();
const PackedKernels& avx512Packed();
LinearKernel avx512Linear();
BfloatRowKernel avx512BfloatRow();
#endif

const CpuKernels& cpuKernels()
{
    static const CpuKernels& best = []() -> const CpuKernels& {
#ifdef HEADSCOPE_X86_KERNELS
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
            return avx512Kernels();
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            return avx2Kernels();
#endif
        return baselineKernels();
    }();
    return best;
}

const PackedKernels& packedKernels()
{
    static const PackedKernels& best = []() -> const PackedKernels& {
#ifdef HEADSCOPE_X86_KERNELS
        if (&cpuKernels() == &avx512Kernels())
            return avx512Packed();
        if (&cpuKernels() == &avx2Kernels())
            return avx2Packed();
#endif
        return baselinePacked();
    }();
    return best;
}

LinearKernel linearKernel()
{
#ifdef HEADSCOPE_X86_KERNELS
    static const LinearKernel best = &cpuKernels() == &avx512Kernels() ? avx512Linear() : nullptr;
    return best;
#else
    return nullptr;
#endif
}

BfloatRowKernel bfloatRowKernel()
{
#ifdef HEADSCOPE_X86_KERNELS
    return linearKernel() ? avx512BfloatRow() : nullptr;
#else
    return nullptr;
#endif
}

} // namespace headscope::lm
