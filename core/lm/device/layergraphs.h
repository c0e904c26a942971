// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The layers of one batch, recorded when they are run a second time and replayed from then on: on a GPU a replay is one
// launch, where the layer's operations are hundreds. Worker thread.

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace headscope::lm {

/// Work that was asked of a device and can be asked for again as a whole.
class Recording
{
public:
    virtual ~Recording() = default;
    virtual void replay() = 0;
};

/// Takes down what `work` asks the device for, without doing it; work may be kept. Throws where that cannot be taken
/// down.
using Recorder = std::function<std::unique_ptr<Recording>(const std::function<void()>& work)>;

/// What the batches of a workload share.
struct GraphPool {
    Recorder record;
    at::Tensor buffer; ///< numbers of the largest batch's stream: what recorded layers read and write
    int left = 512;    ///< recordings that may still be made: each costs some memory of the device
    int made = 0;
    std::int64_t replays = 0;
    std::string fault; ///< why nothing is recorded any more; empty: nothing went wrong
};

class LayerGraphs
{
public:
    /// From stream to stream; refers to nothing that is gone when the recordings are replayed.
    using Forward = std::function<at::Tensor(const at::Tensor& stream)>;

    explicit LayerGraphs(std::shared_ptr<GraphPool> pool) : m_pool(std::move(pool)) {}

    /// The stream after a layer without edits. It lies where the next call writes.
    [[nodiscard]] at::Tensor run(int layer, bool rowsOnly, const at::Tensor& stream, const Forward& forward);

private:
    struct Entry {
        bool ran = false; ///< once as it is: libraries set themselves up, index tensors are made
        std::unique_ptr<Recording> recording;
        at::Tensor out; ///< what a replay writes
    };
    std::shared_ptr<GraphPool> m_pool;
    std::map<std::pair<int, bool>, Entry> m_entries;
};

} // namespace headscope::lm
