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
BfloatRowKernel avx2BfloatRow();
BfloatRowKernel avx512BfloatRow();
#endif

bool runsHere(KernelSet set)
{
#ifdef HEADSCOPE_X86_KERNELS
    if (set == KernelSet::Avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
               && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (set == KernelSet::Avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return set == KernelSet::Baseline;
}

KernelSet bestSet()
{
    static const KernelSet best = runsHere(KernelSet::Avx512) ? KernelSet::Avx512
                                  : runsHere(KernelSet::Avx2) ? KernelSet::Avx2
                                                              : KernelSet::Baseline;
    return best;
}

const CpuKernels& cpuKernels([[maybe_unused]] KernelSet set)
{
#ifdef HEADSCOPE_X86_KERNELS
    if (set != KernelSet::Baseline)
        return set == KernelSet::Avx512 ? avx512Kernels() : avx2Kernels();
#endif
    return baselineKernels();
}

const CpuKernels& cpuKernels()
{
    static const CpuKernels& best = cpuKernels(bestSet());
    return best;
}

const PackedKernels& packedKernels([[maybe_unused]] KernelSet set)
{
#ifdef HEADSCOPE_X86_KERNELS
    if (set != KernelSet::Baseline)
        return set == KernelSet::Avx512 ? avx512Packed() : avx2Packed();
#endif
    return baselinePacked();
}

const PackedKernels& packedKernels()
{
    static const PackedKernels& best = packedKernels(bestSet());
    return best;
}

LinearKernel linearKernel()
{
#ifdef HEADSCOPE_X86_KERNELS
    static const LinearKernel best = bestSet() == KernelSet::Avx512 ? avx512Linear() : nullptr;
    return best;
#else
    return nullptr;
#endif
}

BfloatRowKernel bfloatRowKernel()
{
#ifdef HEADSCOPE_X86_KERNELS
    static const BfloatRowKernel best = bestSet() == KernelSet::Avx512 ? avx512BfloatRow()
                                        : bestSet() == KernelSet::Avx2 ? avx2BfloatRow()
                                                                       : nullptr;
    return best;
#else
    return nullptr;
#endif
}

} // namespace headscope::lm
