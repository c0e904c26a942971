// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One forward and one backward pass of a batch with a gate at the output of each head, a layer at a time: between any
// two layers other work may be done, for as long as one likes. Worker thread.

#include "core/engine/ranking/marginbatch.h"
#include "core/lm/model.h"

#include <stop_token>
#include <vector>

namespace headscope::engine {

/// Where one mixer's heads are in the list of all heads.
struct GatePlace {
    lm::Site site = lm::Site::Any;
    int heads = 0;
    std::size_t first = 0;
};

/// By layer.
[[nodiscard]] std::vector<std::vector<GatePlace>> gatePlaces(const lm::ModelSpec& spec);

/// lm::graphBytes() of all layers.
[[nodiscard]] std::int64_t graphBytes(const lm::ModelSpec& spec);

/// What the passes of one batch have alike. What it points to outlives them.
struct GatedBatch {
    const lm::Model* model = nullptr;
    const std::vector<std::vector<GatePlace>>* places = nullptr;
    lm::Edits edits;
    std::shared_ptr<const lm::DeviceTree> tree; ///< null: padded texts
    MarginReading reading;
    at::Tensor embedding; ///< [B, T, D]
};

/// All gates are at one number. Every method without a gradient mode of its own: where it is called graphs are off,
/// and inference mode too.
class GatedPass
{
public:
    /// `budget`: bytes of the graphs of all layers up to which they are kept; beyond, each layer runs once more on the
    /// way back.
    GatedPass(const GatedBatch& batch, double opened, std::int64_t budget);

    /// The next layer, forth or back. False when it was stopped before its end: then it is done again.
    [[nodiscard]] bool step(const std::stop_token& stop);
    [[nodiscard]] bool done() const { return m_way == Way::Done; }
    /// d margin / d gate of the examples, fp32 [E, heads] on the host; 0 in layers that are left out. Once it is done.
    [[nodiscard]] const at::Tensor& gradients() const { return m_gradients; }

private:
    enum class Way { Forth, End, Back, Done };
    [[nodiscard]] bool forth(const std::stop_token& stop);
    [[nodiscard]] bool back(const std::stop_token& stop);
    void atTheEnd();
    [[nodiscard]] at::Tensor run(const at::Tensor& stream, int layer, const std::stop_token& stop) const;
    [[nodiscard]] std::vector<at::Tensor> addGates(int layer, double opened);

    const GatedBatch& m_batch;
    lm::Edits m_gated;
    std::vector<std::vector<at::Tensor>> m_gates; ///< by layer
    std::vector<at::Tensor> m_inputs, m_outputs;  ///< by layer; the latter where graphs are kept
    at::Tensor m_stream, m_gradient;
    at::Tensor m_gradients;
    Way m_way = Way::Forth;
    int m_layer = 0;
    bool m_keep;
};

} // namespace headscope::engine
