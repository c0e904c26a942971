// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/patchmap.h"

#include "core/why/states.h"

#include <algorithm>

namespace headscope::engine {

namespace {

why::PatchPart partOf(PatchWhat what)
{
    return what == PatchWhat::Heads   ? why::PatchPart::Head
           : what == PatchWhat::Mixer ? why::PatchPart::Mixer
           : what == PatchWhat::Mlp   ? why::PatchPart::Mlp
                                      : why::PatchPart::Stream;
}

// Layers, and heads where heads are patched, without positions.
std::vector<PatchCell> placesOf(const lm::Model& model, const lm::Edits& base, PatchWhat what)
{
    std::vector<PatchCell> places;
    if (what == PatchWhat::State) {
        for (const int layer : why::layersWithState(model, base))
            places.push_back({layer});
        return places;
    }
    for (int layer = 0; layer < base.layerCount; ++layer) {
        if (what != PatchWhat::Heads) {
            places.push_back({layer});
            continue;
        }
        for (const lm::MixerSpec& mixer : model.spec().layers[static_cast<std::size_t>(layer)].mixers)
            for (int head = 0; head < mixer.heads; ++head)
                places.push_back({layer, mixer.site(), head});
    }
    return places;
}

} // namespace

why::PatchPoint pointOf(PatchWhat what, const PatchCell& cell)
{
    why::PatchPoint point{partOf(what), cell.layer, cell.site, cell.head};
    if (cell.position >= 0)
        point.positions = why::PositionSpan{cell.position, cell.position};
    return point;
}

const char* name(PatchWhat what)
{
    switch (what) {
    case PatchWhat::Heads: return "heads";
    case PatchWhat::Stream: return "stream";
    case PatchWhat::Mixer: return "mixer";
    case PatchWhat::Mlp: return "mlp";
    case PatchWhat::State: break;
    }
    return "state";
}

const char* name(PatchWhere where)
{
    return where == PatchWhere::All ? "all" : where == PatchWhere::Last ? "last" : "each";
}

Result<std::vector<PatchCell>> cellsOf(const lm::Model& model, const lm::Edits& base, const PatchRequest& asked,
                                       int length)
{
    const bool readsHeads = asked.what != PatchWhat::Stream && asked.what != PatchWhat::Mlp;
    if (const auto same = lm::checkSameHeads(base, model.spec()); readsHeads && !same.has_value())
        return same.error();
    std::vector<PatchCell> cells;
    Error refused = inputError("This model has no state to hand over: none of its layers is an SSM.");
    for (const PatchCell& place : placesOf(model, base, asked.what)) {
        if (asked.layer >= 0 && place.layer != asked.layer)
            continue;
        if (asked.what != PatchWhat::State)
            if (const auto fits = why::check(pointOf(asked.what, place), model, base, length); !fits.has_value()) {
                refused = fits.error();
                continue;
            }
        PatchCell cell = place;
        const int last = asked.what == PatchWhat::State ? length - 2 : length - 1; // behind the last nothing reads it
        for (int position = asked.where == PatchWhere::Last ? last : 0;
             asked.where != PatchWhere::All && position <= last; ++position) {
            cell.position = position;
            cells.push_back(cell);
        }
        if (asked.where == PatchWhere::All)
            cells.push_back(cell);
    }
    return cells.empty() ? Result<std::vector<PatchCell>>(refused) : Result<std::vector<PatchCell>>(std::move(cells));
}

Result<std::vector<double>> cellDifferences(const lm::Model& model, const lm::Edits& base, const why::Recording& into,
                                            const why::Recording& from, const why::Metric& metric, PatchWhat what,
                                            std::span<const PatchCell> cells, const Control& control)
{
    if (what == PatchWhat::State) {
        std::vector<why::StateCell> states;
        for (const PatchCell& cell : cells)
            states.push_back({cell.layer, cell.position});
        return why::handedOverDifferences(model, base, into, from, metric, states, control);
    }
    std::vector<why::PatchSet> sets;
    for (const PatchCell& cell : cells)
        sets.push_back({pointOf(what, cell)});
    return why::patchedDifferences(model, base, into, from, metric, sets, control);
}

namespace {

Result<void> checkAsked(const PatchRequest& asked)
{
    if (asked.what == PatchWhat::State && asked.where != PatchWhere::Each)
        return inputError("A state is handed over after one position; expected --positions each.");
    return {};
}

MeasurePair cellsOnPair(const lm::Model& model, const lm::Edits& base, const PatchRequest& asked)
{
    return [&model, &base, asked](const why::Recording& into, const why::Recording& from, const why::Metric& metric,
                                  const Control& control) -> Result<std::vector<double>> {
        const auto cells = cellsOf(model, base, asked, static_cast<int>(into.length()));
        return cells.has_value() ? cellDifferences(model, base, into, from, metric, asked.what, *cells, control)
                                 : Result<std::vector<double>>(cells.error());
    };
}

} // namespace

Result<PiecedWork> patchPieces(const lm::Model& model, const lm::Edits& base, const std::vector<PromptPair>& pairs,
                               const PatchRequest& asked)
{
    const auto can = checkAsked(asked);
    return can.has_value() ? pairPieces(model, base, pairs, asked.direction, cellsOnPair(model, base, asked))
                           : Result<PiecedWork>(can.error());
}

Result<PatchMap> patchMap(const lm::Model& model, const lm::Edits& base, const std::vector<PromptPair>& pairs,
                          const PatchRequest& asked, const Control& control, const MeasurePieces& pieces)
{
    if (const auto can = checkAsked(asked); !can.has_value())
        return can.error();
    auto over = measurePairs(model, base, pairs, asked.direction, cellsOnPair(model, base, asked), control, pieces);
    if (!over.has_value())
        return over.error();
    auto cells = cellsOf(model, base, asked, static_cast<int>(pairs[over->clean.size() - 1].clean.size()));
    return cells.has_value() ? Result<PatchMap>(PatchMap{std::move(*cells), std::move(*over)})
                             : Result<PatchMap>(cells.error());
}

Result<std::size_t> PatchRun::begin(const why::Recording& into, const why::Recording&)
{
    auto cells = cellsOf(model(), base(), m_asked, static_cast<int>(into.length()));
    if (!cells.has_value())
        return cells.error();
    m_cells = std::move(*cells);
    return m_cells.size();
}

Result<std::vector<double>> PatchRun::measure(const why::Recording& into, const why::Recording& from,
                                              const why::Metric& metric, std::size_t first, const Control& control)
{
    const std::size_t count = std::min(m_atOnce, m_cells.size() - first);
    return cellDifferences(model(), base(), into, from, metric, m_asked.what, std::span(m_cells).subspan(first, count),
                           control);
}

} // namespace headscope::engine
