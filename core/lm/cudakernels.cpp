// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/cudakernels.h"

#include "core/lm/cuda/selectivescan.h"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

namespace headscope::lm {

namespace {

using Scan = decltype(&headscope_selective_scan);

Scan findScan()
{
    std::error_code code;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
    for (const char* place : {".", "../app", "../lib/headscope", "../lib"}) {
        const std::filesystem::path file = program / place / "libheadscope_cuda.so";
        if (!std::filesystem::exists(file, code))
            continue;
        if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
            return reinterpret_cast<Scan>(dlsym(library, "headscope_selective_scan"));
    }
    return nullptr;
}

Scan scanFunction()
{
    static const Scan function = findScan();
    return function;
}

} // namespace

bool cudaKernelsAvailable() { return scanFunction() != nullptr; }

at::Tensor cudaSelectiveScan(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b, const at::Tensor& c, at::Tensor& state)
{
    const at::Tensor xs = x.contiguous(), steps = dt.contiguous(), rates = a.contiguous(), bs = b.contiguous(), cs = c.contiguous();
    at::Tensor after = state.defined() ? state.clone(at::MemoryFormat::Contiguous) : at::zeros({x.size(0), x.size(2), a.size(1)}, x.options());
    at::Tensor y = at::empty_like(xs);
    // We never leave ATen's default stream, so the order with its own kernels is kept.
    const HeadscopeScan scan{xs.data_ptr<float>(), steps.data_ptr<float>(), rates.data_ptr<float>(), bs.data_ptr<float>(), cs.data_ptr<float>(),
                             after.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1), x.size(2), static_cast<int>(a.size(1)),
                             static_cast<int>(x.device().index()), nullptr};
    if (const int failure = scanFunction()(&scan); failure != 0)
        throw std::runtime_error("The CUDA kernel of the selective scan failed with error " + std::to_string(failure) + ".");
    state = after;
    return y;
}

} // namespace headscope::lm
