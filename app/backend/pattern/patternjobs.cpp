// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/pattern/patternjobs.h"

#include "app/backend/pattern/patternsource.h"
#include "app/backend/why/promptanalyses.h"
#include "core/analysis/patternchange.h"
#include "core/analysis/patternpool.h"
#include "core/analysis/patternscores.h"
#include "core/engine/pattern/headnorms.h"

#include <algorithm>
#include <limits>

namespace headscope::app {

using interventions::HeadRef;
using interventions::InterventionSet;

namespace {

constexpr int kPooledSide = 2048;
constexpr int kPreviewSide = 96;
constexpr std::size_t kScoreCells = std::size_t{1} << 26; // of all maps held at once: 268 MB
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<analysis::TokenSegment> gatherSegments(const std::vector<Span>& spans)
{
    // A value or an option ends a segment that begins with the key or letter before it.
    std::vector<analysis::TokenSegment> segments;
    int begin = -1;
    for (const Span& span : spans) {
        if (span.role == Role::Key)
            begin = static_cast<int>(span.begin);
        if (span.role != Role::Value && span.role != Role::Option)
            continue;
        segments.push_back(
            {begin >= 0 ? begin : static_cast<int>(span.begin), static_cast<int>(span.end), span.target});
        begin = -1;
    }
    return segments;
}

// The source of the last map is kept: rows of it are what is asked for next.
Result<std::shared_ptr<const PatternSource>> sourceOf(Models& models, Side side, const Prompt& prompt,
                                                      const PatternRequest& request, const Control& control)
{
    const auto model = models.opened(side);
    if (!model.has_value())
        return model.error();
    auto& kept = models.patternSource(side);
    if (!kept || !kept->serves(**model, prompt, request)) {
        auto opened = PatternSource::open(models, side, prompt, request, control);
        if (!opened.has_value())
            return opened.error();
        kept = std::make_shared<const PatternSource>(std::move(*opened));
    }
    return kept;
}

// The asked key with its value, the right option, or what a person marked as the answer.
std::vector<analysis::TokenSegment> targetSegments(const std::vector<Span>& spans)
{
    auto targets = gatherSegments(spans);
    std::erase_if(targets, [](const analysis::TokenSegment& segment) { return !segment.target; });
    for (const Span& span : spans)
        if (span.target && span.role == Role::Answer)
            targets.push_back({static_cast<int>(span.begin), static_cast<int>(span.end), true});
    return targets;
}

/// What the scores of one prompt need besides the maps.
struct ScoredPrompt {
    std::vector<int> ids;        // of the prompt
    std::vector<int> withAnswer; // of prompt and answer; empty where there is no answer
    std::vector<analysis::TokenSegment> segments, targets;
};

void addScores(HeadScores& all, const HeadValue& head, const Matrix& map, const Matrix* baseline,
               const ScoredPrompt& prompt)
{
    const int last = map.rows - 1;
    const analysis::RowScores row = analysis::rowScores(map.row(last), last);
    const bool segmented = !prompt.segments.empty();
    const auto add = [&](const char* id, double value) {
        all.scores[id].push_back(head);
        all.scores[id].back().value = value;
    };
    add("gather", segmented ? analysis::gatherScore(map, prompt.segments) : kNaN);
    add("aggregate", segmented ? analysis::aggregateScore(map, prompt.segments) : kNaN);
    add("target", prompt.targets.empty() ? kNaN : analysis::targetMass(map, prompt.targets));
    add("induction", analysis::inductionScore(map, prompt.ids));
    add("previous", analysis::previousTokenScore(map));
    add("diagonal", analysis::matrixScores(map).diagonalMass);
    add("entropy", row.entropy);
    add("effective", row.effectiveTokens);
    add("sink", row.sinkMass);
    add("distance", baseline ? analysis::patternDistance(map, *baseline) : 0);
}

constexpr const char* kScores[] = {"gather",   "aggregate", "target",    "induction", "previous",
                                   "diagonal", "entropy",   "effective", "sink",      "distance"};

// The maps of these heads, or none where the ablation leaves their layer out.
Result<std::vector<Matrix>> mapsOf(engine::PatternReader& reader, const std::vector<HeadRef>& heads, int first,
                                   int count, const Control& control)
{
    const auto none = [](const Error& error) {
        return error.kind == Error::Kind::Cancelled ? Result<std::vector<Matrix>>(error) : std::vector<Matrix>();
    };
    if (const auto chosen = reader.choose(heads, control); !chosen.has_value())
        return none(chosen.error());
    auto rows = reader.rows(first, count, control);
    return rows.has_value() ? std::move(rows) : none(rows.error());
}

// Maps of one layer's heads in groups that fit, under the ablation and, where there is one, without it.
Result<void> scoreMixer(HeadScores& all, engine::PatternReader& now, engine::PatternReader* baseline,
                        const lm::MixerSpec& mixer, const HeadRef& heads, const ScoredPrompt& prompt,
                        const Control& control)
{
    const auto cells = static_cast<std::size_t>(now.tokens()) * static_cast<std::size_t>(now.tokens());
    const int group = static_cast<int>(std::max<std::size_t>(1, kScoreCells / cells));
    for (int first = 0; first < mixer.heads; first += group) {
        std::vector<HeadRef> some;
        for (int h = first; h < std::min(mixer.heads, first + group); ++h)
            some.push_back({heads.layer, heads.site, h});
        const auto maps = mapsOf(now, some, 0, now.tokens(), control);
        if (!maps.has_value())
            return maps.error();
        const auto before = baseline ? mapsOf(*baseline, some, 0, now.tokens(), control) : std::vector<Matrix>();
        if (!before.has_value())
            return before.error();
        for (std::size_t i = 0; i < some.size(); ++i) {
            const HeadValue head{.head = some[i], .attention = mixer.kind == lm::MixerKind::Attention, .value = kNaN};
            if (maps->empty())
                for (const char* id : kScores)
                    all.scores[id].push_back(head);
            else
                addScores(all, head, (*maps)[i], baseline ? &(*before)[i] : nullptr, prompt);
        }
    }
    return {};
}

// The score of the retrieval-head literature looks at the rows that write the answer, so it has a run of its own.
Result<void> scoreRetrieval(HeadScores& all, Opened& model, const engine::PatternOptions& options,
                            const ScoredPrompt& prompt, const lm::DonorLoader& donors, const Control& control)
{
    auto& values = all.scores["retrieval"] = all.scores["previous"];
    for (HeadValue& head : values)
        head.value = kNaN;
    if (prompt.withAnswer.size() <= prompt.ids.size())
        return {};
    auto reader = engine::PatternReader::open(model.loaded.model, prompt.withAnswer, options, donors);
    if (!reader.has_value())
        return reader.error();
    const int begin = static_cast<int>(prompt.ids.size()), count = reader->tokens() - begin;
    std::size_t at = 0;
    const lm::ModelSpec& spec = model.loaded.model->spec();
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer)
        for (const lm::MixerSpec& mixer : spec.layers[layer].mixers) {
            const lm::Site site = spec.layers[layer].mixers.size() > 1 ? mixer.site() : lm::Site::Any;
            const auto rows = mapsOf(*reader, {{static_cast<int>(layer), site, -1}}, begin - 1, count, control);
            if (!rows.has_value())
                return rows.error();
            for (std::size_t head = 0; head < rows->size(); ++head) {
                // The rows stand for those of the whole matrix from begin - 1 on.
                const Matrix& map = (*rows)[head];
                Matrix whole(begin - 1 + count, map.cols);
                std::copy(map.values.begin(), map.values.end(),
                          whole.values.end() - static_cast<std::ptrdiff_t>(map.values.size()));
                values[at + head].value = analysis::retrievalScore(whole, prompt.withAnswer, begin, prompt.targets);
            }
            at += static_cast<std::size_t>(mixer.heads);
        }
    return {};
}

/// The prompt and its answer, as one text. Where nobody said what the answer is, it is the first piece marked as such.
Prompt answered(Prompt prompt)
{
    const auto marked =
        std::ranges::find_if(prompt.spans, [](const Span& span) { return span.target && holdsAnswer(span.role); });
    if (prompt.answer.empty() && marked != prompt.spans.end() && marked->end <= prompt.text.size()) {
        const bool spaced = marked->begin > 0 && prompt.text[marked->begin - 1] == ' ' && !prompt.text.ends_with(' ');
        prompt.answer = (spaced ? " " : "") + prompt.text.substr(marked->begin, marked->end - marked->begin);
    }
    prompt.text += prompt.answer;
    return prompt;
}

} // namespace

PatternReply withoutMap(Models& models, Side side, const Prompt& prompt, const PatternRequest& request,
                        const PatternSource& source)
{
    PatternReply reply{.request = request, .convention = source.convention(), .text = prompt.text};
    reply.prompt = source.prompt();
    reply.spans = tokenSpans(prompt.spans, reply.prompt);
    const int tokens = static_cast<int>(reply.prompt.ids.size());
    reply.pool = tokens > kWholeMap ? analysis::PatternPool::factorFor(tokens, kPooledSide) : 1;
    reply.unread = tokens - source.tokens();
    if (const auto model = models.opened(side); model.has_value()) {
        reply.pruned = engine::isPruned(*(*model)->loaded.model, request.head);
        reply.inputs = patternInputs(questionState(**model, request.ablation), reply.prompt.ids);
    }
    return reply;
}

Result<PatternReply> readPattern(Models& models, Side side, const Prompt& prompt, const PatternRequest& request,
                                 const Control& control)
{
    const auto source = sourceOf(models, side, prompt, request, control);
    if (!source.has_value())
        return source.error();
    auto reply = withoutMap(models, side, prompt, request, **source);
    auto matrix =
        reply.pool == 1 ? (*source)->rows(0, (*source)->tokens(), control) : (*source)->pooled(reply.pool, control);
    if (!matrix.has_value())
        return matrix.error();
    reply.matrix = std::move(*matrix);
    return reply;
}

Result<PatternRows> readRows(Models& models, Side side, const Prompt& prompt, const PatternRequest& request, int first,
                             int count, const Control& control)
{
    const auto source = sourceOf(models, side, prompt, request, control);
    if (!source.has_value())
        return source.error();
    auto rows = (*source)->rows(first, std::min(count, (*source)->tokens() - first), control);
    if (!rows.has_value())
        return rows.error();
    return PatternRows{request, first, std::move(*rows)};
}

Result<PatternPreview> readPreview(Models& models, Side side, const Prompt& prompt, const PatternRequest& request,
                                   const Control& control)
{
    const auto source = PatternSource::open(models, side, prompt, request, control);
    if (!source.has_value())
        return source.error();
    auto matrix = source->pooled(analysis::PatternPool::factorFor(source->tokens(), kPreviewSide), control);
    if (!matrix.has_value())
        return matrix.error();
    return PatternPreview{request, source->convention(), std::move(*matrix)};
}

Result<RowOfHeads> readRowOfHeads(Models& models, Side side, const Prompt& prompt, int row,
                                  const InterventionSet& ablation, const Control& control)
{
    const auto read = models.read(side, prompt);
    if (!read.has_value())
        return read.error();
    const auto& [model, encoding] = *read;
    const lm::ModelSpec& spec = model->loaded.model->spec();
    auto reader = engine::PatternReader::open(model->loaded.model, encoding.ids, {.ablation = ablation}, model->donors,
                                              model->streams);
    if (!reader.has_value())
        return reader.error();
    RowOfHeads reply{.ablation = ablation, .row = row};
    std::vector<float> values;
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer)
        for (const lm::MixerSpec& mixer : spec.layers[layer].mixers) {
            const lm::Site site = spec.layers[layer].mixers.size() > 1 ? mixer.site() : lm::Site::Any;
            const auto rows = mapsOf(*reader, {{static_cast<int>(layer), site, -1}}, row, 1, control);
            if (!rows.has_value())
                return rows.error();
            for (int head = 0; head < mixer.heads; ++head) {
                reply.heads.push_back({static_cast<int>(layer), site, head});
                if (rows->empty()) {
                    values.insert(values.end(), encoding.ids.size(), static_cast<float>(kNaN));
                    continue;
                }
                const Matrix shares = analysis::rowShares((*rows)[static_cast<std::size_t>(head)]);
                values.insert(values.end(), shares.values.begin(), shares.values.end());
            }
            reply.probability = reply.probability && mixer.kind == lm::MixerKind::Attention;
        }
    reply.matrix = Matrix(static_cast<int>(reply.heads.size()), reader->tokens());
    reply.matrix.values = std::move(values);
    return reply;
}

Result<HeadScores> readHeadScores(Models& models, Side side, const Prompt& prompt, const InterventionSet& ablation,
                                  const Control& control)
{
    const auto opened = models.opened(side);
    if (!opened.has_value())
        return opened.error();
    Opened& model = **opened;
    const auto encoding = models.encode(model, prompt);
    if (!encoding.has_value())
        return encoding.error();
    if (static_cast<int>(encoding->ids.size()) > kWholeMap)
        return inputError("Scores of all heads read whole maps; the prompt has " + std::to_string(encoding->ids.size())
                          + " tokens, at most " + std::to_string(kWholeMap) + " are possible.");
    const std::vector<Span> spans = tokenSpans(prompt.spans, tokenized(prompt.text, *encoding));
    ScoredPrompt scored{.ids = encoding->ids, .segments = gatherSegments(spans), .targets = targetSegments(spans)};
    if (const auto whole = models.encode(model, answered(prompt)); whole.has_value())
        scored.withAnswer = whole->ids;

    const lm::DonorLoader donors = model.donors;
    const engine::PatternOptions options{.ablation = ablation};
    auto now = engine::PatternReader::open(model.loaded.model, encoding->ids, options, donors, model.streams);
    auto baseline = engine::PatternReader::open(model.loaded.model, encoding->ids, {}, donors, model.streams);
    if (!now.has_value())
        return now.error();
    HeadScores all{.identity = promptScoresQuestion(questionState(model, ablation), scored.ids, scored.withAnswer,
                                                    scored.segments),
                   .ablation = ablation};
    const lm::ModelSpec& spec = model.loaded.model->spec();
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer)
        for (const lm::MixerSpec& mixer : spec.layers[layer].mixers) {
            const lm::Site site = spec.layers[layer].mixers.size() > 1 ? mixer.site() : lm::Site::Any;
            const auto done = scoreMixer(all, *now, ablation.empty() || !baseline.has_value() ? nullptr : &*baseline,
                                         mixer, {static_cast<int>(layer), site, -1}, scored, control);
            if (!done.has_value())
                return done.error();
            control.progress("scoring heads", static_cast<std::int64_t>(layer),
                             static_cast<std::int64_t>(spec.layers.size()));
        }
    const int tokens = static_cast<int>(scored.ids.size());
    if (!scored.segments.empty())
        all.uniform = {{"gather", analysis::uniformGatherScore(scored.segments, tokens)},
                       {"aggregate", analysis::uniformAggregateScore(scored.segments, tokens)}};
    const auto norms = engine::outputNorms(*model.loaded.model, encoding->ids, options, donors, control);
    if (!norms.has_value())
        return norms.error();
    std::map<HeadRef, double> byHead;
    for (const engine::HeadNorm& norm : *norms)
        byHead[norm.head] = norm.norm;
    for (HeadValue head : all.scores["previous"]) {
        head.value = byHead.contains(head.head) ? byHead[head.head] : kNaN;
        all.scores["norm"].push_back(head);
    }
    if (const auto retrieval = scoreRetrieval(all, model, options, scored, donors, control); !retrieval.has_value())
        return retrieval.error();
    return all;
}

Job<PatternRows> jobOf(const RowsRequest& request)
{
    return {.urgency = engine::Urgency::Look, .work = [request](Models& models, const Control& control) {
                return readRows(models, request.side, request.prompt, request.of, request.first, request.count,
                                control);
            }};
}

// A head at a time, so that a click is answered between two of them.
Job<PatternPreview> jobOf(const PreviewsRequest& request)
{
    return {.urgency = request.heads.size() == 1 ? engine::Urgency::Look : engine::Urgency::Preview,
            .step = [request, next = std::size_t{0}](Models& models, const engine::Turn& turn,
                                                     const Send<PatternPreview>& send) mutable -> Result<engine::Next> {
                if (next >= request.heads.size())
                    return engine::Next::End;
                const PatternRequest of{.head = request.heads[next],
                                        .ablation = request.like.ablation,
                                        .convention = request.like.convention};
                auto preview = readPreview(models, request.side, request.prompt, of, turn);
                if (!preview.has_value())
                    return preview.error();
                send(std::make_shared<const PatternPreview>(std::move(*preview)));
                return ++next < request.heads.size() ? engine::Next::Again : engine::Next::End;
            }};
}

Job<RowOfHeads> jobOf(const RowOfHeadsRequest& request)
{
    return {.urgency = engine::Urgency::Look, .work = [request](Models& models, const Control& control) {
                return readRowOfHeads(models, request.side, request.prompt, request.row, request.ablation, control);
            }};
}

Job<HeadScores> jobOf(const HeadScoresRequest& request)
{
    return {.urgency = engine::Urgency::Preview, .work = [request](Models& models, const Control& control) {
                return readHeadScores(models, request.side, request.prompt, request.ablation, control);
            }};
}

Job<HeadScores> jobOf(const ReadersRequest& request)
{
    return {.urgency = engine::Urgency::Preview,
            .work = [request](Models& models, const Control& control) -> Result<HeadScores> {
                auto scores = readHeadScores(models, request.side, request.prompt, request.ablation, control);
                const auto opened = models.opened(request.side);
                if (scores.has_value() && opened.has_value())
                    std::erase_if(scores->scores["target"], [&](const HeadValue& head) {
                        return engine::isPruned(*(*opened)->loaded.model, head.head);
                    });
                return scores;
            }};
}

Job<HeadScores> jobOf(const TaskScoresRequest& request)
{
    return {.urgency = engine::Urgency::Preview,
            .work = [request](Models& models, const Control& control) -> Result<HeadScores> {
                const auto prompt = models.sample(request.task, 0);
                if (!prompt.has_value())
                    return prompt.error();
                return readHeadScores(models, request.side, *prompt, {}, control);
            }};
}

} // namespace headscope::app
