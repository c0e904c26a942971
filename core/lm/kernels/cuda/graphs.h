// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one function of libheadscope_cudagraphs.so, which is looked for at run time once libtorch_cuda.so is in the
// process. Worker thread.

#include <array>
#include <functional>
#include <memory>

class HeadscopeGraph
{
public:
    virtual ~HeadscopeGraph() = default;
    virtual void replay() = 0; ///< on the current stream
};

/// Names the memory that graphs share for what is temporary; zeros: none yet.
using HeadscopeGraphPool = std::array<unsigned long long, 2>;

/// Takes down what `work` asks the device for. Throws what work throws, and c10::Error where something in it cannot be
/// recorded.
extern "C" std::shared_ptr<HeadscopeGraph> headscope_graph_record(int device, HeadscopeGraphPool& pool,
                                                                  const std::function<void()>& work);
