// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Interventions on a running model, as plain values with one canonical spelling. Any thread.

#include "core/base/result.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope::interventions {

/// A mixer of a layer. Any: the only one, or in a layer with two the one that the model's spec counts as "H". Expert:
/// one of the MLP's experts, which can be ablated like a head.
enum class Site { Any, Attention, Ssm, Expert };
/// The two mixers of a layer, in the order in which it runs them.
inline constexpr Site kMixerSites[] = {Site::Attention, Site::Ssm};

/// One head, zero-based: `L2H5`; `L2A5` and `L2S5` in layers with two sites; Mamba-1 channels `L35C3186`; experts
/// `L2X5`.
struct HeadRef {
    int layer = 0;
    Site site = Site::Any;
    int head = 0;
    auto operator<=>(const HeadRef&) const = default;
};

/// The replacement of a head's output (its slice of the output projection's input).
enum class Replacement {
    Zero,     ///< the paper's removal
    Mean,     ///< its mean over samples and positions
    Resample, ///< its output on another example, chosen by `seed`
    Scale     ///< its own output times `factor`
};

/// Positions of a prompt, first and last included, from 0.
struct PositionSpan {
    int first = 0;
    int last = 0;
    auto operator<=>(const PositionSpan&) const = default;
};

struct EditHead {
    HeadRef head;
    Replacement replacement = Replacement::Zero;
    std::uint64_t seed = 0;
    double factor = 0.0;
    bool lastOnly = false; ///< only at the last position
    bool preNorm = false;  ///< Mamba-2 kinds: before gate and gated norm (`prenorm:L1H3`)
    bool shared =
        false; ///< Zamba2: in every layer that shares this layer's weights (`shared:L6A3`), as a weight edit would
    std::optional<PositionSpan> span{}; ///< only at these positions (`L2H5@30-36`)
    auto operator<=>(const EditHead&) const = default;
};

/// Turns off all other heads of the given layer and site.
struct KeepHeads {
    int layer = 0;
    Site site = Site::Any;
    std::vector<int> heads; ///< sorted
    auto operator<=>(const KeepHeads&) const = default;
};

/// Layers 0..lastLayer, then the final norm and the head: the paper's minimal model.
struct MinimalModel {
    int lastLayer = 0;
    auto operator<=>(const MinimalModel&) const = default;
};

enum class LayerPart { Whole, Mixer, Mlp };

struct SkipLayer {
    int layer = 0;
    LayerPart part = LayerPart::Whole;
    Site site = Site::Any; ///< for LayerPart::Mixer in a layer with two sites; Any means both
    auto operator<=>(const SkipLayer&) const = default;
};

enum class RowMask {
    Zero,           ///< the last position's row is zero, including its own entry
    Self,           ///< only its own entry stays, with its value
    SelfRenormalise ///< its own entry becomes 1 (attention only)
};

struct MaskLastRow {
    std::optional<int> layer; ///< none: every attention layer, or every layer of a model without attention
    Site site = Site::Any;    ///< in a layer with two sites; Any means attention there
    RowMask kind = RowMask::Zero;
    bool byLength = false; ///< `lastrow_len`: the row of each sample's true length (given by the batch)
    auto operator<=>(const MaskLastRow&) const = default;
};

/// One entry of a head's matrix set to zero after the softmax.
struct MaskEntry {
    HeadRef head;
    int query = 0;
    int key = 0;
    bool renormalise = false;
    int sample = -1; ///< -1: every sample of the batch
    auto operator<=>(const MaskEntry&) const = default;
};

/// Positions that stop reading others: entries whose query is in one span and whose key is in the other
/// (`mask:L2-4H*[q=30-36,k=3-5]`, `knock:`).
struct MaskSpan {
    int layer = 0;
    int lastLayer = 0; ///< every layer up to this one
    Site site = Site::Any;
    int head = -1; ///< -1: all
    PositionSpan queries, keys;
    bool beforeSoftmax = false; ///< `knock:`, attention only: the rest of the row sums to 1 (Geva et al. 2023)
    bool renormalise = false;   ///< after the softmax, attention only
    auto operator<=>(const MaskSpan&) const = default;
};

/// A direction added to the stream before a layer (`steer:L2*2.5=FILE[NAME]`, `steer:L2=A-B`,
/// `steer:L2=jlens:WORD`).
struct Steer {
    int layer = 0;
    double factor = 1.0;
    std::string direction; ///< a tensor of a safetensors file, two lists of prompts whose mean difference it is, or a
                           ///< word of the model's Jacobian lens
    auto operator<=>(const Steer&) const = default;
};

/// Exchanges two words of the model's Jacobian lens in the stream before a layer (`swap:L2=jlens:ONE,OTHER`).
struct ExchangeWords {
    int layer = 0;
    std::string first, second; ///< in alphabetical order; the operation is symmetric
    auto operator<=>(const ExchangeWords&) const = default;
};

/// Replaces the layer by the same layer of another model.
struct SwapLayer {
    int layer = 0;
    std::string model;
    auto operator<=>(const SwapLayer&) const = default;
};

using Intervention = std::variant<EditHead, KeepHeads, MinimalModel, SkipLayer, MaskLastRow, MaskEntry, SwapLayer,
                                  MaskSpan, Steer, ExchangeWords>;

/// Returns "L2H5", with A or S if the site is given.
[[nodiscard]] std::string toText(const HeadRef& head);
[[nodiscard]] std::string toText(const Intervention& intervention);

/// An ablation set: sorted, without duplicates. Its canonical text is its identity everywhere.
class InterventionSet
{
public:
    InterventionSet() = default;
    explicit InterventionSet(std::vector<Intervention> items);

    /// Parses the notation of the command line; several items may be joined by spaces. An empty text is the empty set.
    [[nodiscard]] static Result<InterventionSet> parse(std::string_view text);
    [[nodiscard]] static Result<InterventionSet> parse(std::span<const std::string> texts);

    [[nodiscard]] const std::vector<Intervention>& items() const { return m_items; }
    [[nodiscard]] bool empty() const { return m_items.empty(); }
    [[nodiscard]] std::string canonical() const; ///< items joined by one space; "" for the empty set
    /// Returns how many of the first layers can affect results: a minimal model needs only those it names. 0: all.
    [[nodiscard]] int layersNeeded() const;
    bool operator==(const InterventionSet&) const = default;

private:
    std::vector<Intervention> m_items;
};

/// Parses one head, as in `--head L2H5`.
[[nodiscard]] Result<HeadRef> parseHead(std::string_view text);
/// Parses several heads: `L1H0-3`, `L1H0,2,7`. `L1H*` gives one entry with head -1.
[[nodiscard]] Result<std::vector<HeadRef>> parseHeads(std::string_view text);

} // namespace headscope::interventions
