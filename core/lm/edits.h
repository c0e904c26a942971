// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An ablation set resolved for one model: per layer and site, tensors by which the forward pass multiplies. Worker
// thread.

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

/// Matrix entries of one head (-1: of all) whose query is in one span and whose key is in the other.
struct SpanMask {
    int head = -1;
    PositionSpan queries, keys;
    bool renormalise = false;
    bool beforeSoftmax = false; ///< attention: the rest of the row still sums to 1; a row with nothing left becomes 0
};

/// Values that replace z after every other edit: how activations of one run are patched into another.
struct HeadPatch {
    at::Tensor value; ///< [B or 1, T, H*P]; undefined: none
    at::Tensor where; ///< bool [B or 1, T or 1, H]
};

/// Replaces a head's slice of z by `value`, broadcastable to [B, T, P]. Undefined: the mean over the positions of each
/// sample; engine::Replacements fills in what is taken from other examples.
struct ReplaceHead {
    int head = 0;
    at::Tensor value;
    std::optional<std::uint64_t> resampleSeed;
    bool lastOnly = false;
    std::optional<PositionSpan> span; ///< replace only in this span
    /// For a text that grows: the mean over its first part, [B, 1, P], which the first run leaves here and later ones
    /// use.
    std::shared_ptr<at::Tensor> held{};
};

/// All edits of one mixer. z is the input of the output projection, [B, T, H*P].
struct SiteEdits {
    at::Tensor
        scale; ///< [H] on the host, or [B, H] or [B, T, H]; multiplies every position's slice of z; undefined: all 1
    at::Tensor lastScale;    ///< [H] on the host; the same at the last position only
    at::Tensor preNormScale; ///< [H] on the host; Mamba-2 kinds: multiplies y before gate and norm
    std::vector<ReplaceHead> replace;
    std::optional<interventions::RowMask> lastRow;
    std::vector<EntryMask> entries;
    std::vector<SpanMask> spans;
    std::vector<std::pair<PositionSpan, at::Tensor>> spanScales; ///< [H] on the host; a factor at these positions only
    HeadPatch patch;

    [[nodiscard]] bool empty() const { return !touchesHeads() && !preNormScale.defined() && !touchesMatrix(); }
    /// Returns whether z is edited.
    [[nodiscard]] bool touchesHeads() const { return scale.defined() || !replace.empty() || byPosition(); }
    /// Returns whether edits of z differ between positions or prompts.
    [[nodiscard]] bool byPosition() const
    {
        return lastScale.defined() || !spanScales.empty() || patch.value.defined()
               || std::any_of(replace.begin(), replace.end(),
                              [](const ReplaceHead& one) { return one.lastOnly || one.span; });
    }
    /// Returns whether edits need matrix entries and not only z.
    [[nodiscard]] bool touchesMatrix() const { return lastRow.has_value() || !entries.empty() || !spans.empty(); }
};

/// Exchanges the coordinates of two directions in their span: h + along (across . h). Applied twice it is the identity.
struct Exchange {
    at::Tensor along, across; ///< fp32 [D]
};
/// Returns the exchange of the stream's least-squares coordinates in [first, second], which may be linearly dependent.
[[nodiscard]] Exchange exchangeOf(const at::Tensor& first, const at::Tensor& second);

struct LayerEdits {
    bool skip = false;
    bool skipAttention = false;
    bool skipSsm = false;
    bool skipMlp = false;
    SiteEdits attention;
    SiteEdits ssm;
    std::shared_ptr<const Model> donor; ///< model whose layer of the same index runs in place of this one
    at::Tensor expertScale;             ///< [E] on the host: a factor of each expert's output; undefined: ones
    at::Tensor steer;                   ///< fp32 [D]: added to the stream before the layer; undefined: nothing
    std::vector<Exchange> exchanges;    ///< applied in order to the stream before the layer, before steering

    [[nodiscard]] bool empty() const
    {
        return !skip && !skipAttention && !skipSsm && !skipMlp && attention.empty() && ssm.empty() && !donor
               && !steers() && !expertScale.defined();
    }
    /// Returns whether the layer runs without its mixer there.
    [[nodiscard]] bool skips(Site which) const { return skip || (which == Site::Attention ? skipAttention : skipSsm); }
    /// Returns whether the stream before the layer is changed.
    [[nodiscard]] bool steers() const { return steer.defined() || !exchanges.empty(); }
    [[nodiscard]] const SiteEdits& site(Site which) const { return which == Site::Attention ? attention : ssm; }
    [[nodiscard]] SiteEdits& site(Site which) { return which == Site::Attention ? attention : ssm; }
};

struct Edits {
    std::map<int, LayerEdits> layers; ///< edited layers only
    int layerCount = 0;               ///< layers to run; fewer than the model's for a minimal model

    [[nodiscard]] const LayerEdits* find(int layer) const
    {
        const auto it = layers.find(layer);
        return it == layers.end() ? nullptr : &it->second;
    }
};

/// Returns the stream that a layer with these edits (null: none) reads, [B, T, D]; extra columns beyond the first D are
/// unchanged.
[[nodiscard]] at::Tensor steered(const at::Tensor& stream, const LayerEdits* edits);
/// Returns what steering added to the stream, fp32 [B, T, D], given what the layer reads.
[[nodiscard]] at::Tensor addedBySteering(const at::Tensor& read, const LayerEdits& edits);

/// Loads the donor of `swap:`, supplied by the caller because lm does not know where models are stored, and makes the
/// direction of a `steer:` that names two lists of prompts or a word, because lm does not read prompts.
struct DonorLoader : std::function<Result<std::shared_ptr<const Model>>(const std::string& model)> {
    using function::function;
    std::function<Result<at::Tensor>(const interventions::Steer&)> direction; ///< fp32 [D]; per word of an exchange
};

/// Whether what runs has other examples, from which `L2H5=resample:3` takes the head's output.
enum class Others { None, Examples };

/// Resolves the set for a model; factors of one head multiply. Fails with one sentence for a layer or head that the
/// model does not have, for an edit that is undefined for the mixer's kind, and for edited heads in a layer where
/// checkSameHeads() fails; without other examples also for a head that takes its output from one.
[[nodiscard]] Result<Edits> resolve(const interventions::InterventionSet& set, const ModelSpec& spec,
                                    const DonorLoader& donors = {}, Others others = Others::None);

/// Fails for a layer in whose place another model's runs with other heads: heads are named and read by the spec.
[[nodiscard]] Result<void> checkSameHeads(const Edits& edits, const ModelSpec& spec, int layer);
/// Fails if one of the layers that run is such a layer.
[[nodiscard]] Result<void> checkSameHeads(const Edits& edits, const ModelSpec& spec);

/// Returns the mixer that a head reference refers to, or the sentence that says why it does not exist.
[[nodiscard]] Result<const MixerSpec*> findMixer(const ModelSpec& spec, const interventions::HeadRef& head);

} // namespace headscope::lm
