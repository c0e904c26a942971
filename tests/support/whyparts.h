// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Parts and ways of a model as the tests of analyses go through them, whatever its family.

#include "core/why/paths/patching.h"
#include "core/why/paths/paths.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace headscope::testing {

/// Every head of a layer (the first `most` of a site), every mixer and MLP that writes, and the stream, at some
/// positions, each as a set of its own.
inline std::vector<why::PatchSet> everyPart(const lm::Model& model, const lm::Edits& base, int most,
                                            std::optional<why::PositionSpan> positions)
{
    using why::PatchPart;
    using why::Site;
    std::vector<why::PatchSet> sets;
    for (int layer = 0; layer < base.layerCount; ++layer) {
        for (const lm::MixerSpec& mixer : model.spec().layers[static_cast<std::size_t>(layer)].mixers)
            for (int head = 0; head < std::min(mixer.heads, most); ++head)
                sets.push_back({{PatchPart::Head, layer, mixer.site(), head, positions}});
        sets.push_back({{PatchPart::Stream, layer, Site::Any, -1, positions}});
        sets.push_back({{PatchPart::Mixer, layer, Site::Any, -1, positions}});
        if (model.parts().blocks[static_cast<std::size_t>(layer)]->mlpWrites())
            sets.push_back({{PatchPart::Mlp, layer, Site::Any, -1, positions}});
    }
    return sets;
}

/// The change of a sender on its way to all that read it. A head that reads through all of its parts is one receiver.
inline why::Route toAllReaders(const lm::Model& model, const lm::Edits& base, const why::Sender& sender,
                               const at::Tensor& change)
{
    std::map<std::tuple<int, why::Site, int>, unsigned> parts;
    for (const why::Receiver& one : receiversBehind(model, base, sender))
        parts[{one.layer, one.site, one.head}] |= one.parts;
    why::Route route{change, {}};
    for (const auto& [where, bits] : parts)
        route.receivers.push_back({std::get<0>(where), std::get<1>(where), std::get<2>(where), bits});
    return route;
}

/// The sender itself, as what is patched.
inline why::PatchSet patchOf(const why::Sender& sender)
{
    if (sender.layer < 0)
        return {{why::PatchPart::Stream, 0}};
    return {{sender.head < 0 ? why::PatchPart::Mlp : why::PatchPart::Head, sender.layer, sender.site, sender.head}};
}

} // namespace headscope::testing
