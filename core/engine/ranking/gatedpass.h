// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One forward and one backward pass of a batch with a gate at each head's output, one layer at a time: between any two
// layers other work may run for any length of time. Worker thread.

#include "core/engine/ranking/marginbatch.h"
#include "core/lm/model.h"

#include <stop_token>
#include <vector>

namespace headscope::engine {

/// Position of one mixer's heads in the list of all heads.
struct GatePlace {
    lm::Site site = lm::Site::Any;
    int heads = 0;
    std::size_t first = 0;
};

/// Returns the places by layer.
[[nodiscard]] std::vector<std::vector<GatePlace>> gatePlaces(const lm::ModelSpec& spec);

/// Returns the sum of lm::graphBytes() over all layers.
[[nodiscard]] std::int64_t graphBytes(const lm::ModelSpec& spec);

/// Data that the passes of one batch share. Everything it points to must outlive them.
struct GatedBatch {
    const lm::Model* model = nullptr;
    const std::vector<std::vector<GatePlace>>* places = nullptr;
    lm::Edits edits;
    std::shared_ptr<const lm::DeviceTree> tree; ///< null: padded prompts
    MarginReading reading;
    at::Tensor embedding; ///< [B, T, D]
};

/// A pass with all gates at the same value. Methods enable gradients where they need them: call them with gradients
/// disabled and outside inference mode.
class GatedPass
{
public:
    /// `budget`: maximum bytes of stored graphs of all layers; beyond that, each layer runs once more in the backward
    /// pass.
    GatedPass(const GatedBatch& batch, double opened, std::int64_t budget);

    /// Runs the next layer, forward or backward. False if stopped before the layer's end: the layer is then repeated.
    [[nodiscard]] bool step(const std::stop_token& stop);
    [[nodiscard]] bool done() const { return m_phase == Phase::Done; }
    /// Returns d margin / d gate of the examples, fp32 [E, heads] on the host; 0 in skipped layers. Call when done.
    [[nodiscard]] const at::Tensor& gradients() const { return m_gradients; }

private:
    enum class Phase { Forward, End, Backward, Done };
    [[nodiscard]] bool forward(const std::stop_token& stop);
    [[nodiscard]] bool backward(const std::stop_token& stop);
    void measureMargins();
    [[nodiscard]] at::Tensor run(const at::Tensor& stream, int layer, const std::stop_token& stop) const;
    [[nodiscard]] std::vector<at::Tensor> addGates(int layer, double opened);

    const GatedBatch& m_batch;
    lm::Edits m_gated;
    std::vector<std::vector<at::Tensor>> m_gates; ///< by layer
    std::vector<at::Tensor> m_inputs, m_outputs;  ///< by layer; outputs only if graphs are stored
    at::Tensor m_stream, m_gradient;
    at::Tensor m_gradients;
    Phase m_phase = Phase::Forward;
    int m_layer = 0;
    bool m_keep;
};

} // namespace headscope::engine
