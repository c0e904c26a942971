// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/paths/patching.h"

#include "core/lm/device/transfer.h"
#include "core/why/cost.h"
#include "core/why/paths/patchedmatrix.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace headscope::why {

namespace {

std::string patchedName(int layer)
{
    return "L" + std::to_string(layer);
}

// The lowest layer in which something is put in.
int firstLayer(const PatchSet& set)
{
    int first = std::numeric_limits<int>::max();
    for (const PatchPoint& point : set)
        first = std::min(first, point.layer);
    return first;
}

// The only site of a block that takes its heads' outputs, where it ran.
std::optional<Site> onlySite(const Recording& run, int layer)
{
    for (const Site site : interventions::kMixerSites)
        if (run.z.contains({layer, site}))
            return site;
    return {};
}

// Whether the set's first layer reads what it reads in `into`, so that its run goes on from the heads' outputs.
bool beginsWithHeads(const PatchSet& set, const LayerRun& run, const Recording& into)
{
    const int first = firstLayer(set);
    return first < into.layers() && run.block(first).acceptsHeads() && onlySite(into, first)
           && std::all_of(set.begin(), set.end(), [first](const PatchPoint& point) {
                  return point.layer != first || point.part == PatchPart::Head || point.part == PatchPart::Mixer;
              });
}

/// Some sets side by side, in the order in which they begin: each joins the others where it begins, [C, T, D].
class PatchedBatch
{
public:
    PatchedBatch(LayerRun run, const Recording& into, const Recording& from, std::span<const PatchSet> sets)
        : m_plain(run), m_run(std::move(run)), m_into(into), m_from(from), m_sets(sets)
    {
    }

    at::Tensor logits(const std::stop_token& stop)
    {
        at::Tensor stream;
        for (int layer = firstLayer(m_sets.front()); layer < m_into.layers(); ++layer) {
            if (stop.stop_requested())
                return {};
            stream = joined(stream, m_into.streams[static_cast<std::size_t>(layer)], withStream(layer));
            if (stream.defined())
                stream = behind(put(stream, layer), layer);
            stream = withHeads(stream, layer);
        }
        const int end = m_into.layers();
        stream = put(joined(stream, m_into.streams[static_cast<std::size_t>(end)], withStream(end)), end);
        return m_run.toLogits(stream, m_into.layers(), stop);
    }

    // A head's matrix in the only run, [1, T, T].
    at::Tensor matrix(const Where& where, int head, const std::stop_token& stop)
    {
        const int first = std::min(firstLayer(m_sets.front()), where.first);
        m_running = 1;
        at::Tensor stream = m_into.streams[static_cast<std::size_t>(first)];
        for (int layer = first; layer < where.first; ++layer) {
            if (stop.stop_requested())
                return {};
            stream = behind(put(stream, layer), layer);
        }
        lm::Capture capture;
        lm::SiteCapture& wanted = capture.sites[where];
        wanted.wantMatrix = wanted.matrixOnly = true;
        wanted.heads = {head};
        stream = put(stream, where.first);
        (void)m_run.step(stream, where.first, m_run.edits(where.first), &capture);
        return wanted.matrix.select(1, 0);
    }

private:
    // How many sets run in a layer from its stream on.
    std::size_t withStream(int layer) const
    {
        return countWhile([&](const PatchSet& set) {
            return firstLayer(set) < layer || (firstLayer(set) == layer && !beginsWithHeads(set, m_plain, m_into));
        });
    }

    template <typename Begun> std::size_t countWhile(const Begun& begun) const
    {
        return static_cast<std::size_t>(
            std::distance(m_sets.begin(), std::find_if_not(m_sets.begin(), m_sets.end(), begun)));
    }

    // The next sets, up to `running` of them, behind those that run already. Behind the last layer only the last
    // position may be there. first: [1 or more, T, D].
    at::Tensor joined(const at::Tensor& stream, const at::Tensor& first, std::size_t running)
    {
        const auto more = static_cast<std::int64_t>(running - m_running);
        m_running = running;
        if (more == 0)
            return stream;
        const at::Tensor begin = first.expand({more, -1, -1});
        if (!stream.defined())
            return begin.contiguous();
        if (m_embeddings.defined()) {
            m_embeddings = at::cat({m_embeddings, m_into.embedding.expand({more, -1, -1})});
            m_run = m_run.with(m_embeddings);
        }
        const std::int64_t length = std::min(stream.size(1), begin.size(1));
        return at::cat({atEnd(stream, length), atEnd(begin, length)});
    }

    // The sets that begin with the layer's heads.
    at::Tensor withHeads(const at::Tensor& stream, int layer)
    {
        const std::size_t running = countWhile([&](const PatchSet& set) { return firstLayer(set) <= layer; });
        if (running == m_running)
            return stream;
        const Where place{layer, *onlySite(m_into, layer)};
        const int count = m_run.mixer(layer, place.second).heads;
        const at::Tensor where = heads(layer, place.second, count, {m_running, running}).unsqueeze(-1); // [C, T, H, 1]
        const auto apart = [&](const Recording& run) { return run.z.at(place).unflatten(2, {count, -1}); };
        const at::Tensor z = at::where(where, apart(m_from), apart(m_into)).flatten(2);
        const at::Tensor begin = m_into.streams[static_cast<std::size_t>(layer)].expand({z.size(0), -1, -1});
        return joined(stream, m_plain.headsToLogits(begin, z, layer), running);
    }

    // The last `count` positions of [., T, ...].
    static at::Tensor atEnd(const at::Tensor& x, std::int64_t count) { return x.narrow(1, x.size(1) - count, count); }

    // What a layer reads, with the other run's stream where that is patched.
    at::Tensor put(const at::Tensor& stream, int layer)
    {
        const at::Tensor here = positions(PatchPart::Stream, layer);
        if (!here.defined())
            return stream;
        if (layer == 0) { // what Zamba2's shared blocks read besides is this very stream
            m_embeddings = at::where(here.unsqueeze(-1), m_from.embedding, m_into.embedding);
            m_run = m_run.with(m_embeddings);
        }
        const at::Tensor& other = m_from.streams[static_cast<std::size_t>(layer)];
        const std::int64_t length = std::min(stream.size(1), other.size(1));
        return at::where(atEnd(here, length).unsqueeze(-1), atEnd(other, length), atEnd(stream, length));
    }

    [[nodiscard]] std::int64_t running() const { return static_cast<std::int64_t>(m_running); }

    struct Rows {
        std::size_t first = 0, end = 0;
        [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(end - first); }
    };

    // bool [C, T]; undefined: no set has this part of this layer.
    at::Tensor positions(PatchPart part, int layer) const
    {
        at::Tensor mask;
        for (std::size_t i = 0; i < m_running; ++i)
            for (const PatchPoint& point : m_sets[i]) {
                if (point.part != part || point.layer != layer)
                    continue;
                if (!mask.defined())
                    mask = at::zeros({running(), m_into.length()}, at::kBool);
                fill(mask[static_cast<std::int64_t>(i)], point);
            }
        return mask.defined() ? lm::onDevice(mask, m_into.ids.device()) : mask;
    }

    // Sets `row` [T] or [T, ...] where the point is.
    void fill(at::Tensor row, const PatchPoint& point) const
    {
        const PositionSpan all{0, static_cast<int>(m_into.length()) - 1};
        const PositionSpan span = point.positions.value_or(all);
        row.narrow(0, span.first, span.last - span.first + 1).fill_(true);
    }

    // Where heads of a site are patched in some sets: bool [C, T, H]; undefined: nowhere. A mixer is all heads that
    // write.
    at::Tensor heads(int layer, Site site, std::int64_t count, const Rows& rows) const
    {
        at::Tensor mask;
        for (std::size_t i = rows.first; i < rows.end; ++i)
            for (const PatchPoint& point : m_sets[i]) {
                const bool mixer = point.part == PatchPart::Mixer && m_run.block(layer).writes(site);
                const bool head = point.part == PatchPart::Head && point.site == site;
                if (point.layer != layer || (!mixer && !head))
                    continue;
                if (!mask.defined())
                    mask = at::zeros({rows.count(), m_into.length(), count}, at::kBool);
                const at::Tensor own = mask[static_cast<std::int64_t>(i - rows.first)];
                fill(head && point.head >= 0 ? own.select(1, point.head) : own, point);
            }
        return mask.defined() ? lm::onDevice(mask, m_into.ids.device()) : mask;
    }

    at::Tensor behind(const at::Tensor& stream, int layer) const
    {
        lm::LayerEdits edits = m_run.edits(layer);
        for (const Site site : interventions::kMixerSites) {
            const auto z = m_from.z.find({layer, site});
            if (z == m_from.z.end())
                continue;
            const int count = m_run.mixer(layer, site).heads;
            if (const at::Tensor where = heads(layer, site, count, {0, m_running}); where.defined())
                edits.site(site).patch = {z->second, where};
        }
        const at::Tensor mlp = positions(PatchPart::Mlp, layer);
        if (!mlp.defined())
            return m_run.stepToLogits(stream, layer, edits);
        // What the donor's MLP wrote, behind the mixer of this run.
        const at::Tensor donor = m_from.streams[static_cast<std::size_t>(layer)];
        const at::Tensor change = m_run.with(m_from.embedding).mlpWrite(donor, layer, m_run.edits(layer))
                                  - m_run.mlpWrite(stream, layer, edits);
        return m_run.step(stream, layer, edits, nullptr, change.masked_fill(mlp.logical_not().unsqueeze(-1), 0));
    }

    LayerRun m_plain; ///< of `into`
    LayerRun m_run;
    const Recording& m_into;
    const Recording& m_from;
    std::span<const PatchSet> m_sets;
    std::size_t m_running = 0; ///< sets whose first layer has come
    at::Tensor m_embeddings;   ///< [C, T, D] where they differ
};

// Whether what a point puts in is what is there, bit for bit.
bool changesNothing(const PatchPoint& point, const LayerRun& run, const Recording& into, const Recording& from)
{
    std::int64_t first = point.positions ? point.positions->first : 0;
    std::int64_t count = point.positions ? point.positions->last - first + 1 : into.length();
    if (point.part == PatchPart::Stream && point.layer == into.layers()) { // the norm reads the last position alone
        if (first + count < into.length())
            return true;
        first = into.streams.back().size(1) - 1;
        count = 1;
    }
    const auto same = [&](const at::Tensor& a, const at::Tensor& b) {
        return at::equal(a.narrow(1, first, count), b.narrow(1, first, count));
    };
    const auto layer = static_cast<std::size_t>(point.layer);
    if (point.part == PatchPart::Stream)
        return same(into.streams[layer], from.streams[layer]);
    for (const Site site : interventions::kMixerSites) {
        const auto a = into.z.find({point.layer, site}), b = from.z.find({point.layer, site});
        if (a == into.z.end() || b == from.z.end() || (point.part == PatchPart::Head && point.site != site)
            || (point.part == PatchPart::Mixer && !run.block(point.layer).writes(site)))
            continue;
        if (point.head >= 0 && run.block(point.layer).acceptsHeads()
            && isPruned(run.block(point.layer), site, point.head))
            continue;
        const std::int64_t width =
            point.head >= 0 ? a->second.size(2) / run.mixer(point.layer, site).heads : a->second.size(2);
        const std::int64_t column = std::max(point.head, 0) * width;
        if (!same(a->second.narrow(2, column, width), b->second.narrow(2, column, width)))
            return false;
    }
    // An MLP reads what its layer read and what the mixers wrote, position by position.
    return point.part != PatchPart::Mlp || same(into.streams[layer], from.streams[layer]);
}

} // namespace

Result<void> check(const PatchPoint& point, const lm::Model& model, const lm::Edits& base, std::int64_t length)
{
    const int last = base.layerCount - (point.part == PatchPart::Stream ? 0 : 1);
    if (point.layer < 0 || point.layer > last)
        return inputError("There is no layer " + patchedName(point.layer) + " to patch; expected L0 to "
                          + patchedName(last) + ".");
    if (point.positions
        && (point.positions->first < 0 || point.positions->last >= length
            || point.positions->first > point.positions->last))
        return inputError("There is no position " + std::to_string(point.positions->last) + " to patch; expected 0 to "
                          + std::to_string(length - 1) + ".");
    if (point.part == PatchPart::Stream)
        return {};
    const lm::LayerEdits* edits = base.find(point.layer);
    const lm::LayerSpec& spec = model.spec().layers[static_cast<std::size_t>(point.layer)];
    const lm::Block& block =
        *(edits && edits->donor ? *edits->donor : model).parts().blocks[static_cast<std::size_t>(point.layer)];
    if (edits && edits->skip)
        return inputError("Layer " + patchedName(point.layer)
                          + " is skipped by the ablation; expected a layer that runs.");
    if (edits && point.part == PatchPart::Mlp && edits->skipMlp)
        return inputError("The MLP of layer " + patchedName(point.layer)
                          + " is skipped by the ablation; expected one that runs.");
    if (point.part == PatchPart::Mlp && !block.mlpWrites())
        return inputError("Layer " + patchedName(point.layer)
                          + " has no MLP that writes into the stream; its mixer and its heads can be patched.");
    if (point.part == PatchPart::Mlp)
        return {};
    if (auto same = lm::checkSameHeads(base, model.spec(), point.layer);
        !same.has_value() || point.part == PatchPart::Mixer)
        return same;
    const lm::MixerSpec* mixer = spec.find(point.site);
    if (point.site == Site::Any || !mixer || point.head >= mixer->heads)
        return inputError("Layer " + patchedName(point.layer) + " has no such head to patch.");
    if (edits && (point.site == Site::Attention ? edits->skipAttention : edits->skipSsm))
        return inputError("The mixer of layer " + patchedName(point.layer)
                          + " is skipped by the ablation; expected one that runs.");
    return {};
}

Result<void> checkPair(const Recording& into, const Recording& from)
{
    return checkLengths(from.length(), into.length());
}

Result<at::Tensor> patchedLogits(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                 const Recording& from, std::span<const PatchSet> sets, const Control& control)
{
    if (const auto alike = checkPair(into, from); !alike.has_value())
        return alike.error();
    for (const PatchSet& set : sets)
        for (const PatchPoint& point : set)
            if (const auto fits = check(point, model, base, into.length()); !fits.has_value())
                return fits.error();
    const LayerRun run(model, base, into.embedding);
    const auto atOnce = static_cast<std::size_t>(cellsAtOnce(model, into.length()));
    std::vector<std::int64_t> place; // of those that change something; of all others the logits are known
    for (std::size_t i = 0; i < sets.size(); ++i)
        if (!std::all_of(sets[i].begin(), sets[i].end(),
                         [&](const PatchPoint& point) { return changesNothing(point, run, into, from); }))
            place.push_back(static_cast<std::int64_t>(i));
    const auto set = [&](std::int64_t i) -> const PatchSet& { return sets[static_cast<std::size_t>(i)]; };
    const auto beginning = [&](std::int64_t i) {
        return std::pair(firstLayer(set(i)), beginsWithHeads(set(i), run, into));
    };
    std::stable_sort(place.begin(), place.end(),
                     [&](std::int64_t a, std::int64_t b) { return beginning(a) < beginning(b); });
    std::vector<PatchSet> changing;
    std::transform(place.begin(), place.end(), std::back_inserter(changing), set);
    at::Tensor logits = into.logits.expand({static_cast<std::int64_t>(sets.size()), -1}).clone();
    for (std::size_t begin = 0; begin < changing.size(); begin += atOnce) {
        const auto some = std::span(changing).subspan(begin, std::min(atOnce, changing.size() - begin));
        const at::Tensor part = PatchedBatch(run, into, from, some).logits(control.stop);
        if (!part.defined())
            return cancelledError();
        for (std::size_t i = 0; i < some.size(); ++i)
            logits[place[begin + i]].copy_(part[static_cast<std::int64_t>(i)]);
        control.progress("patching", static_cast<std::int64_t>(begin + some.size()),
                         static_cast<std::int64_t>(changing.size()));
    }
    return logits;
}

Result<std::vector<double>> patchedDifferences(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                               const Recording& from, const Metric& metric,
                                               std::span<const PatchSet> sets, const Control& control)
{
    if (sets.empty())
        return std::vector<double>();
    const auto logits = patchedLogits(model, base, into, from, sets, control);
    if (!logits.has_value())
        return logits.error();
    const at::Tensor differences =
        (logits->select(1, metric.answer).to(at::kDouble) - logits->select(1, metric.distractor).to(at::kDouble))
            .cpu()
            .contiguous();
    return std::vector<double>(differences.data_ptr<double>(), differences.data_ptr<double>() + differences.numel());
}

Result<at::Tensor> patchedMatrix(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                 const Recording& from, const PatchSet& set, const Where& where, int head,
                                 const Control& control)
{
    if (const auto alike = checkPair(into, from); !alike.has_value())
        return alike.error();
    for (const PatchPoint& point : set)
        if (const auto fits = check(point, model, base, into.length()); !fits.has_value())
            return fits.error();
    if (const auto fits = check({PatchPart::Head, where.first, where.second, head}, model, base, into.length());
        !fits.has_value())
        return fits.error();
    const at::Tensor matrix = PatchedBatch(LayerRun(model, base, into.embedding), into, from, std::span(&set, 1))
                                  .matrix(where, head, control.stop);
    if (!matrix.defined())
        return cancelledError();
    return matrix[0].to(at::kCPU, at::kFloat).contiguous();
}

std::optional<double> normalised(double patched, double into, double from)
{
    if (std::abs(from - into) < 1e-6)
        return std::nullopt;
    return (patched - into) / (from - into);
}

} // namespace headscope::why
