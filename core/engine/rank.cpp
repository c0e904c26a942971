// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/rank.h"

#include "core/engine/compare.h"
#include "core/engine/patterns.h"

#include <algorithm>
#include <map>

namespace headscope::engine {

using interventions::EditHead;
using interventions::HeadRef;
using interventions::InterventionSet;

namespace {

InterventionSet with(const InterventionSet& fixed, const HeadRef& head)
{
    auto items = fixed.items();
    items.push_back(EditHead{.head = head});
    return InterventionSet(std::move(items));
}

} // namespace

std::vector<HeadRef> allHeads(const lm::ModelSpec& spec)
{
    std::vector<HeadRef> heads;
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer) {
        const auto& mixers = spec.layers[layer].mixers;
        for (const lm::MixerSpec& mixer : mixers)
            for (int head = 0; head < mixer.heads; ++head)
                heads.push_back({static_cast<int>(layer), mixers.size() > 1 ? mixer.site() : lm::Site::Any, head});
    }
    return heads;
}

Result<std::vector<RankedHead>> rankExact(Scorer& scorer, const Benchmark& benchmark, const InterventionSet& fixed, const Rows& baseline,
                                          const std::vector<HeadRef>& heads, const std::function<void(const RankedHead&)>& each, const Control& control)
{
    std::vector<RankedHead> ranked;
    Control quiet = control;
    quiet.report = {};
    for (const HeadRef& head : heads) {
        Rows rows = benchmark.emptyRows();
        if (const auto run = benchmark.run(scorer, with(fixed, head), {}, rows, {}, quiet); !run.has_value())
            return run.error();
        const auto compared = compare(benchmark.set(), baseline.results, rows.results, {.resamples = 0});
        if (!compared.has_value())
            return compared.error();
        if (compared->empty())
            return inputError("No row of '" + benchmark.set().name + "' could be scored, so heads can not be ranked by it.");
        const Comparison& first = compared->front();
        ranked.push_back({head, first.now.value, first.delta, first.interval, first.p});
        if (each)
            each(ranked.back());
        control.progress("ranking heads", static_cast<std::int64_t>(ranked.size()), static_cast<std::int64_t>(heads.size()));
    }
    const auto first = tasks::aggregate(benchmark.set(), baseline.results, {.bootstrapResamples = 0});
    const bool higherIsBetter = !first.has_value() || first->empty() || first->front().higherIsBetter;
    std::stable_sort(ranked.begin(), ranked.end(), [&](const RankedHead& a, const RankedHead& b) { return higherIsBetter ? a.delta < b.delta : a.delta > b.delta; });
    return ranked;
}

std::vector<analysis::TokenSegment> tokenSegments(const tasks::Example& example, const text::Encoding& encoding)
{
    // Byte ranges of a group are joined; a group without a value or option (a query) is no segment to gather.
    struct Range {
        std::size_t begin = std::string::npos, end = 0;
        bool gathers = false, target = false;
    };
    std::map<int, Range> groups;
    for (const tasks::Segment& segment : example.segments) {
        if (segment.role == tasks::SegmentRole::Query || segment.role == tasks::SegmentRole::Question || segment.role == tasks::SegmentRole::Answer)
            continue;
        Range& range = groups[segment.group];
        range.begin = std::min(range.begin, segment.begin);
        range.end = std::max(range.end, segment.end);
        range.gathers |= segment.role == tasks::SegmentRole::Value || segment.role == tasks::SegmentRole::Option;
        range.target |= segment.target;
    }
    std::vector<analysis::TokenSegment> segments;
    for (const auto& [group, range] : groups) {
        analysis::TokenSegment segment{-1, -1, range.target};
        for (std::size_t t = 0; t < encoding.offsets.size(); ++t) {
            const auto [begin, end] = encoding.offsets[t];
            if (begin < range.end && end > range.begin && end > begin) {
                if (segment.begin < 0)
                    segment.begin = static_cast<int>(t);
                segment.end = static_cast<int>(t) + 1;
            }
        }
        if (range.gathers && segment.begin >= 0)
            segments.push_back(segment);
    }
    return segments;
}

Result<std::vector<RankedHead>> rankByPattern(const lm::Model& model, const text::Tokenizer& tokenizer, std::span<const tasks::Example> examples,
                                              PatternScore score, const InterventionSet& fixed, const Control& control)
{
    std::vector<RankedHead> ranked;
    std::vector<HeadRef> everything;
    for (const HeadRef& head : allHeads(model.spec())) {
        ranked.push_back({head});
        if (head.head == 0)
            everything.push_back({head.layer, head.site, -1});
    }
    std::int64_t used = 0;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto encoding = tokenizer.encode(examples[i].context, false);
        if (!encoding.has_value())
            return encoding.error();
        const auto segments = tokenSegments(examples[i], *encoding);
        if (segments.empty())
            continue;
        const auto captured = patterns(model, encoding->ids, everything, {fixed, {.withD = false}, {}}, {}, control);
        if (!captured.has_value())
            return captured.error();
        for (std::size_t h = 0; h < ranked.size(); ++h)
            ranked[h].value += score == PatternScore::Gather ? analysis::gatherScore((*captured)[h].matrix, segments)
                                                             : analysis::aggregateScore((*captured)[h].matrix, segments);
        ++used;
        control.progress("pattern scores", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(examples.size()));
    }
    if (used == 0)
        return inputError("The prompts of this task have no marked segments, so gather and aggregate scores are not defined on it.");
    for (RankedHead& head : ranked)
        head.value /= static_cast<double>(used);
    std::stable_sort(ranked.begin(), ranked.end(), [](const RankedHead& a, const RankedHead& b) { return a.value > b.value; });
    return ranked;
}

} // namespace headscope::engine
