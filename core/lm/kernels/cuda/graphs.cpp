// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA graphs by the tensor library's own class, which also gives them memory that stays theirs.
#include "core/lm/kernels/cuda/graphs.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>

#include <exception>
#include <map>

namespace {

// One for all recordings of a device: cuBLAS takes its workspace once a stream.
c10::cuda::CUDAStream recordingStream(c10::DeviceIndex device)
{
    static std::map<c10::DeviceIndex, c10::cuda::CUDAStream> streams;
    const auto it = streams.find(device);
    return it != streams.end() ? it->second
                               : streams.emplace(device, c10::cuda::getStreamFromPool(false, device)).first->second;
}

class Graph final : public HeadscopeGraph
{
public:
    void replay() override { m_graph.replay(); }

    // Recording needs a stream of its own; what was asked for before comes first, what is asked for after waits.
    void record(int device, HeadscopeGraphPool& pool, const std::function<void()>& work)
    {
        const c10::cuda::CUDAStream current = c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device));
        current.synchronize();
        const c10::cuda::CUDAStreamGuard guard(recordingStream(static_cast<c10::DeviceIndex>(device)));
        if (pool == HeadscopeGraphPool{}) {
            const auto made = at::cuda::graph_pool_handle();
            pool = {made.first, made.second};
        }
        m_graph.capture_begin({pool[0], pool[1]}, cudaStreamCaptureModeThreadLocal);
        std::exception_ptr fault;
        try {
            work();
        } catch (...) {
            fault = std::current_exception();
        }
        try {
            m_graph.capture_end();
        } catch (...) { // a consequence of what went wrong before
            if (!fault)
                fault = std::current_exception();
        }
        if (fault)
            std::rethrow_exception(fault);
    }

private:
    at::cuda::CUDAGraph m_graph;
};

} // namespace

extern "C" std::shared_ptr<HeadscopeGraph> headscope_graph_record(int device, HeadscopeGraphPool& pool,
                                                                  const std::function<void()>& work)
{
    const auto graph = std::make_shared<Graph>();
    graph->record(device, pool, work);
    return graph;
}
