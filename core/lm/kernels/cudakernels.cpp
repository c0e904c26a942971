// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/kernels/cudakernels.h"

#include "core/lm/device/device.h"
#include "core/lm/kernels/cuda/cudascan.h"
#include "core/lm/kernels/cuda/graphs.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

namespace headscope::lm {

namespace {

template <typename Function> Function fromLibrary(const char* library, const char* name)
{
    std::error_code code;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
    for (const char* place : {".", "../app", "../lib/headscope", "../lib"}) {
        const std::filesystem::path file = program / place / library;
        if (!std::filesystem::exists(file, code))
            continue;
        if (void* fromLibrary = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
            return reinterpret_cast<Function>(dlsym(fromLibrary, name));
    }
    return nullptr;
}

auto scanFunction()
{
    static const auto function =
        fromLibrary<decltype(&headscope_selective_scan)>("libheadscope_cuda.so", "headscope_selective_scan");
    return function;
}

class CudaRecording final : public Recording
{
public:
    explicit CudaRecording(std::shared_ptr<HeadscopeGraph> graph) : m_graph(std::move(graph)) {}
    void replay() override { m_graph->replay(); }

private:
    std::shared_ptr<HeadscopeGraph> m_graph;
};

} // namespace

bool cudaKernelsAvailable()
{
    return scanFunction() != nullptr;
}

at::Tensor cudaSelectiveScan(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a, const at::Tensor& b,
                             const at::Tensor& c, at::Tensor& state)
{
    const at::Tensor xs = x.contiguous(), steps = dt.contiguous(), rates = a.contiguous(), bs = b.contiguous(),
                     cs = c.contiguous();
    at::Tensor after = state.defined() ? state.clone(at::MemoryFormat::Contiguous)
                                       : at::zeros({x.size(0), x.size(2), a.size(1)}, x.options());
    at::Tensor y = at::empty_like(xs);
    // ATen's own stream, so that the order with its kernels is kept and a recording sees ours too.
    const c10::Stream stream = c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).getStream(x.device());
    const HeadscopeScan scan{xs.data_ptr<float>(),
                             steps.data_ptr<float>(),
                             rates.data_ptr<float>(),
                             bs.data_ptr<float>(),
                             cs.data_ptr<float>(),
                             after.data_ptr<float>(),
                             y.data_ptr<float>(),
                             x.size(0),
                             x.size(1),
                             x.size(2),
                             static_cast<int>(a.size(1)),
                             static_cast<int>(x.device().index()),
                             stream.native_handle()};
    if (const int failure = scanFunction()(&scan); failure != 0)
        throw std::runtime_error("The CUDA kernel of the selective scan failed with error " + std::to_string(failure)
                                 + ".");
    state = after;
    return y;
}

Recorder cudaRecorder(const at::Device& device)
{
    if (!device.is_cuda() || !cudaAvailable()) // the library needs those of CUDA in the process
        return {};
    static const auto record =
        fromLibrary<decltype(&headscope_graph_record)>("libheadscope_cudagraphs.so", "headscope_graph_record");
    if (!record)
        return {};
    return [index = device.index(), pool = std::make_shared<HeadscopeGraphPool>()](
               const std::function<void()>& work) -> std::unique_ptr<Recording> {
        return std::make_unique<CudaRecording>(record(index, *pool, work));
    };
}

} // namespace headscope::lm
