// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/cost.h"

#include "core/lm/device/forecast.h"

#include <algorithm>

namespace headscope::why {

std::int64_t recordingBytes(const lm::Model& model, std::int64_t length)
{
    const lm::ModelSpec& spec = model.spec();
    std::int64_t numbers = (static_cast<std::int64_t>(spec.layers.size()) + 2) * spec.hidden; // and the embedding
    for (const lm::LayerSpec& layer : spec.layers)
        for (const lm::MixerSpec& mixer : layer.mixers)
            numbers += std::int64_t{mixer.heads} * mixer.headDim;
    return numbers * length * static_cast<std::int64_t>(model.parts().embedding.element_size());
}

std::int64_t cellBytes(const lm::Model& model, std::int64_t length)
{
    constexpr std::int64_t kAlive = 8; // tensors of a layer's width that a run holds at once: stream, norm, parts, MLP
    std::int64_t widest = model.spec().hidden;
    for (const lm::LayerSpec& layer : model.spec().layers)
        for (const lm::MixerSpec& mixer : layer.mixers)
            widest = std::max(widest, std::int64_t{mixer.heads} * mixer.headDim);
    return kAlive * length * widest * static_cast<std::int64_t>(model.parts().embedding.element_size());
}

std::int64_t cellsAtOnce(const lm::Model& model, std::int64_t length)
{
    constexpr std::int64_t kBytes = std::int64_t{512} << 20, kMost = 256;
    const auto allowed = model.parts().allowed;
    return std::clamp<std::int64_t>(std::min(kBytes, allowed ? *allowed / 2 : kBytes) / cellBytes(model, length), 1,
                                    kMost);
}

Cost costOf(const lm::Model& model, std::int64_t length, int recordings, std::int64_t cells, std::int64_t pairs)
{
    const std::int64_t atOnce = std::clamp<std::int64_t>(cells, 1, cellsAtOnce(model, length));
    return {.runs = pairs * (recordings + cells),
            .bytes = recordings * recordingBytes(model, length) + atOnce * cellBytes(model, length)};
}

Result<void> checkFits(const lm::Model& model, const Cost& cost)
{
    for (const at::Device& device : model.devices()) {
        const auto room = lm::roomOn(device, model.parts().allowed);
        if (room && cost.bytes > room->bytes)
            return Error{Error::Kind::Memory,
                         "This takes about " + lm::sizeText(cost.bytes) + " beside the model, and " + room->text(device)
                             + "; expected a shorter prompt, a smaller type of numbers, or "
                             + (room->isLimit ? "more allowed." : "other programs closed."),
                         {}};
    }
    return {};
}

} // namespace headscope::why
