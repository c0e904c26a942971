// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/why/edgesearch.h"
#include "core/experiments/words/language.h"
#include "core/why/names.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

constexpr int kSearched = 6, kMeasured = 48; // pairs of each kind
constexpr double kWanted = 0.9;              // share that the search asks for
constexpr double kFaithful = 0.8, kLeft = 0.2, kFew = 0.25;
constexpr std::size_t kShownEdges = 24;
constexpr tasks::Exchange kKinds[] = {tasks::Exchange::Key, tasks::Exchange::Value, tasks::Exchange::Binding};

/// Pairs of each kind: those that edges are looked for on, and others that they are measured on.
struct Pairs {
    std::vector<RecordedPairs> searched, measured;
};

Result<Pairs> recordPairs(const Lab& lab, const Bench& bench, const tasks::TaskSet& set, const lm::Edits& base)
{
    Pairs all;
    for (const tasks::Exchange kind : kKinds) {
        const auto made = engine::pairsOf(set, -1, kind, {*bench.tokenizer, bench.bos});
        if (!made.has_value())
            return made.error();
        const auto count = std::min(made->pairs.size(), static_cast<std::size_t>(kSearched + kMeasured));
        if (count < 2)
            return inputError("A circuit is looked for on some pairs and measured on others; expected more rows.");
        RecordedPairs searched, measured;
        for (std::size_t i = 0; i < count; ++i) {
            auto runs = engine::recordPair(*bench.model, base, made->pairs[i], {lab.control().stop, {}});
            if (!runs.has_value())
                return runs.error();
            (i < std::min<std::size_t>(kSearched, count / 2) ? searched : measured).push_back(std::move(*runs));
        }
        all.searched.push_back(std::move(searched));
        all.measured.push_back(std::move(measured));
    }
    return all;
}

// The heads whose removal changes anything, as writers.
std::set<why::Sender> nodesOf(const Bench& bench, const std::vector<HeadRef>& live)
{
    std::set<why::Sender> nodes;
    for (const HeadRef& head : live)
        nodes.insert(
            {head.layer, bench.spec().layers[static_cast<std::size_t>(head.layer)].find(head.site)->site(), head.head});
    return nodes;
}

std::string edgeName(const lm::ModelSpec& spec, const std::pair<why::Sender, why::Receiver>& edge)
{
    const std::string reader = edge.second.head < 0
                                   ? why::nameOf(spec, edge.second)
                                   : why::headName(spec, edge.second.layer, edge.second.site, edge.second.head);
    return why::nameOf(spec, edge.first) + " > " + reader;
}

Cell shareOf(const FoundEdge& kept)
{
    Cell cell(kept.share.value);
    cell.interval = kept.share.interval;
    cell.n = kept.pairs;
    return cell;
}

Cell answeredOf(const FoundEdge& kept, const std::string& task)
{
    Cell cell(static_cast<double>(kept.answered) / kept.pairs);
    cell.interval = analysis::wilsonInterval(kept.answered, kept.pairs);
    cell.n = kept.pairs;
    cell.task = task;
    return cell;
}

// One row a kind of pair: the circuit kept alone, and all but it.
Result<void> addKinds(Lab& lab, const Bench& bench, const EdgeSearch& search, const std::vector<RecordedPairs>& pairs,
                      const why::Circuit& found, const std::string& task)
{
    const why::Circuit whole = why::everyEdge(*bench.model, search.base);
    why::Circuit others = whole;
    for (const auto& edge : found)
        others.erase(edge);
    for (std::size_t kind = 0; kind < pairs.size(); ++kind) {
        const auto all = search.measure(pairs[kind], whole), kept = search.measure(pairs[kind], found),
                   left = search.measure(pairs[kind], others);
        for (const auto* one : {&all, &kept, &left})
            if (!one->has_value())
                return one->error();
        if (std::abs(all->share.value - 1) > 0.01)
            return inputError("What the heads of " + bench.name
                              + " write does not add up, because a norm or an adapter follows its mixers; "
                                "expected a model without one.");
        lab.add({{bench.name, tasks::name(kKinds[kind]), "", Cell(), static_cast<int>(found.size()),
                  static_cast<int>(whole.size()), shareOf(*kept), shareOf(*left), answeredOf(*all, task),
                  answeredOf(*kept, task), answeredOf(*left, task)}});
    }
    return {};
}

void addEdges(Lab& lab, const Bench& bench, const why::Circuit& found,
              const std::map<std::pair<why::Sender, why::Receiver>, double>& strengths)
{
    std::vector<std::pair<double, std::string>> edges;
    for (const auto& edge : found)
        edges.emplace_back(strengths.at(edge), edgeName(bench.spec(), edge));
    std::sort(edges.rbegin(), edges.rend());
    for (std::size_t i = 0; i < std::min(edges.size(), kShownEdges); ++i)
        lab.add({{bench.name, "", edges[i].second, edges[i].first, Cell(), Cell(), Cell(), Cell(), Cell(), Cell(),
                  Cell()}});
}

Result<void> measureCircuit(Lab& lab, Bench& bench)
{
    const std::string task = bench.suite.kv(bench.suite.pairs());
    const auto benchmark = lab.benchmark(bench, task);
    if (!benchmark.has_value())
        return benchmark.error();
    const auto ranking = lab.rank(bench, task);
    if (!ranking.has_value())
        return ranking.error();
    if (lab.planning()) { // the search is about as many runs as three times the task's
        lab.count(**benchmark, 3);
        return {};
    }
    const lm::Edits base{.layers = {}, .layerCount = bench.layers()};
    const auto pairs = recordPairs(lab, bench, (*benchmark)->set(), base);
    if (!pairs.has_value())
        return pairs.error();
    const EdgeSearch search{*bench.model, base, lab.control()};
    const why::Circuit among = why::everyEdge(*bench.model, base, nodesOf(bench, ranking->live));
    const auto strengths = search.strengths(pairs->searched, among);
    if (!strengths.has_value())
        return strengths.error();
    const auto found = search.find(pairs->searched, *strengths, kWanted);
    if (!found.has_value())
        return found.error();
    lab.addNote("{}: edges were looked for among {} heads whose removal changes an answer's likelihood, on {} pairs of "
                "each kind, and measured on others.",
                bench.name, ranking->live.size(), pairs->searched.front().size());
    if (const auto added = addKinds(lab, bench, search, pairs->measured, *found, task); !added.has_value())
        return added;
    addEdges(lab, bench, *found, *strengths);
    return {};
}

// The rows of kinds of pairs, or those of edges.
std::vector<const Row*> circuitRows(const Table& own, bool kinds)
{
    std::vector<const Row*> rows;
    for (const Row& row : own.rows)
        if (own.text(row, "edge").empty() == kinds)
            rows.push_back(&row);
    return rows;
}

// "L1H2 > L2H5": both ends are heads.
bool betweenHeads(const std::string& edge)
{
    return edge.find("embed") == std::string::npos && edge.find("mlp") == std::string::npos
           && edge.find("logits") == std::string::npos;
}

std::string findingCircuit(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ") + model + ":";
        for (const Row* row : circuitRows(own, true))
            text +=
                " "
                + translated(
                    "with the {} exchanged, {} of {} edges alone carry {} of the logit difference, all others {};",
                    translatedName(own.text(*row, "exchanged")),
                    shown(own.value(*row, "edges").value_or(0), Unit::Count),
                    shown(own.value(*row, "of").value_or(0), Unit::Count),
                    percent(own.value(*row, "faithfulness").value_or(0)), percent(own.value(*row, "left").value_or(0)));
        std::string strongest;
        for (const Row* row : circuitRows(own, false))
            if (strongest.empty() && betweenHeads(own.text(*row, "edge")))
                strongest = translated("{} ({} alone)", own.text(*row, "edge"),
                                       percent(own.value(*row, "strength").value_or(0)));
        text += " "
                + (strongest.empty() ? translated("no edge between two heads was needed.")
                                     : translated("the strongest edge between two heads is {}.", strongest));
    }
    return text;
}

Judgement judgeCircuit(const Evidence& evidence)
{
    const Table& table = evidence.table();
    int faithful = 0, complete = 0, kinds = 0;
    bool few = true;
    for (const Row* row : circuitRows(table, true)) {
        if (!evidence.carries(*row, "faithfulness"))
            return {Verdict::CanNotTell, translated("too few pairs")};
        ++kinds;
        faithful += table.cell(*row, "faithfulness").interval->low >= kFaithful ? 1 : 0;
        complete += table.cell(*row, "left").interval->high <= kLeft ? 1 : 0;
        few = few && *table.value(*row, "edges") <= kFew * *table.value(*row, "of");
    }
    if (kinds == 0)
        return {Verdict::CanNotTell, translated("no pairs were measured")};
    const Verdict verdict = few && faithful == kinds && complete == kinds ? Verdict::Appears
                            : few && faithful > 0                         ? Verdict::InPart
                                                                          : Verdict::DoesNotAppear;
    return {verdict, translated(few ? "few edges, faithful for {} and complete for {} of {} kinds of pairs"
                                    : "many edges, faithful for {} and complete for {} of {} kinds of pairs",
                                faithful, complete, kinds)};
}

} // namespace

Experiment circuit()
{
    return {.number = {},
            .id = "circuit",
            .title = "The edges that carry retrieval: kept alone and left out alone",
            .question = "Do a few edges between heads carry retrieval?",
            .claim = {},
            .source = "beyond the paper: path patching (Wang et al. 2022; Conmy et al. 2023) on its retrieval task",
            .rule = "Appears: at most a quarter of all edges, kept alone, carry at least 80 % of the logit difference "
                    "for each kind of pair, and all others together at most 20 % (95 % intervals). In part: they "
                    "carry it for some kinds, or the others carry more.",
            .setting = "Pairs of prompts in which the key asked for, the value or the binding of the two is exchanged; "
                       "every edge that is not kept carries what it carries in the other prompt.",
            .scaled = "toy_kv with 8 pairs; 6 pairs of each kind for the search, 48 others for the numbers.",
            .assumed =
                "Edges run from the embedding, heads and MLPs into heads (through all of their inputs), MLPs and "
                "the logits. The search keeps the strongest edges until 90 % is reached and leaves out again "
                "what is not needed.",
            .needs = {"kv_retrieval"},
            .models = {"tiny-transformer", "tiny-ssm", "tiny-hybrid"},
            .paperModels = {},
            .columns = {{"model", "model"},
                        {"exchanged", "exchanged"},
                        {"edge", "edge"},
                        {"strength", "alone", Unit::Share},
                        {"edges", "edges", Unit::Count},
                        {"of", "of", Unit::Count},
                        {"faithfulness", "kept alone", Unit::Share},
                        {"left", "all others", Unit::Share},
                        {"answers", "answers", Unit::Share, Source::Benchmark},
                        {"circuit_answers", "answers, edges alone", Unit::Share},
                        {"left_answers", "answers, all others", Unit::Share}},
            .charts = {{"What the edges carry", "exchanged", {"faithfulness", "left"}, {"model"}, Chart::Kind::Bars}},
            .paper = {},
            .run = eachModel(measureCircuit),
            .finding = findingCircuit,
            .judge = byModel(judgeCircuit)};
}

} // namespace headscope::experiments
