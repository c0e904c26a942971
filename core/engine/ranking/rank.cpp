// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ranking/rank.h"

#include "core/engine/pattern/patterns.h"
#include "core/engine/ranking/margin.h"
#include "core/engine/scoring/compare.h"

#include <algorithm>
#include <map>

namespace headscope::engine {

using interventions::EditHead;
using interventions::HeadRef;
using interventions::InterventionSet;

InterventionSet without(const InterventionSet& fixed, std::span<const HeadRef> heads)
{
    auto items = fixed.items();
    for (const HeadRef& head : heads)
        items.push_back(EditHead{.head = head});
    return InterventionSet(std::move(items));
}

Result<void> checkRemovals(const lm::ModelSpec& spec, const InterventionSet& fixed, std::span<const HeadRef> heads,
                           const lm::DonorLoader& donors)
{
    const auto edits = lm::resolve(fixed, spec, donors, lm::Others::Examples);
    if (!edits.has_value())
        return edits.error();
    for (const HeadRef& head : heads)
        if (auto same = lm::checkSameHeads(*edits, spec, head.layer); !same.has_value())
            return same;
    return {};
}

std::vector<InterventionSet> removalStates(const InterventionSet& fixed, const std::vector<HeadRef>& heads)
{
    std::vector<InterventionSet> states{fixed};
    for (const HeadRef& head : heads)
        states.push_back(without(fixed, std::span(&head, 1)));
    return states;
}

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

Result<tasks::Score> firstScore(const Benchmark& benchmark, const Rows& rows)
{
    auto scores = tasks::aggregate(benchmark.set(), rows.results, {.bootstrapResamples = 0});
    if (!scores.has_value())
        return scores.error();
    if (scores->empty())
        return inputError("No row of '" + benchmark.set().name + "' could be scored, so heads cannot be ranked by it.");
    return std::move(scores->front());
}

Result<RankedHead> measuredRemoval(const Benchmark& benchmark, const Rows& baseline, const Rows& rows,
                                   const HeadRef& head)
{
    const auto compared = compare(benchmark.set(), baseline.results, rows.results, {.keepRows = true});
    if (!compared.has_value())
        return compared.error();
    if (compared->empty()) {
        const auto failed = std::find_if(rows.results.begin(), rows.results.end(),
                                         [](const tasks::RowResult& row) { return !row.error.empty(); });
        return RankedHead{.head = head,
                          .fault = "No row of '" + benchmark.set().name + "' could be scored without " + toText(head)
                                   + "; the first: "
                                   + (failed == rows.results.end() ? std::string("it was not run.") : failed->error)};
    }
    const Comparison& first = compared->front();
    const MarginChange margins = marginChange(benchmark.set(), baseline, rows);
    return RankedHead{.head = head,
                      .value = first.now.value,
                      .delta = first.delta,
                      .interval = first.interval,
                      .kind = first.kind,
                      .p = first.p,
                      .margin = margins.mean,
                      .n = first.n,
                      .right = first.right};
}

void sortByLoss(std::vector<RankedHead>& heads, bool higherIsBetter)
{
    std::stable_sort(heads.begin(), heads.end(), [higherIsBetter](const RankedHead& x, const RankedHead& y) {
        if (x.fault.empty() != y.fault.empty())
            return x.fault.empty();
        return x.delta != y.delta ? (x.delta < y.delta) == higherIsBetter
                                  : orderedMargin(x.margin) < orderedMargin(y.margin);
    });
}

std::vector<std::pair<const RankedHead*, const RankedHead*>> sameHeads(const std::vector<RankedHead>& one,
                                                                       const std::vector<RankedHead>& other)
{
    std::map<HeadRef, const RankedHead*> places; // a Mamba has tens of thousands of channels
    for (const RankedHead& head : other)
        places.emplace(head.head, &head);
    std::vector<std::pair<const RankedHead*, const RankedHead*>> pairs;
    for (const RankedHead& head : one)
        if (const auto found = places.find(head.head); found != places.end())
            pairs.emplace_back(&head, found->second);
    return pairs;
}

std::size_t sameTop(const std::vector<RankedHead>& one, const std::vector<RankedHead>& other, int top)
{
    const auto first = [top](const std::vector<RankedHead>& heads) {
        return std::span(heads).first(std::min(heads.size(), static_cast<std::size_t>(std::max(top, 0))));
    };
    const auto theirs = first(other);
    return static_cast<std::size_t>(std::ranges::count_if(first(one), [&](const RankedHead& head) {
        return std::any_of(theirs.begin(), theirs.end(),
                           [&](const RankedHead& same) { return same.head == head.head; });
    }));
}

Result<RemovalRanking> RemovalRanking::start(const Benchmark& benchmark, InterventionSet fixed,
                                             std::vector<HeadRef> heads, Measure measure)
{
    RemovalRanking ranking;
    ranking.m_benchmark = &benchmark;
    ranking.m_fixed = std::move(fixed);
    ranking.m_heads = std::move(heads);
    ranking.m_measure = std::move(measure);
    auto baseline = ranking.m_measure(ranking.m_fixed);
    if (!baseline.has_value())
        return baseline.error();
    ranking.m_baseline = std::move(*baseline);
    auto score = firstScore(benchmark, ranking.m_baseline);
    if (!score.has_value())
        return score.error();
    ranking.m_score = std::move(*score);
    return ranking;
}

Result<void> RemovalRanking::step()
{
    const HeadRef& head = m_heads[m_measured.size()];
    const auto rows = m_measure(without(m_fixed, std::span(&head, 1)));
    if (!rows.has_value())
        return rows.error();
    const auto measured = measuredRemoval(*m_benchmark, m_baseline, *rows, head);
    if (!measured.has_value())
        return measured.error();
    m_measured.push_back(*measured);
    return {};
}

std::vector<RankedHead> RemovalRanking::sorted() const
{
    std::vector<RankedHead> ranked = m_measured;
    sortByLoss(ranked, m_score.higherIsBetter);
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
        if (segment.role == Role::Query || segment.role == Role::Question || segment.role == Role::Answer)
            continue;
        Range& range = groups[segment.group];
        range.begin = std::min(range.begin, segment.begin);
        range.end = std::max(range.end, segment.end);
        range.gathers |= segment.role == Role::Value || segment.role == Role::Option;
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

namespace {

// The context of example `i` as the model reads it.
Result<text::Encoding> encodedPrompt(const PatternPrompts& prompts, std::size_t i)
{
    return encodeText(prompts.set.examples[i].context, prompts.set.leafOf(i).pairing, prompts.tokenizer, prompts.bos);
}

} // namespace

Result<std::vector<RankedHead>> rankByPattern(const lm::Model& model, const PatternPrompts& prompts, PatternScore score,
                                              const InterventionSet& fixed, const Control& control)
{
    const std::vector<tasks::Example>& examples = prompts.set.examples;
    const std::size_t end = std::min(prompts.end, examples.size());
    std::vector<RankedHead> ranked;
    std::vector<HeadRef> everything;
    for (const HeadRef& head : allHeads(model.spec())) {
        ranked.push_back({head});
        if (head.head == 0)
            everything.push_back({head.layer, head.site, -1});
    }
    std::int64_t used = 0;
    for (std::size_t i = prompts.begin; i < end; ++i) {
        const auto encoding = encodedPrompt(prompts, i);
        if (!encoding.has_value())
            return encoding.error();
        const auto segments = tokenSegments(examples[i], *encoding);
        if (segments.empty())
            continue;
        const auto captured = patterns(model, encoding->ids, everything, {fixed, {.withD = false}, {}}, {}, control);
        if (!captured.has_value())
            return captured.error();
        for (std::size_t h = 0; h < ranked.size(); ++h)
            ranked[h].value += score == PatternScore::Gather
                                   ? analysis::gatherScore((*captured)[h].matrix, segments)
                                   : analysis::aggregateScore((*captured)[h].matrix, segments);
        ++used;
        control.progress("pattern scores", static_cast<std::int64_t>(i - prompts.begin) + 1,
                         static_cast<std::int64_t>(end - prompts.begin));
    }
    if (used == 0)
        return inputError(
            "The prompts of this task have no marked segments, so gather and aggregate scores are not defined on it.");
    for (RankedHead& head : ranked)
        head.value /= static_cast<double>(used);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const RankedHead& a, const RankedHead& b) { return a.value > b.value; });
    return ranked;
}

Result<double> uniformPatternScore(const PatternPrompts& prompts, PatternScore score)
{
    const std::vector<tasks::Example>& examples = prompts.set.examples;
    double sum = 0;
    int used = 0;
    for (std::size_t i = prompts.begin; i < std::min(prompts.end, examples.size()); ++i) {
        const auto encoding = encodedPrompt(prompts, i);
        if (!encoding.has_value())
            return encoding.error();
        const auto segments = tokenSegments(examples[i], *encoding);
        if (segments.empty())
            continue;
        const int tokens = static_cast<int>(encoding->ids.size());
        sum += score == PatternScore::Gather ? analysis::uniformGatherScore(segments, tokens)
                                             : analysis::uniformAggregateScore(segments, tokens);
        ++used;
    }
    return used > 0 ? sum / used : 0;
}

} // namespace headscope::engine
