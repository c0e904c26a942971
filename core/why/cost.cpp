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

Cost costOf(const lm::Model& model, std::int64_t length, int recordings, std::int64_t cells, std::int64_t pairs)
{
    const std::int64_t atOnce = std::clamp<std::int64_t>(cells, 1, cellsAtOnce(model, length));
    return {.runs = pairs * (recordings + cells),
            .bytes = recordings * recordingBytes(model, length) + atOnce * cellBytes(model, length)};
}

Result<void> checkFits(const lm::Model& model, const Cost& cost)
{
    const auto allowed = model.parts().allowed;
    const auto room = allowed ? std::optional(lm::Room{*allowed, true}) : lm::roomOn(model.device(), 0);
    if (!room || cost.bytes <= room->bytes)
        return {};
    return Error{Error::Kind::Memory,
                 "This takes about " + lm::sizeText(cost.bytes) + " beside the model, and " + room->text(model.device())
                     + "; expected a shorter prompt, a smaller type of numbers, or "
                     + (room->isLimit ? "more allowed." : "other programs closed."),
                 {}};
}

} // namespace headscope::why
