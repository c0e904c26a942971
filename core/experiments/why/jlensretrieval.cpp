// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics.h"
#include "core/engine/questions/question.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"
#include "core/why/lenses/jacobianfit.h"
#include "core/why/lenses/lens.h"

#include <algorithm>
#include <array>
#include <span>

namespace headscope::experiments {

namespace {

constexpr std::size_t kJlensRead = 64, kJlensFitted = 32; // prompts
constexpr int kJlensSkip = 4;
constexpr std::array<const char*, 3> kPlaces = {"value", "query", "last"};
constexpr std::array<const char*, 2> kLenses = {"logit", "jacobian"};

/// Of one layer: ranks of the value by place and lens, one a prompt.
struct Ranks {
    std::vector<double> of[kPlaces.size()][kLenses.size()];
    std::vector<double> spread; ///< positions behind the value's own at which the Jacobian lens has it on top
};

/// A prompt with the positions that are read.
struct Retrieved {
    std::vector<int> ids;
    int answer = 0;
    std::array<int, kPlaces.size()> places{};
};

// The last token that a piece of the context reaches into; -1: none.
int lastTokenOf(const text::Encoding& encoding, const tasks::Segment& piece)
{
    int last = -1;
    for (std::size_t t = 0; t < encoding.offsets.size(); ++t) {
        const auto [begin, end] = encoding.offsets[t];
        if (begin < piece.end && end > piece.begin && end > begin)
            last = static_cast<int>(t);
    }
    return last;
}

Result<Retrieved> retrievedOf(const Bench& bench, const tasks::TaskSet& set, int sample)
{
    const tasks::Example& example = set.examples[static_cast<std::size_t>(sample)];
    const auto question = engine::questionOf(set, sample, {*bench.tokenizer, bench.bos});
    if (!question.has_value())
        return question.error();
    const auto encoding = engine::encodeText(example.context, set.leafOf(static_cast<std::size_t>(sample)).pairing,
                                             *bench.tokenizer, bench.bos);
    if (!encoding.has_value())
        return encoding.error();
    Retrieved prompt{
        question->ids, question->answer.value_or(-1), {-1, -1, static_cast<int>(question->ids.size()) - 1}};
    for (const tasks::Segment& piece : example.segments)
        if (piece.role == Role::Query || (piece.role == Role::Value && piece.target))
            prompt.places[piece.role == Role::Query] = lastTokenOf(*encoding, piece);
    if (prompt.answer < 0 || prompt.places[0] < 0 || prompt.places[1] < prompt.places[0])
        return inputError("Sample " + std::to_string(sample) + " of " + set.name
                          + " does not mark its value and its query; expected a task such as toy_kv or kv_retrieval.");
    return prompt;
}

Result<why::JacobianLens> fitForRetrieval(const Lab& lab, const Bench& bench, std::span<const Retrieved> prompts)
{
    const lm::Edits none{.layers = {}, .layerCount = bench.layers()};
    why::JacobianFit fit(*bench.model, none,
                         {.layers = {}, .skip = kJlensSkip, .prompts = static_cast<int>(prompts.size())});
    for (const Retrieved& prompt : prompts) {
        std::vector<int> ids = prompt.ids;
        ids.push_back(prompt.answer); // the last position is no source
        if (const auto added = fit.add(ids, lab.control()); !added.has_value())
            return added.error();
    }
    return fit.mean();
}

void readRanks(const lm::Model& model, const why::Recording& run, const Retrieved& prompt,
               const why::JacobianLens& fitted, std::vector<Ranks>& layers)
{
    for (std::size_t layer = 0; layer < layers.size(); ++layer)
        for (std::size_t lens = 0; lens < kLenses.size(); ++lens) {
            const int first = prompt.places.front(); // the value is read before anything that asks for it
            const at::Tensor logits =
                why::lensLogits(model, run, static_cast<int>(layer), first, std::ssize(prompt.ids) - first,
                                lens == 0 ? nullptr : &fitted); // [positions, V]
            const at::Tensor ranks = logits.gt(logits.select(1, prompt.answer).unsqueeze(1)).sum(1).cpu() + 1;
            for (std::size_t place = 0; place < kPlaces.size(); ++place)
                layers[layer].of[place][lens].push_back(
                    static_cast<double>(ranks[prompt.places[place] - first].item<std::int64_t>()));
            if (lens == 1)
                layers[layer].spread.push_back(
                    static_cast<double>(ranks.narrow(0, 1, ranks.size(0) - 1).eq(1).sum().item<std::int64_t>()));
        }
}

Result<std::vector<Ranks>> ranksUnder(const Lab& lab, const Bench& bench, const InterventionSet& removed,
                                      std::span<const Retrieved> prompts, const why::JacobianLens& fitted)
{
    const auto base = lm::resolve(removed, bench.spec(), bench.donors);
    if (!base.has_value())
        return base.error();
    std::vector<Ranks> layers(static_cast<std::size_t>(bench.layers()) + 1);
    for (const Retrieved& prompt : prompts) {
        const auto run = why::record(*bench.model, prompt.ids, *base, {lab.control().stop, {}});
        if (!run.has_value())
            return run.error();
        readRanks(*bench.model, *run, prompt, fitted, layers);
        lab.control().progress(bench.name + ", lens", static_cast<std::int64_t>(layers.front().spread.size()),
                               std::ssize(prompts));
    }
    return layers;
}

Cell meanCell(std::span<const double> values)
{
    const analysis::Mean mean = analysis::meanOf(values);
    Cell cell(mean.value);
    cell.interval = mean.interval.value_or(analysis::Interval{mean.value, mean.value});
    cell.n = static_cast<int>(values.size());
    return cell;
}

Cell onTopCell(std::span<const double> ranks)
{
    const auto top = std::ranges::count(ranks, 1.0);
    Cell cell(static_cast<double>(top) / static_cast<double>(std::max<std::size_t>(ranks.size(), 1)));
    cell.interval = analysis::wilsonInterval(static_cast<int>(top), static_cast<int>(ranks.size()));
    cell.n = static_cast<int>(ranks.size());
    return cell;
}

void addLayers(Lab& lab, const std::string& model, const std::string& removed, const std::vector<Ranks>& layers,
               int behind)
{
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        Row row{{model, removed, static_cast<int>(layer)}};
        for (const auto& place : layers[layer].of)
            for (const std::vector<double>& ranks : place)
                row.cells.push_back(onTopCell(ranks));
        for (const auto& place : layers[layer].of)
            for (const std::vector<double>& ranks : place)
                row.cells.push_back(meanCell(ranks));
        row.cells.push_back(meanCell(layers[layer].spread));
        row.cells.emplace_back(behind);
        lab.add(std::move(row));
    }
}

Result<void> measureJlensRetrieval(Lab& lab, Bench& bench)
{
    const auto heads = gatherAggregate(lab, bench);
    if (!heads.has_value())
        return heads.error();
    const std::string task = bench.suite.kv(bench.suite.pairs());
    const auto benchmark = lab.benchmark(bench, task);
    if (!benchmark.has_value())
        return benchmark.error();
    const tasks::TaskSet& set = (*benchmark)->set();
    const std::size_t all = set.examples.size();
    if (all < 2)
        return inputError("The experiment needs at least 2 samples of " + task + ", one to fit the lens to; got "
                          + std::to_string(all) + ".");
    const std::size_t read = std::min(kJlensRead, all - std::max<std::size_t>(1, all / 3)),
                      fitted = std::min(kJlensFitted, all - read);
    std::vector<Retrieved> prompts; // those that are read, then those that the lens is fitted to
    for (std::size_t sample = 0; sample < read + fitted; ++sample) {
        auto prompt = retrievedOf(bench, set, static_cast<int>(sample));
        if (!prompt.has_value())
            return prompt.error();
        prompts.push_back(std::move(*prompt));
    }
    std::vector<std::pair<std::string, InterventionSet>> states = {{"nothing", {}}};
    for (const HeadRef& head : heads->both())
        states.emplace_back(nameOf(bench.spec(), head), without({head}));
    if (lab.planning()) {
        const double backward = 2.0 * bench.spec().hidden * static_cast<double>(fitted); // one for each row of a matrix
        lab.count(**benchmark, (backward + static_cast<double>(states.size() * read)) / static_cast<double>(all));
    }
    const auto lens = lab.planning() ? Result<why::JacobianLens>(why::JacobianLens())
                                     : fitForRetrieval(lab, bench, std::span(prompts).subspan(read));
    if (!lens.has_value())
        return lens.error();
    for (const auto& [state, removed] : states) {
        const auto layers =
            lab.planning()
                ? Result<std::vector<Ranks>>(std::vector<Ranks>(static_cast<std::size_t>(bench.layers()) + 1))
                : ranksUnder(lab, bench, removed, std::span(prompts).first(read), *lens);
        if (!layers.has_value())
            return layers.error();
        addLayers(lab, bench.name, state, *layers, heads->aggregate.front().layer + 1);
    }
    return {};
}

// "0, 1, 4": before which layers the value is on top in more than half of the prompts.
std::string layersOnTop(const Table& own, const std::string& removed, const char* key)
{
    std::string layers;
    for (const Row* row : own.where("removed", removed))
        if (own.value(*row, key).value_or(0) > 0.5)
            layers += (layers.empty() ? "" : ", ") + shown(*own.value(*row, "layer"), Unit::Count);
    return layers.empty() ? translated("none") : layers;
}

std::string findingJlensRetrieval(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        const auto on = [&own](const std::string& removed, const char* key) { return layersOnTop(own, removed, key); };
        text +=
            (text.empty() ? "" : " ") + model + ": "
            + translated(
                "layers before which the Jacobian lens has the value on top in most prompts, at its own position: {}; "
                "at the query: {}; at the last position: {} (logit lens: {}; {}; {});",
                on("nothing", "value_jacobian"), on("nothing", "query_jacobian"), on("nothing", "last_jacobian"),
                on("nothing", "value_logit"), on("nothing", "query_logit"), on("nothing", "last_logit"));
        double spread = 0;
        for (const Row* row : own.where("removed", "nothing"))
            spread = std::max(spread, own.value(*row, "spread").value_or(0));
        text += " " + translated("on top at up to {} later positions on average", shown(spread, Unit::Number)) + ";";
        for (const std::string& removed : own.distinct("removed"))
            if (removed != "nothing")
                text += " " + translated("without {}, at the last position: {}", removed, on(removed, "last_jacobian"))
                        + ";";
        text.back() = '.';
    }
    return text;
}

Judgement judgeJlensRetrieval(const Evidence& evidence)
{
    const Table& table = evidence.table();
    bool gathered = false, behind = true, needed = true;
    for (const Row& row : table.rows) {
        if (!evidence.carries(row, "last_jacobian") || !evidence.carries(row, "value_jacobian"))
            return {Verdict::CanNotTell, translated("too few prompts")};
        const auto &value = table.cell(row, "value_jacobian").interval,
                   &last = table.cell(row, "last_jacobian").interval;
        const bool after = *table.value(row, "layer") >= *table.value(row, "behind");
        if (table.text(row, "removed") != "nothing")
            needed = needed && last->high < 0.5;
        else {
            gathered = gathered || (!after && value->low > 0.5);
            behind = behind && (after ? last->low > 0.5 : last->high < 0.5);
        }
    }
    const int met = int{gathered} + int{behind} + int{needed};
    return {met == 3  ? Verdict::Appears
            : met > 0 ? Verdict::InPart
                      : Verdict::DoesNotAppear,
            translated(gathered ? "the value can be read at its own position before it is aggregated"
                                : "the value cannot be read at its own position before it is aggregated")
                + ", "
                + translated(behind ? "at the last position behind the aggregate head and not before"
                                    : "at the last position not in every layer behind the aggregate head, or before it")
                + ", "
                + translated(needed ? "and there neither without the gather nor without the aggregate head"
                                    : "and there also without one of the two heads")};
}

std::vector<Column> columnsJlensRetrieval()
{
    std::vector<Column> columns = {{"model", "model"}, {"removed", "removed"}, {"layer", "before layer", Unit::Count}};
    const auto add = [&](const std::string& prefix, const std::array<const char*, 6>& titles, Unit unit) {
        for (std::size_t i = 0; i < titles.size(); ++i)
            columns.push_back({prefix + kPlaces[i / 2] + "_" + kLenses[i % 2], titles[i], unit});
    };
    add("",
        {"on top at the value, logit lens", "on top at the value, Jacobian lens", "on top at the query, logit lens",
         "on top at the query, Jacobian lens", "on top at the last position, logit lens",
         "on top at the last position, Jacobian lens"},
        Unit::Share);
    add("rank_",
        {"mean rank at the value, logit lens", "mean rank at the value, Jacobian lens",
         "mean rank at the query, logit lens", "mean rank at the query, Jacobian lens",
         "mean rank at the last position, logit lens", "mean rank at the last position, Jacobian lens"},
        Unit::Number);
    columns.push_back({"spread", "later positions with the value on top", Unit::Number});
    columns.push_back({"behind", "behind the aggregate head", Unit::Count});
    return columns;
}

} // namespace

Experiment jlensRetrieval()
{
    return {.number = {},
            .id = "jlens-retrieval",
            .title = "The layers and positions at which a retrieved value can be read, with a Jacobian lens",
            .question = "At which layer and position can the retrieved value be read, and without which head not?",
            .claim = {},
            .source = "beyond the paper: Jacobian lens (Gurnee et al. 2026) on its retrieval task",
            .rule = "Appears: through the Jacobian lens the value is the likeliest token in more than half of the "
                    "prompts (95 % interval) at its own position before the aggregate head's layer; at the last "
                    "position behind that layer and in fewer before it; and with the gather or the aggregate head "
                    "removed in fewer at the last position at every layer. In part: one or two of the three.",
            .setting = "The stream before each layer at the value's own position, at the asked key in the query and at "
                       "the last position of KV retrieval, through the logit lens and a Jacobian lens.",
            .scaled = "toy_kv with 8 pairs, 64 prompts; the lens is fitted to 32 others; both heads are found by "
                      "removing every head once.",
            .assumed = "The lens is fitted to prompts of the same task with all heads on, without the first 4 "
                       "positions, and used with heads removed as well. Rank 1 is the likeliest token.",
            .needs = {"kv_retrieval"},
            .models = {"tiny-transformer", "tiny-ssm", "tiny-hybrid"},
            .paperModels = {},
            .columns = columnsJlensRetrieval(),
            .charts =
                {{"Value on top at its own position, Jacobian lens", "layer", {"value_jacobian"}, {"model", "removed"}},
                 {"Value on top at the query, Jacobian lens", "layer", {"query_jacobian"}, {"model", "removed"}},
                 {"Value on top at the last position, Jacobian lens", "layer", {"last_jacobian"}, {"model", "removed"}},
                 {"Value on top at the last position, logit lens", "layer", {"last_logit"}, {"model", "removed"}}},
            .paper = {},
            .run = eachModel(measureJlensRetrieval),
            .finding = findingJlensRetrieval,
            .judge = byModel(judgeJlensRetrieval)};
}

} // namespace headscope::experiments
