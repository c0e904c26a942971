// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The layers of one batch, recorded on their second run and replayed from then on: on a GPU a replay is one launch,
// whereas a layer's operations are hundreds. Worker thread.

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace headscope::lm {

/// Device work that was recorded and can be repeated as a whole.
class Recording
{
public:
    virtual ~Recording() = default;
    virtual void replay() = 0;
};

/// Records the device work that `work` issues, without executing it; `work` may be kept. Throws if the work cannot be
/// recorded.
using Recorder = std::function<std::unique_ptr<Recording>(const std::function<void()>& work)>;

/// State that the batches of a workload share.
struct GraphPool {
    Recorder record;
    at::Tensor buffer; ///< as large as the largest batch's stream: recorded layers read and write it
    int left = 512;    ///< recordings that may still be made: each uses some device memory
    int made = 0;
    std::int64_t replays = 0;
    std::string fault; ///< why recording stopped; empty: no error
};

class LayerGraphs
{
public:
    /// Maps stream to stream; must not refer to anything that is destroyed before the recordings are replayed.
    using Forward = std::function<at::Tensor(const at::Tensor& stream)>;

    explicit LayerGraphs(std::shared_ptr<GraphPool> pool) : m_pool(std::move(pool)) {}

    /// Returns the stream after a layer without edits. The next call overwrites it.
    [[nodiscard]] at::Tensor run(int layer, bool rowsOnly, const at::Tensor& stream, const Forward& forward);

private:
    struct Entry {
        bool ran = false; ///< ran once unrecorded: libraries initialize, index tensors are made
        std::unique_ptr<Recording> recording;
        at::Tensor out; ///< output of a replay
    };
    std::shared_ptr<GraphPool> m_pool;
    std::map<std::pair<int, bool>, Entry> m_entries;
};

} // namespace headscope::lm
