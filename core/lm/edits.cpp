// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/edits.h"

#include "core/io/mapping.h"
#include "core/io/safetensors/safetensors.h"
#include "core/lm/device/transfer.h"
#include "core/lm/model.h"

namespace headscope::lm {

using namespace interventions;

namespace {

Error noLayer(int layer, const ModelSpec& spec)
{
    return inputError("There is no layer L" + std::to_string(layer) + "; the model has layers L0 to L"
                      + std::to_string(spec.layers.size() - 1) + ".");
}

Result<void> checkLayer(int layer, const ModelSpec& spec)
{
    if (layer < 0 || layer >= static_cast<int>(spec.layers.size()))
        return noLayer(layer, spec);
    return {};
}

// A tensor of a safetensors file: FILE[NAME].
Result<at::Tensor> readDirection(const std::string& file, const std::string& name)
{
    const auto opened = io::SafetensorsFile::open(file);
    if (!opened.has_value())
        return opened.error();
    const io::TensorInfo* info = (*opened)->find(name);
    if (!info)
        return inputError("The file '" + file + "' has no tensor '" + name + "'.");
    if (info->dtype != io::Dtype::F32)
        return inputError("The tensor '" + name + "' of '" + file + "' has dtype "
                          + std::string(io::dtypeName(info->dtype)) + "; expected F32.");
    at::Tensor tensor = at::empty(info->shape, at::kFloat);
    const auto bytes = (*opened)->bytes(*info);
    std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(tensor.data_ptr()));
    if (const auto intact = io::intact(**opened); !intact.has_value())
        return intact.error();
    if (!at::isfinite(tensor).all().item<bool>())
        return inputError("The tensor '" + name + "' of '" + file + "' contains a number that is not finite.");
    return tensor.squeeze();
}

Result<at::Tensor> directionOf(const Steer& steer, const DonorLoader& donors)
{
    const std::size_t bracket = steer.direction.find_last_of('[');
    if (bracket != std::string::npos && steer.direction.back() == ']')
        return readDirection(steer.direction.substr(0, bracket),
                             steer.direction.substr(bracket + 1, steer.direction.size() - bracket - 2));
    if (!donors.direction)
        return inputError("'" + toText(Intervention(steer))
                          + "' needs prompts, which are not read here; expected FILE[NAME].");
    return donors.direction(steer);
}

/// Collects edits; each visit returns the sentence that says why an intervention does not fit.
class Resolver
{
public:
    Resolver(const ModelSpec& spec, const DonorLoader& donors) : m_spec(spec), m_donors(donors)
    {
        m_edits.layerCount = static_cast<int>(spec.layers.size());
    }

    Result<void> operator()(const EditHead& edit)
    {
        if (edit.head.site == Site::Expert)
            return editExperts(edit);
        const auto mixer = findMixer(m_spec, edit.head);
        if (!mixer.has_value())
            return mixer.error();
        if (edit.preNorm && (*mixer)->kind != MixerKind::Mamba2)
            return inputError("'prenorm:' is defined for Mamba-2 heads only; " + toText(edit.head) + " is "
                              + name((*mixer)->kind) + ".");
        if (edit.shared)
            return everySharer(edit, **mixer);
        SiteEdits& site = m_edits.layers[edit.head.layer].site((*mixer)->site());
        const int heads = (*mixer)->heads;
        const auto apply = [&](int head) {
            if (edit.replacement == Replacement::Mean || edit.replacement == Replacement::Resample) {
                const bool resample = edit.replacement == Replacement::Resample;
                site.replace.push_back(
                    {head, {}, resample ? std::optional(edit.seed) : std::nullopt, edit.lastOnly, edit.span});
                return;
            }
            at::Tensor& scale = edit.span       ? scaleAt(site, *edit.span)
                                : edit.preNorm  ? site.preNormScale
                                : edit.lastOnly ? site.lastScale
                                                : site.scale;
            if (!scale.defined())
                scale = at::ones({heads}, at::kFloat);
            scale[head].mul_(edit.replacement == Replacement::Zero ? 0.0 : edit.factor); // a removed head stays removed
        };
        if (edit.head.head >= 0)
            apply(edit.head.head);
        for (int head = 0; edit.head.head < 0 && head < heads; ++head)
            apply(head);
        return {};
    }

    Result<void> operator()(const KeepHeads& keep)
    {
        if (keep.site == Site::Expert)
            return keepExperts(keep);
        for (const int head : keep.heads)
            if (const auto found = findMixer(m_spec, {keep.layer, keep.site, head}); !found.has_value())
                return found.error();
        const auto mixer = findMixer(m_spec, {keep.layer, keep.site, -1});
        if (!mixer.has_value())
            return mixer.error();
        at::Tensor& kept = m_kept[{keep.layer, (*mixer)->site()}];
        if (!kept.defined())
            kept = at::zeros({(*mixer)->heads}, at::kFloat);
        for (const int head : keep.heads) {
            if (head < 0)
                kept.fill_(1);
            else
                kept[head] = 1;
        }
        return {};
    }

    Result<void> operator()(const MinimalModel& minimal)
    {
        if (const auto fits = checkLayer(minimal.lastLayer, m_spec); !fits.has_value())
            return fits;
        m_edits.layerCount = std::min(m_edits.layerCount, minimal.lastLayer + 1);
        return {};
    }

    Result<void> operator()(const SkipLayer& skip)
    {
        if (const auto fits = checkLayer(skip.layer, m_spec); !fits.has_value())
            return fits;
        const LayerSpec& layer = m_spec.layers[static_cast<std::size_t>(skip.layer)];
        if (skip.site != Site::Any && !layer.find(skip.site))
            return inputError("'" + toText(Intervention(skip)) + "' does not fit: layer L" + std::to_string(skip.layer)
                              + " has no such mixer.");
        if (skip.part == LayerPart::Mlp && !layer.mlp)
            return inputError("'" + toText(Intervention(skip)) + "' does not fit: layer L" + std::to_string(skip.layer)
                              + " has no MLP.");
        LayerEdits& edits = m_edits.layers[skip.layer];
        edits.skip |= skip.part == LayerPart::Whole;
        edits.skipMlp |= skip.part == LayerPart::Mlp;
        if (skip.part == LayerPart::Mixer) {
            edits.skipAttention |= skip.site != Site::Ssm && layer.find(Site::Attention);
            edits.skipSsm |= skip.site != Site::Attention && layer.find(Site::Ssm);
        }
        return {};
    }

    Result<void> operator()(const MaskLastRow& mask)
    {
        if (mask.layer) {
            if (const auto fits = checkLayer(*mask.layer, m_spec); !fits.has_value())
                return fits;
            return maskRow(*mask.layer, mask);
        }
        bool anyAttention = false;
        for (const LayerSpec& layer : m_spec.layers)
            anyAttention |= layer.find(Site::Attention) != nullptr;
        for (int layer = 0; layer < static_cast<int>(m_spec.layers.size()); ++layer) {
            if (anyAttention && !m_spec.layers[static_cast<std::size_t>(layer)].find(Site::Attention))
                continue;
            if (const auto done = maskRow(layer, mask); !done.has_value())
                return done;
        }
        return {};
    }

    Result<void> operator()(const MaskEntry& mask)
    {
        const auto mixer = findMixer(m_spec, mask.head);
        if (!mixer.has_value())
            return mixer.error();
        if (mask.renormalise && (*mixer)->kind != MixerKind::Attention)
            return inputError("'renorm' is defined for attention only; the rows of " + toText(mask.head)
                              + " are not probabilities.");
        m_edits.layers[mask.head.layer]
            .site((*mixer)->site())
            .entries.push_back({mask.sample, mask.head.head, mask.query, mask.key, mask.renormalise});
        return {};
    }

    Result<void> operator()(const MaskSpan& mask)
    {
        if (const auto fits = checkLayer(mask.lastLayer, m_spec); !fits.has_value())
            return fits;
        for (int layer = mask.layer; layer <= mask.lastLayer; ++layer) {
            const LayerSpec& where = m_spec.layers[static_cast<std::size_t>(layer)];
            const Site site = mask.beforeSoftmax && mask.site == Site::Any ? Site::Attention : mask.site;
            if (mask.lastLayer > mask.layer && !where.find(site))
                continue; // of several layers those that have such heads
            if (mask.beforeSoftmax && !where.find(site))
                return inputError("'knock:' is defined for attention only, where a softmax follows; layer L"
                                  + std::to_string(layer)
                                  + " has none. 'mask:' sets entries of an SSM's matrix to zero.");
            const auto mixer = findMixer(m_spec, {layer, site, mask.head});
            if (!mixer.has_value())
                return mixer.error();
            if ((mask.renormalise || mask.beforeSoftmax) && (*mixer)->kind != MixerKind::Attention)
                return inputError("'" + toText(Intervention(mask)) + "' is defined for attention only; layer L"
                                  + std::to_string(layer) + " is " + name((*mixer)->kind) + ".");
            m_edits.layers[layer]
                .site((*mixer)->site())
                .spans.push_back({mask.head, mask.queries, mask.keys, mask.renormalise, mask.beforeSoftmax});
        }
        return {};
    }

    Result<void> operator()(const Steer& steer)
    {
        if (const auto fits = checkLayer(steer.layer, m_spec); !fits.has_value())
            return fits;
        const auto direction = fittingDirection(steer);
        if (!direction.has_value())
            return direction.error();
        at::Tensor& sum = m_edits.layers[steer.layer].steer;
        const at::Tensor added = *direction * steer.factor;
        sum = sum.defined() ? sum + added : added;
        return {};
    }

    Result<void> operator()(const ExchangeWords& exchange)
    {
        if (const auto fits = checkLayer(exchange.layer, m_spec); !fits.has_value())
            return fits;
        const auto first = fittingDirection({exchange.layer, 1.0, "jlens:" + exchange.first}),
                   second = fittingDirection({exchange.layer, 1.0, "jlens:" + exchange.second});
        for (const auto* direction : {&first, &second})
            if (!direction->has_value())
                return direction->error();
        m_edits.layers[exchange.layer].exchanges.push_back(exchangeOf(*first, *second));
        return {};
    }

    Result<void> operator()(const SwapLayer& swap)
    {
        if (const auto fits = checkLayer(swap.layer, m_spec); !fits.has_value())
            return fits;
        if (!m_donors)
            return inputError("'" + toText(Intervention(swap))
                              + "' needs a second model, which is not available here.");
        auto donor = m_donors(swap.model);
        if (!donor.has_value())
            return donor.error();
        const ModelSpec& other = (*donor)->spec();
        if (other.hidden != m_spec.hidden)
            return inputError("Layer L" + std::to_string(swap.layer) + " of '" + swap.model
                              + "' does not fit: its width is " + std::to_string(other.hidden) + ", expected "
                              + std::to_string(m_spec.hidden) + ".");
        if (other.vocabulary != m_spec.vocabulary)
            return inputError("Layer L" + std::to_string(swap.layer) + " of '" + swap.model
                              + "' does not fit: its vocabulary has " + std::to_string(other.vocabulary)
                              + " entries, expected " + std::to_string(m_spec.vocabulary) + ".");
        if (swap.layer >= static_cast<int>(other.layers.size()))
            return noLayer(swap.layer, other);
        m_edits.layers[swap.layer].donor = *donor;
        return {};
    }

    Result<Edits> take()
    {
        for (const auto& [where, kept] : m_kept) {
            at::Tensor& scale = m_edits.layers[where.first].site(where.second).scale;
            scale = scale.defined() ? scale * kept : kept;
        }
        for (const auto& [layer, edits] : m_edits.layers) {
            const bool heads = !edits.attention.empty() || !edits.ssm.empty() || edits.skipAttention || edits.skipSsm;
            if (const auto same = checkSameHeads(m_edits, m_spec, layer); heads && !same.has_value())
                return same.error();
        }
        return std::move(m_edits);
    }

private:
    [[nodiscard]] Result<at::Tensor> fittingDirection(const Steer& steer) const
    {
        auto direction = directionOf(steer, m_donors);
        if (direction.has_value() && (direction->dim() != 1 || direction->size(0) != m_spec.hidden))
            return inputError("The direction of '" + toText(Intervention(steer)) + "' has "
                              + std::to_string(direction->numel()) + " numbers; expected one for each of the width "
                              + std::to_string(m_spec.hidden) + ".");
        return direction;
    }
    // The layer's factors of its experts.
    Result<at::Tensor> expertScale(const HeadRef& expert)
    {
        if (const auto fits = checkLayer(expert.layer, m_spec); !fits.has_value())
            return fits.error();
        const int count = m_spec.layers[static_cast<std::size_t>(expert.layer)].experts;
        if (count == 0 || expert.head >= count)
            return inputError(
                "There is no expert " + toText(expert) + "; layer L" + std::to_string(expert.layer)
                + (count == 0 ? " has no experts." : " has experts 0 to " + std::to_string(count - 1) + "."));
        at::Tensor& scale = m_edits.layers[expert.layer].expertScale;
        if (!scale.defined())
            scale = at::ones({count}, at::kFloat);
        return scale;
    }

    Result<void> editExperts(const EditHead& edit)
    {
        auto scale = expertScale(edit.head);
        if (!scale.has_value())
            return scale.error();
        const bool factor = edit.replacement == Replacement::Zero || edit.replacement == Replacement::Scale;
        if (!factor || edit.lastOnly || edit.preNorm || edit.shared || edit.span)
            return inputError(
                "'" + toText(Intervention(edit))
                + "' does not fit: an expert can only be ablated (L2X5) or scaled (L2X5=scale:0.5), at every "
                  "position.");
        const double value = edit.replacement == Replacement::Zero ? 0.0 : edit.factor;
        (edit.head.head < 0 ? *scale : (*scale)[edit.head.head]).mul_(value);
        return {};
    }

    Result<void> keepExperts(const KeepHeads& keep)
    {
        at::Tensor kept;
        for (const int expert : keep.heads) {
            auto scale = expertScale({keep.layer, keep.site, expert});
            if (!scale.has_value())
                return scale.error();
            if (!kept.defined())
                kept = at::zeros_like(*scale);
            if (expert < 0)
                kept.fill_(1);
            else
                kept[expert] = 1;
        }
        at::Tensor& scale = m_edits.layers[keep.layer].expertScale;
        scale = scale * kept;
        return {};
    }

    static at::Tensor& scaleAt(SiteEdits& site, const PositionSpan& span)
    {
        for (auto& [where, scale] : site.spanScales)
            if (where == span)
                return scale;
        return site.spanScales.emplace_back(span, at::Tensor()).second;
    }

    // The same edit in each layer that uses the shared block of this one.
    Result<void> everySharer(const EditHead& edit, const MixerSpec& mixer)
    {
        if (mixer.sharedBlock < 0)
            return inputError("'" + toText(Intervention(edit)) + "' does not fit: layer L"
                              + std::to_string(edit.head.layer) + " shares its weights with no other layer.");
        for (std::size_t layer = 0; layer < m_spec.layers.size(); ++layer)
            for (const MixerSpec& other : m_spec.layers[layer].mixers) {
                if (other.sharedBlock != mixer.sharedBlock || other.site() != mixer.site())
                    continue;
                EditHead one = edit;
                one.shared = false;
                one.head.layer = static_cast<int>(layer);
                one.head.site = mixer.site();
                if (const auto done = (*this)(one); !done.has_value())
                    return done;
            }
        return {};
    }

    Result<void> maskRow(int layer, const MaskLastRow& mask)
    {
        const LayerSpec& where = m_spec.layers[static_cast<std::size_t>(layer)];
        const MixerSpec* mixer = where.find(mask.site == Site::Any ? Site::Attention : mask.site);
        if (!mixer && mask.site == Site::Any)
            mixer = where.find(Site::Any);
        if (!mixer)
            return inputError("'" + toText(Intervention(mask)) + "' does not fit: layer L" + std::to_string(layer)
                              + " has no such mixer.");
        if (mask.kind == RowMask::SelfRenormalise && mixer->kind != MixerKind::Attention)
            return inputError("'lastrow_self_renorm' is defined for attention only; layer L" + std::to_string(layer)
                              + " is " + name(mixer->kind) + ".");
        SiteEdits& site = m_edits.layers[layer].site(mixer->site());
        site.lastRow = mask.kind;
        return {};
    }

    const ModelSpec& m_spec;
    const DonorLoader& m_donors;
    std::map<std::pair<int, Site>, at::Tensor> m_kept; ///< [H]: 1 for heads of a mixer that some `keep:` names
    Edits m_edits;
};

} // namespace

Result<const MixerSpec*> findMixer(const ModelSpec& spec, const HeadRef& head)
{
    if (const auto fits = checkLayer(head.layer, spec); !fits.has_value())
        return fits.error();
    if (head.site == Site::Expert)
        return inputError(toText(head)
                          + " is an expert, which has no matrix and no slice of z; expected a head such as L"
                          + std::to_string(head.layer) + "H0.");
    const MixerSpec* mixer = spec.layers[static_cast<std::size_t>(head.layer)].find(head.site);
    if (!mixer)
        return inputError("There is no head " + toText(head) + "; layer L" + std::to_string(head.layer) + " has no "
                          + (head.site == Site::Attention ? "attention" : "SSM") + " heads.");
    if (head.head >= mixer->heads)
        return inputError("There is no head " + toText(head) + "; layer L" + std::to_string(head.layer)
                          + " has heads 0 to " + std::to_string(mixer->heads - 1) + ".");
    return mixer;
}

Result<void> checkSameHeads(const Edits& edits, const ModelSpec& spec, int layer)
{
    const LayerEdits* own = edits.find(layer);
    const auto at = static_cast<std::size_t>(layer);
    if (!own || !own->donor || own->skip || spec.layers[at].sameHeads(own->donor->spec().layers[at]))
        return {};
    return inputError("Layer L" + std::to_string(layer)
                      + " is another model's with other heads, which can be neither edited nor analysed here; scores, "
                        "log-probabilities and the lens can be used.");
}

Result<void> checkSameHeads(const Edits& edits, const ModelSpec& spec)
{
    for (int layer = 0; layer < edits.layerCount; ++layer)
        if (auto same = checkSameHeads(edits, spec, layer); !same.has_value())
            return same;
    return {};
}

Exchange exchangeOf(const at::Tensor& first, const at::Tensor& second)
{
    const at::Tensor both = at::stack({first, second}, 1).to(at::kDouble), // [D, 2]
        coordinates = at::linalg_pinv(both, 1e-10);                        // [2, D]
    return {(both.select(1, 0) - both.select(1, 1)).to(at::kFloat), (coordinates[1] - coordinates[0]).to(at::kFloat)};
}

namespace {

// What an exchange adds to a stream, fp32 [.., D].
at::Tensor addedBy(const Exchange& exchange, const at::Tensor& stream)
{
    const at::Tensor along = onDevice(exchange.along, stream.device()),
                     across = onDevice(exchange.across, stream.device());
    return at::matmul(stream.narrow(-1, 0, along.size(0)).to(at::kFloat), across).unsqueeze(-1) * along;
}

} // namespace

at::Tensor steered(const at::Tensor& stream, const LayerEdits* edits)
{
    if (!edits || !edits->steers())
        return stream;
    at::Tensor sum = stream;
    const auto add = [&sum](const at::Tensor& what) {
        const at::Tensor added = what.to(sum.scalar_type());
        const std::int64_t beside = sum.size(-1) - added.size(-1);
        sum = sum + (beside > 0 ? at::constant_pad_nd(added, {0, beside}) : added);
    };
    for (const Exchange& exchange : edits->exchanges)
        add(addedBy(exchange, sum));
    if (edits->steer.defined())
        add(onDevice(edits->steer.to(stream.scalar_type()), stream.device()));
    return sum;
}

at::Tensor addedBySteering(const at::Tensor& read, const LayerEdits& edits)
{
    const std::int64_t width = edits.steer.defined() ? edits.steer.size(0) : edits.exchanges.front().along.size(0);
    const at::Tensor behind = read.narrow(-1, 0, width).to(at::kFloat);
    at::Tensor added = at::zeros_like(behind);
    if (edits.steer.defined())
        added = added + onDevice(edits.steer, behind.device());
    for (auto exchange = edits.exchanges.rbegin(); exchange != edits.exchanges.rend(); ++exchange) {
        const at::Tensor kept = 1 + at::dot(exchange->across, exchange->along); // -1 for independent directions
        added = added + addedBy(*exchange, behind - added) / onDevice(kept, behind.device());
    }
    return added;
}

Result<Edits> resolve(const InterventionSet& set, const ModelSpec& spec, const DonorLoader& donors, Others others)
{
    Resolver resolver(spec, donors);
    for (const Intervention& item : set.items()) {
        const auto* edit = std::get_if<EditHead>(&item);
        if (edit && edit->replacement == Replacement::Resample && others == Others::None)
            return inputError(
                "'" + toText(item)
                + "' takes the head's output on another example, but here each text is run by itself; only "
                  "benchmarks that are scored by likelihood have others.");
        if (const auto done = std::visit(resolver, item); !done.has_value())
            return done.error();
    }
    return resolver.take();
}

} // namespace headscope::lm
