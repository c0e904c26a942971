// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/paper/masks.h"

#include "core/engine/replacements.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"
#include "core/tasks/python/pyrandom.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>
#include <set>

namespace headscope::experiments {

namespace {

/// One head and what is left of its matrix.
struct MaskedHead {
    HeadRef head;
    bool gathers = false;
    Mask mask = Mask::Pattern;
};

/// Entries (query, key) that make a head gather or aggregate on one prompt, as in the experiment with
/// masked entries of the Gather-and-Aggregate paper (arXiv 2504.18574). What follows the last
/// segment, the question's own text, is gathered too, by the last token: a head that brings a key to its value also
/// brings the key asked for there.
std::set<std::pair<int, int>> entriesOf(const std::vector<analysis::TokenSegment>& segments, bool gathers, int last)
{
    std::set<std::pair<int, int>> entries;
    int asked = 0;
    for (const auto& segment : segments) {
        asked = std::max(asked, segment.end);
        if (!gathers)
            entries.emplace(last, segment.end - 1);
        for (int key = segment.begin; gathers && key < segment.end - 1; ++key)
            entries.emplace(segment.end - 1, key);
    }
    for (int key = asked; gathers && key < last; ++key)
        entries.emplace(last, key);
    return entries;
}

/// As many entries in the same rows, at random keys.
std::set<std::pair<int, int>> shuffled(const std::set<std::pair<int, int>>& entries, tasks::PyRandom& random)
{
    std::map<int, std::size_t> perRow;
    for (const auto& [query, key] : entries)
        ++perRow[query];
    std::set<std::pair<int, int>> drawn;
    for (const auto& [query, count] : perRow)
        for (const std::size_t key :
             random.sample(static_cast<std::size_t>(query) + 1, std::min(count, static_cast<std::size_t>(query) + 1)))
            drawn.emplace(query, static_cast<int>(key));
    return drawn;
}

/// 1 where an entry of the head's matrix stays, [B, T, T]. `longest`: T.
at::Tensor keepTensor(const std::vector<std::vector<analysis::TokenSegment>>& segments, const std::vector<int>& lasts,
                      const MaskedHead& head, std::int64_t longest, tasks::PyRandom& random)
{
    at::Tensor keep = at::zeros({static_cast<std::int64_t>(segments.size()), longest, longest});
    auto access = keep.accessor<float, 3>();
    for (std::size_t b = 0; b < segments.size(); ++b) {
        auto entries = entriesOf(segments[b], head.gathers, lasts[b]);
        if (head.mask == Mask::Random)
            entries = shuffled(entries, random);
        for (const auto& [query, key] : entries)
            access[static_cast<std::int64_t>(b)][query][key] = 1;
    }
    return keep;
}

/// Runs a benchmark with heads reduced to parts of their matrices. The masked matrix is applied to the values and goes
/// back in place of the head's output, so that attention and SSM heads are treated alike.
class MaskedRun
{
public:
    MaskedRun(Lab& lab, Bench& bench, std::shared_ptr<const engine::Benchmark> benchmark)
        : m_lab(lab), m_bench(bench), m_benchmark(std::move(benchmark))
    {
    }

    [[nodiscard]] Result<Measured> run(std::vector<MaskedHead> heads)
    {
        const at::NoGradGuard noGrad;
        std::stable_sort(heads.begin(), heads.end(),
                         [](const auto& a, const auto& b) { return a.head.layer < b.head.layer; });
        m_random = tasks::PyRandom(m_lab.settings().seed + 7);
        engine::Rows rows = m_benchmark->emptyRows();
        std::vector<tasks::Outcome> outcomes(rows.outcomes.size());
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const engine::EncodedExample& example = m_benchmark->workload().examples()[i];
            outcomes[i] = {.logLikelihoods = std::vector<double>(static_cast<std::size_t>(example.choices)),
                           .greedy = std::vector<bool>(static_cast<std::size_t>(example.choices), true),
                           .rejected = example.rejected};
        }
        for (const engine::Workload::Batch& batch : m_benchmark->workload().batches())
            if (const auto done = runBatch(batch, heads, outcomes); !done.has_value())
                return done.error();
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            m_benchmark->put(rows, static_cast<int>(i), outcomes[i]);
        return m_lab.summarise(m_bench, m_benchmark, std::move(rows));
    }

private:
    Result<void> runBatch(const engine::Workload::Batch& batch, const std::vector<MaskedHead>& heads,
                          std::vector<tasks::Outcome>& outcomes)
    {
        // 1. Segments in tokens of the sequences that run.
        std::vector<const engine::Sequence*> sequences;
        std::vector<std::vector<analysis::TokenSegment>> segments;
        std::vector<int> lasts;
        for (const auto& member : batch.members) {
            sequences.push_back(&m_benchmark->workload().sequence(member));
            const tasks::Example& example = m_benchmark->set().examples[static_cast<std::size_t>(member.example)];
            const auto encoding = engine::encodeText(
                example.context, m_benchmark->set().leafOf(static_cast<std::size_t>(member.example)).pairing,
                *m_bench.tokenizer, m_bench.bos);
            if (!encoding.has_value())
                return encoding.error();
            segments.push_back(engine::tokenSegments(example, *encoding));
            lasts.push_back(static_cast<int>(encoding->ids.size()) - 1);
        }
        // 2. Head by head from below, because a masked gather head changes what the next one sees.
        const at::Tensor ids = engine::paddedIds(sequences, batch.length, m_bench.model->device());
        lm::Edits edits;
        edits.layerCount = m_bench.layers();
        for (const MaskedHead& head : heads) {
            if (m_lab.control().stopped())
                return cancelledError();
            if (head.mask == Mask::Whole)
                continue;
            const lm::MixerSpec& mixer =
                *m_bench.spec().layers[static_cast<std::size_t>(head.head.layer)].find(head.head.site);
            const at::Tensor value =
                head.mask == Mask::Nothing
                    ? at::zeros({1, 1, mixer.headDim})
                    : maskedOutput(ids, edits, head, mixer, keepTensor(segments, lasts, head, batch.length, m_random));
            edits.layers[head.head.layer].site(mixer.site()).replace.push_back({head.head.head, value});
        }
        // 3. The answer.
        const at::Tensor logits = m_bench.model->logits(ids, {.edits = &edits}).log_softmax(-1).cpu(); // [B, T, V]
        const auto access = logits.accessor<float, 3>();
        for (std::size_t b = 0; b < sequences.size(); ++b) {
            tasks::Outcome& outcome = outcomes[static_cast<std::size_t>(batch.members[b].example)];
            for (const engine::Sequence::Target& target : sequences[b]->targets) {
                const auto choice = static_cast<std::size_t>(target.choice);
                const at::Tensor row = logits[static_cast<std::int64_t>(b)][target.position];
                outcome.logLikelihoods[choice] += access[static_cast<std::int64_t>(b)][target.position][target.token];
                if (row.argmax().item<std::int64_t>() != target.token)
                    outcome.greedy[choice] = false;
            }
        }
        return {};
    }

    /// [B, T, P]: the head's slice of z with only some entries of its matrix.
    at::Tensor maskedOutput(const at::Tensor& ids, const lm::Edits& edits, const MaskedHead& head,
                            const lm::MixerSpec& mixer, const at::Tensor& keep)
    {
        lm::Capture capture;
        lm::SiteCapture& site = capture.sites[{head.head.layer, mixer.site()}];
        site.wantMatrix = site.wantZ = site.wantValues = true;
        site.heads = {head.head.head};
        const at::Tensor embedding = m_bench.model->embed(ids, {});
        (void)m_bench.model->runLayers(embedding, 0, head.head.layer + 1, embedding,
                                       {.edits = &edits, .capture = &capture});
        const at::Tensor matrix = site.matrix.select(1, 0) * keep.to(site.matrix.device());                 // [B, T, T]
        const at::Tensor masked = at::matmul(matrix, site.values.select(2, head.head.head).to(at::kFloat)); // [B, T, P]
        if (mixer.kind == lm::MixerKind::Attention)
            return masked;
        // z = y * gate, number by number; where y is nothing the gate cannot be told, and nothing is lost.
        const at::Tensor y = site.outputs.select(2, head.head.head).to(at::kFloat);
        const at::Tensor z =
            site.z.narrow(-1, std::int64_t{head.head.head} * mixer.headDim, mixer.headDim).to(at::kFloat);
        return masked * at::where(y.abs() > 1e-12, z / y, at::zeros_like(y));
    }

    Lab& m_lab;
    Bench& m_bench;
    std::shared_ptr<const engine::Benchmark> m_benchmark;
    tasks::PyRandom m_random{0};
};

Result<void> measureMasks(Lab& lab, Bench& bench)
{
    const auto heads = gatherAggregate(lab, bench);
    if (!heads.has_value())
        return heads.error();
    for (const HeadRef& head : heads->both())
        if (const auto kind = bench.spec().layers[static_cast<std::size_t>(head.layer)].find(head.site)->kind;
            kind == lm::MixerKind::Mamba2 || kind == lm::MixerKind::GatedDeltaNet)
            return inputError(
                "The heads of '" + bench.name + "' are " + lm::name(kind)
                + ", whose norm joins them after the matrix; expected attention, Mamba-1 or discrete Mamba-2.");
    // In the toy questions the letter is not read off its option, so the dictionary is what shows the mechanism.
    const std::string task = bench.suite.toy ? bench.suite.kv(bench.suite.pairs()) : bench.suite.mmlu;
    const auto benchmark = lab.benchmark(bench, task);
    if (!benchmark.has_value())
        return benchmark.error();
    MaskedRun run(lab, bench, *benchmark);
    std::optional<Measured> first;
    for (const auto& [state, gather, aggregate] : maskedStates()) {
        std::vector<MaskedHead> masked;
        for (const HeadRef& head : heads->gather)
            masked.push_back({head, true, gather});
        for (const HeadRef& head : heads->aggregate)
            masked.push_back({head, false, aggregate});
        lab.count(**benchmark, 3);
        auto now = lab.planning() ? Result<Measured>(Measured{.benchmark = *benchmark}) : run.run(masked);
        if (!now.has_value())
            return now.error();
        now->task = task;
        Cell accuracy = now->cell();
        if (first) {
            const auto contrast = lab.contrast(*first, *now);
            if (!contrast.has_value())
                return contrast.error();
            accuracy.contrast = *contrast;
        } else {
            first = *now;
        }
        lab.add({{bench.name, state, namesOf(bench.spec(), heads->both()), accuracy}});
    }
    return {};
}

std::string findingMasks(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ") + model + " (" + own.text(own.rows.front(), "heads") + "):";
        for (const Row& row : own.rows)
            if (own.value(row, "accuracy"))
                text += " " + translatedName(own.text(row, "state")) + " " + percent(own.cell(row, "accuracy")) + ",";
        text.back() = '.';
        const Row *pattern = own.find({{"state", "both: only the pattern"}}),
                  *random = own.find({{"state", "both: random entries"}});
        if (pattern && random && own.value(*pattern, "accuracy") && own.value(*random, "accuracy"))
            text += " "
                    + translated(*own.value(*pattern, "accuracy") > *own.value(*random, "accuracy") + kMargin
                                     ? "The pattern alone keeps what random entries lose."
                                     : "The pattern alone keeps no more than random entries.");
    }
    return text;
}

Judgement judgeMasks(const Evidence& evidence)
{
    const Table& table = evidence.table();
    const Row *whole = table.find({{"state", "as it is"}}),
              *pattern = table.find({{"state", "both: only the pattern"}}),
              *random = table.find({{"state", "both: random entries"}});
    if (!whole || !pattern || !random || !evidence.answers(*whole, "accuracy"))
        return {Verdict::CanNotTell, translated("the whole model does not answer above the floor on enough rows")};
    const std::string numbers =
        translated("pattern alone: {}; random entries: {}", evidence.change(*whole, *pattern, "accuracy"),
                   evidence.change(*whole, *random, "accuracy"));
    if (evidence.keeps(*pattern, "accuracy") && evidence.collapses(*whole, *random, "accuracy"))
        return {Verdict::Appears, numbers};
    return {evidence.below(*random, *pattern, "accuracy") ? Verdict::InPart : Verdict::DoesNotAppear, numbers};
}

} // namespace

const std::vector<MaskedState>& maskedStates()
{
    static const std::vector<MaskedState> states = {{"as it is", Mask::Whole, Mask::Whole},
                                                    {"gather: only gathering", Mask::Pattern, Mask::Whole},
                                                    {"gather: random entries", Mask::Random, Mask::Whole},
                                                    {"gather: removed", Mask::Nothing, Mask::Whole},
                                                    {"aggregate: only aggregating", Mask::Whole, Mask::Pattern},
                                                    {"aggregate: random entries", Mask::Whole, Mask::Random},
                                                    {"aggregate: removed", Mask::Whole, Mask::Nothing},
                                                    {"both: only the pattern", Mask::Pattern, Mask::Pattern},
                                                    {"both: random entries", Mask::Random, Mask::Random},
                                                    {"both: removed", Mask::Nothing, Mask::Nothing}};
    return states;
}

Experiment masks()
{
    return {
        .number = "E8",
        .id = "masks",
        .title = "Gather and aggregate heads reduced to the entries of gathering and aggregating, sample by sample",
        .question = "Are the entries of gathering and aggregating enough?",
        .claim = "With only the entries of the gather-and-aggregate pattern left, MMLU of SSMs stays high.",
        .source = "Bick, Xing and Gu 2025, talk, what about SSMs, masking",
        .rule =
            "Appears: with both heads reduced to their pattern the score loses less than 10 points (whole interval), "
            "and with as many random entries at least half of the score above the floor is lost (paired test, Holm, "
            "p < 0.05). In part: the pattern scores above the random entries, their intervals apart.",
        .setting = "Falcon-Mamba-7B and Llamba-8B on MMLU: a mask a sample leaves of the gather head the answer "
                   "segments and of the aggregate head the summary tokens; accuracy stays high. "
                   "The numbers are printed nowhere in the material at hand.",
        .scaled = "toy_kv with 8 pairs, whose segments are the pairs. Controls: as many random entries in the same "
                  "rows, and the heads removed.",
        .assumed = "The paper's masks are not published in full. Here: of a gather head only the rows of segments' "
                   "last tokens stay, on their own segment's other tokens, and the last row, on the question's own "
                   "text; of an aggregate head only the last "
                   "row, on segments' last tokens; nothing is renormalised. The masked matrix is applied to the "
                   "head's values and passes the head's own gate.",
        .needs = {"mmlu"},
        .models = {"tiny-transformer", "tiny-ssm", "tiny-hybrid"},
        .paperModels = {"tiiuae/falcon-mamba-7b-instruct", "goombalab/Llamba-8B-untied"},
        .columns = {{"model", "model"},
                    {"state", "what is left"},
                    {"heads", "heads"},
                    {"accuracy", "MMLU", Unit::Share, Source::Benchmark}},
        .charts = {{"Accuracy with masks", "state", {"accuracy"}, {"model"}, Chart::Kind::Crossed}},
        .run = eachModel(measureMasks),
        .finding = findingMasks,
        .judge = byModel(judgeMasks)};
}

} // namespace headscope::experiments
