// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An ablation set resolved against one model: per layer and site, tensors that the forward pass multiplies with.
// Worker thread.

#include "core/base/result.h"
#include "core/interventions/intervention.h"
#include "core/lm/spec.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::lm {

class Model;
using interventions::PositionSpan;

struct EntryMask {
    int sample = -1; ///< -1: all
    int head = 0;
    int query = 0;
    int key = 0;
    bool renormalise = false;
};

/// Entries of one head (-1: of all) whose query lies in one span and whose key lies in the other.
struct SpanMask {
    int head = -1;
    PositionSpan queries, keys;
    bool renormalise = false;
    bool beforeSoftmax = false; ///< attention: what remains of the row sums to 1; a row of which nothing remains is 0
};

/// z taken from elsewhere, after every other edit: how activations of one run are put into another.
struct HeadPatch {
    at::Tensor value; ///< [B or 1, T, H*P]; undefined: none
    at::Tensor where; ///< bool [B or 1, T or 1, H]
};

/// A head's slice of z replaced by `value`, broadcastable to [B, T, P]. Undefined: taken from this very batch, as the
/// mean over samples and positions, or with a seed from another sample.
struct ReplaceHead {
    int head = 0;
    at::Tensor value;
    std::optional<std::uint64_t> resampleSeed;
    bool lastOnly = false;
    std::optional<PositionSpan> span; ///< only there
};

/// Everything done to one mixer. z is the tensor that the output projection reads, [B, T, H*P].
struct SiteEdits {
    at::Tensor
        scale; ///< [H] on the host, or [B, H] or [B, T, H]; multiplies every position's slice of z; undefined: all 1
    at::Tensor lastScale;    ///< [H] on the host; the same at the last position only
    at::Tensor preNormScale; ///< [H] on the host; Mamba-2 kinds: multiplies y before gate and norm
    std::vector<ReplaceHead> replace;
    std::optional<interventions::RowMask> lastRow;
    std::vector<EntryMask> entries;
    std::vector<SpanMask> spans;
    std::vector<std::pair<PositionSpan, at::Tensor>> spanScales; ///< [H] on the host; the same at these positions only
    HeadPatch patch;

    [[nodiscard]] bool empty() const { return !touchesHeads() && !preNormScale.defined() && !touchesMatrix(); }
    /// Edits of z.
    [[nodiscard]] bool touchesHeads() const { return scale.defined() || !replace.empty() || byPosition(); }
    /// Edits of z that are not the same at every position of every text.
    [[nodiscard]] bool byPosition() const
    {
        return lastScale.defined() || !spanScales.empty() || patch.value.defined()
               || std::any_of(replace.begin(), replace.end(),
                              [](const ReplaceHead& one) { return one.lastOnly || one.span; });
    }
    /// Edits that need matrix entries and not only z.
    [[nodiscard]] bool touchesMatrix() const { return lastRow.has_value() || !entries.empty() || !spans.empty(); }
};

/// Exchanges the coordinates of two directions in their span: h + along (across . h). Twice is the identity.
struct Exchange {
    at::Tensor along, across; ///< fp32 [D]
};
/// The least-squares coordinates of the stream in [first, second], which may be dependent, change places.
[[nodiscard]] Exchange exchangeOf(const at::Tensor& first, const at::Tensor& second);

struct LayerEdits {
    bool skip = false;
    bool skipAttention = false;
    bool skipSsm = false;
    bool skipMlp = false;
    SiteEdits attention;
    SiteEdits ssm;
    std::shared_ptr<const Model> donor; ///< this layer is run by the donor's layer of the same index
    at::Tensor expertScale;             ///< [E] on the host: a factor of each expert's output; undefined: ones
    at::Tensor steer;                   ///< fp32 [D]: added to the stream before the layer; undefined: nothing
    std::vector<Exchange> exchanges;    ///< in the stream before the layer, one after the other, before it is steered

    [[nodiscard]] bool empty() const
    {
        return !skip && !skipAttention && !skipSsm && !skipMlp && attention.empty() && ssm.empty() && !donor
               && !steers() && !expertScale.defined();
    }
    /// Whether the stream before the layer is changed.
    [[nodiscard]] bool steers() const { return steer.defined() || !exchanges.empty(); }
    [[nodiscard]] const SiteEdits& site(Site which) const { return which == Site::Attention ? attention : ssm; }
    [[nodiscard]] SiteEdits& site(Site which) { return which == Site::Attention ? attention : ssm; }
};

struct Edits {
    std::map<int, LayerEdits> layers; ///< touched layers only
    int layerCount = 0;               ///< layers to run; fewer than the model's for a minimal model

    [[nodiscard]] const LayerEdits* find(int layer) const
    {
        const auto it = layers.find(layer);
        return it == layers.end() ? nullptr : &it->second;
    }
};

/// The stream as a layer with these edits (null: none) reads it, [B, T, D]; columns that are carried beside the first D
/// stay as they are.
[[nodiscard]] at::Tensor steered(const at::Tensor& stream, const LayerEdits* edits);
/// What that added to it, fp32 [B, T, D], from what the layer reads.
[[nodiscard]] at::Tensor addedBySteering(const at::Tensor& read, const LayerEdits& edits);

/// Loads the donor of `swap:`; given by the caller, because lm does not know where models live. And makes the direction
/// of a `steer:` that names two lists of prompts or a word, because lm does not read prompts.
struct DonorLoader : std::function<Result<std::shared_ptr<const Model>>(const std::string& model)> {
    using function::function;
    std::function<Result<at::Tensor>(const interventions::Steer&)> direction; ///< fp32 [D]; of each word of an exchange
};

/// Fails with one sentence for a layer or head that the model does not have, and for an edit that is not defined on the
/// mixer's kind.
[[nodiscard]] Result<Edits> resolve(const interventions::InterventionSet& set, const ModelSpec& spec,
                                    const DonorLoader& donors = {});

/// The mixer that a head reference means, or the sentence that says why there is none.
[[nodiscard]] Result<const MixerSpec*> findMixer(const ModelSpec& spec, const interventions::HeadRef& head);

} // namespace headscope::lm
