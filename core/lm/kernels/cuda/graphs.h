// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one function of libheadscope_cudagraphs.so, which is searched for at run time once libtorch_cuda.so is loaded.
// Worker thread.

#include <array>
#include <functional>
#include <memory>

class HeadscopeGraph
{
public:
    virtual ~HeadscopeGraph() = default;
    virtual void replay() = 0; ///< on the current stream
};

/// Identifies the memory pool that graphs share for temporary tensors; zeros: none yet.
using HeadscopeGraphPool = std::array<unsigned long long, 2>;

/// Records the device work that `work` issues. Throws whatever `work` throws, and c10::Error if it cannot be
/// recorded.
extern "C" std::shared_ptr<HeadscopeGraph> headscope_graph_record(int device, HeadscopeGraphPool& pool,
                                                                  const std::function<void()>& work);
