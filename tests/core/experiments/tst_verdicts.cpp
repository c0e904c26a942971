// SPDX-License-Identifier: GPL-3.0-or-later
// Verdicts on tables that were made to show an effect, half of it, nothing, or too little to tell.
#include "core/analysis/multiplicity.h"
#include "core/experiments/benchmarknames.h"
#include "core/experiments/evidence/comparison.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experiment.h"
#include "core/experiments/experimentreport.h"
#include "core/experiments/paper/redundancy.h"
#include "core/experiments/study.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <functional>

using namespace headscope;
using namespace headscope::experiments;

namespace {

/// A benchmark of `n` rows answered so often; beside `before`, where there is one, with a paired contrast. A change of
/// less than two points is called noise.
Cell score(const std::string& task, double value, std::optional<double> before = {}, int n = 256)
{
    Cell cell(value);
    cell.task = task;
    cell.n = n;
    cell.chance = 0.25;
    cell.interval = analysis::wilsonInterval(std::llround(value * n), n);
    if (before) {
        const double difference = value - *before, half = 1.96 * std::sqrt(0.25 / n);
        cell.contrast = Contrast{difference,
                                 {difference - half, difference + half},
                                 std::abs(difference) < 0.02 ? 0.8 : std::exp(-std::abs(difference) * n / 4),
                                 n};
    }
    return cell;
}

/// What three benchmarks of a state gave, beside the first state.
struct State {
    double mc, knowledge, kv;
};

std::vector<Cell> cellsOf(std::vector<Cell> labels, const State& now, const std::optional<State>& first, int n)
{
    const auto before = [&](double State::*key) { return first ? std::optional((*first).*key) : std::nullopt; };
    labels.push_back(score("toy_mc", now.mc, before(&State::mc), n));
    labels.push_back(score("toy_knowledge", now.knowledge, before(&State::knowledge), n));
    labels.push_back(score("toy_kv:pairs=16", now.kv, before(&State::kv), n));
    return labels;
}

const Experiment& named(const std::string& id)
{
    const auto found = findExperiment(id);
    Q_ASSERT(found.has_value());
    return **found;
}

/// The rows of one model: labels of each row and its state, the first row's being what the others are compared with.
Table tableOf(const std::string& id, const std::vector<std::pair<std::vector<Cell>, State>>& rows, int n = 256)
{
    Table table{named(id).columns, {}};
    for (const auto& [labels, state] : rows) {
        const bool first = table.rows.empty();
        Row row{cellsOf(labels, state, first ? std::nullopt : std::optional(rows.front().second), n)};
        row.cells.resize(table.columns.size());
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// "mmlu", "lambada", ... of E6: the state's numbers at their places among the battery's seven columns.
Table removalTable(const std::vector<std::pair<std::vector<Cell>, State>>& rows, const std::string& id, int n = 256)
{
    Table table{named(id).columns, {}};
    for (const auto& [labels, state] : rows) {
        const bool first = table.rows.empty();
        const auto three = cellsOf({}, state, first ? std::nullopt : std::optional(rows.front().second), n);
        Row row{labels};
        row.cells.resize(table.columns.size());
        row.cells[table.column("mmlu")] = three[0];
        row.cells[table.column("knowledge")] = three[1];
        row.cells[table.column("kv")] = three[2];
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table prunedTable(double retrieval, double knowledge, int n = 256)
{
    return tableOf("individual-pruning",
                   {{{"m", "all layers", "nothing"}, {1.0, 1.0, 1.0}},
                    {{"m", "without L0", "skip:L0"}, {0.99, 0.99, 0.99}},
                    {{"m", "without L1", "skip:L1"}, {retrieval, knowledge, retrieval}},
                    {{"m", "without L2", "skip:L2"}, {0.99, 0.99, 0.99}}},
                   n);
}

Table keptTable(const State& aggregateOnly, const State& gatherOnly, const State& neither, int n = 256)
{
    return tableOf("heads-kept",
                   {{{"m", "both kept", "keep:L1H1 keep:L2H2"}, {1.0, 1.0, 1.0}},
                    {{"m", "only the aggregate head kept", "keep:L2H2 L1H*"}, aggregateOnly},
                    {{"m", "only the gather head kept", "keep:L1H1 L2H*"}, gatherOnly},
                    {{"m", "neither kept", "L1H* L2H*"}, neither}},
                   n);
}

Table rankedTable(const State& ranked, const State& random)
{
    return removalTable({{{"m", "ranked", 0, "none", "attention"}, {1.0, 1.0, 1.0}},
                         {{"m", "ranked", 2, "L1H1, L2H2", "attention"}, ranked},
                         {{"m", "random 1", 2, "L0H1, L3H2", "attention"}, random}},
                        "ranking");
}

Table layersTable(const State& third, const State& second)
{
    return tableOf("gradual-pruning", {{{"m", 4, "L3"}, {1.0, 1.0, 1.0}},
                                       {{"m", 3, "L2"}, third},
                                       {{"m", 2, "L1"}, second},
                                       {{"m", 1, "L0"}, {0.25, 0.25, 0.25}}});
}

Table hybridTable(const State& attention, const State& control)
{
    return removalTable({{{"m", "attention", 0, "none", "hybrid"}, {1.0, 1.0, 1.0}},
                         {{"m", "attention", 6, "six", "hybrid"}, attention},
                         {{"m", "SSM (control)", 6, "others", "hybrid"}, control}},
                        "hybrid-masking");
}

Table sharedTable(double transformer, double ssm)
{
    Table table = removalTable({{{"a", "ranked", 0, "none", "attention"}, {1.0, 1.0, 1.0}},
                                {{"a", "ranked", 1, "one", "attention"}, {transformer, 1.0, transformer}},
                                {{"a", "ranked", 4, "four", "attention"}, {0.25, 1.0, 0.25}}},
                               "redundancy");
    const Table other = removalTable({{{"b", "ranked", 0, "none", "SSM"}, {1.0, 1.0, 1.0}},
                                      {{"b", "ranked", 1, "one", "SSM"}, {ssm, 1.0, ssm}},
                                      {{"b", "ranked", 4, "four", "SSM"}, {0.25, 1.0, 0.25}}},
                                     "redundancy");
    table.rows.insert(table.rows.end(), other.rows.begin(), other.rows.end());
    return table;
}

Table maskTable(double pattern, double random)
{
    Table table{named("masks").columns, {}};
    const auto add = [&](const char* state, double value, std::optional<double> before) {
        table.rows.push_back({{"m", state, "L1H1, L2H2", score("toy_kv:pairs=8", value, before)}});
    };
    add("as it is", 0.99, {});
    add("both: only the pattern", pattern, 0.99);
    add("both: random entries", random, 0.99);
    return table;
}

Table curveTable(double withoutGather, double withoutAggregate)
{
    Table table{named("kv-curve").columns, {}};
    for (const int pairs : {4, 8}) {
        const std::string task = "toy_kv:pairs=" + std::to_string(pairs);
        table.rows.push_back({{"m", "baseline", pairs, score(task, 0.98)}});
        table.rows.push_back({{"m", "without gather L1H1", pairs, score(task, withoutGather, 0.98)}});
        table.rows.push_back({{"m", "without aggregate L2H2", pairs, score(task, withoutAggregate, 0.98)}});
    }
    for (Row& row : table.rows)
        row.cells.resize(table.columns.size());
    return table;
}

Table lookTable(double attention, double ssm)
{
    Table table{named("heatmaps").columns, {}};
    for (const std::string role : {"gather", "aggregate"})
        for (const auto& [kind, tokens] : {std::pair<std::string, double>("attention", attention), {"SSM", ssm}}) {
            Row row{{"m", "L1H1", role, kind}};
            row.cells.resize(table.columns.size());
            Cell cell(tokens);
            cell.interval = analysis::Interval{tokens - 0.5, tokens + 0.5};
            cell.n = 32;
            row.cells[table.column("effective")] = cell;
            table.rows.push_back(row);
        }
    return table;
}

Table promoteTable(double whole, double louder)
{
    Table table{named("promote").columns, {}};
    table.rows.push_back({{"m", "gather", "L1H1", 1.0, score("toy_kv:pairs=32", whole), Cell(), Cell()}});
    table.rows.push_back({{"m", "gather", "L1H1", 2.0, score("toy_kv:pairs=32", louder, whole), Cell(), Cell()}});
    return table;
}

Table formatTable(double chat, double regular)
{
    Table table{named("format").columns, {}};
    table.rows.push_back({{"m", 0, "none", score("toy_mc", 0.99), score("toy_knowledge", 0.99)}});
    table.rows.push_back({{"m", 3, "L1H1", score("toy_mc", chat, 0.99), score("toy_knowledge", regular, 0.99)}});
    return table;
}

/// An aligned SSM with each of four layers replaced, the third by that much.
Table replacedTable(double third, double knowledge)
{
    const State none{0.3, 0.99, 0.3}, other{0.31, 0.99, 0.31};
    return tableOf("layer-replacement", {{{"m", "none", Cell()}, none},
                                         {{"m", "L0", 0}, other},
                                         {{"m", "L1", 1}, other},
                                         {{"m", "L2", 2}, {third, knowledge, third}},
                                         {{"m", "L3", 3}, other}});
}

/// A base that answers everything as it is.
Table fullTable()
{
    const State all{0.99, 0.99, 0.98}, broken{0.25, 0.1, 0.05};
    return tableOf("layer-replacement", {{{"m", "none", Cell()}, all}, {{"m", "L0", 0}, broken}});
}

/// KV retrieval of students with the ranked heads and with random ones.
Table studentsTable(double ranked, double random)
{
    return removalTable({{{"m", "ranked", 0, "none"}, {0.3, 0.99, 0.26}},
                         {{"m", "ranked", 3, "L1H1"}, {0.3, 0.99, ranked}},
                         {{"m", "random 1", 3, "L0H1"}, {0.3, 0.99, random}}},
                        "retrieval-guided-hybrids");
}

Table statesTable(double mc, double knowledge)
{
    return removalTable({{{"m", 4, "L1H1"}, {0.7, 0.7, 0.7}}, {{"m", 64, "L1H1"}, {mc, knowledge, 0.9}}}, "state-size");
}

/// Perplexities of KV retrieval with 0 to 3 heads, as changes in nats.
Table perplexityTable(const std::vector<double>& changes)
{
    Table table{named("perplexity").columns, {}};
    for (std::size_t k = 0; k < changes.size(); ++k) {
        Row row{{"m"}};
        row.cells.resize(table.columns.size());
        row.cells[table.column("k")] = static_cast<int>(k);
        row.cells[table.column("heads")] = k == 0 ? "none" : "L1H1";
        Cell cell(8 * std::exp(changes[k]));
        cell.n = 256;
        cell.task = "toy_kv:pairs=16";
        if (k > 0)
            cell.contrast =
                Contrast{changes[k], {changes[k] - 0.05, changes[k] + 0.05}, changes[k] < -0.1 ? 1e-6 : 0.8, 256};
        row.cells[table.column("kv")] = cell;
        table.rows.push_back(row);
    }
    return table;
}

/// Twelve heads whose cost follows their score, or does not.
Table quantifyTable(bool follows)
{
    Table table{named("quantify").columns, {}};
    for (int i = 0; i < 12; ++i) {
        Row row{{"m"}};
        row.cells.resize(table.columns.size());
        for (const char* key : {"gather", "aggregate", "either"})
            row.cells[table.column(key)] = 0.05 * i;
        row.cells[table.column("cost")] = follows ? 0.01 * i : 0.01 * ((i * 5) % 12);
        table.rows.push_back(row);
    }
    return table;
}

/// One pair of heads: what both cost beyond the sum of 3 nats each.
Table pairTable(double interaction, const char* kind)
{
    Table table{named("complementary").columns, {}};
    Cell beyond(interaction);
    beyond.n = 256;
    beyond.interval = analysis::Interval{interaction - 0.2, interaction + 0.2};
    beyond.contrast = Contrast{interaction, *beyond.interval, std::abs(interaction) > 0.2 ? 1e-6 : 0.7, 256};
    table.rows.push_back({{"m", "L1H1", "L2H2", 3.0, 3.0, 6.0 + interaction, beyond, kind}});
    return table;
}

/// Sizes as the paper prints them, or doubled, and what was measured beside what was computed.
Table bytesTable(double times, double measured)
{
    const Experiment& experiment = named("cache-memory");
    Table table{experiment.columns, {}};
    for (std::size_t i = 0; i < experiment.paper.size(); ++i) {
        Row row{{experiment.paper[i].label, 128, times * *experiment.paper[i].find("bytes"), Cell()},
                static_cast<int>(i)};
        row.cells.resize(table.columns.size());
        table.rows.push_back(row);
    }
    Row own{{"m", 128, 1000.0, measured}};
    own.cells.resize(table.columns.size());
    table.rows.push_back(own);
    return table;
}

Cell share(double value, double half = 0.02)
{
    Cell cell(value);
    cell.n = 48;
    cell.interval = analysis::Interval{value - half, value + half};
    return cell;
}

Table circuitTable(int edges, double kept, double left)
{
    Table table{named("circuit").columns, {}};
    for (const char* kind : {"key", "value"})
        table.rows.push_back({{"m", kind, "", Cell(), edges, 100, share(kept),
                               share(kind == std::string("key") ? left : 0.1), Cell(), Cell(), Cell()}});
    table.rows.push_back({{"m", "", "L1H2 > L2H5", 0.8, Cell(), Cell(), Cell(), Cell(), Cell(), Cell(), Cell()}});
    return table;
}

/// `before` and `behind` the aggregate head's layer, and with a head removed at the end.
Table lensTable(double before, double behind, double without)
{
    Table table{named("lens-retrieval").columns, {}};
    for (const char* removed : {"nothing", "L2H5"})
        for (const int layer : {2, 3})
            table.rows.push_back({{"m", removed, layer,
                                   share(layer == 2                          ? before
                                         : removed == std::string("nothing") ? behind
                                                                             : without),
                                   -1.0, 3}});
    return table;
}

/// The Jacobian lens at the value's position `own`, at the last one `before` and `behind` the aggregate head's layer,
/// and with a head removed at the end.
Table jlensTable(double own, double before, double behind, double without)
{
    Table table{named("jlens-retrieval").columns, {}};
    for (const char* removed : {"nothing", "L2H5"})
        for (const int layer : {2, 3}) {
            Row row{{"m", removed, layer}};
            row.cells.resize(table.columns.size(), share(0.1));
            row.cells[table.column("value_jacobian")] = share(layer == 2 ? own : 0.1);
            row.cells[table.column("last_jacobian")] = share(removed != std::string("nothing") ? without
                                                             : layer == 2                      ? before
                                                                                               : behind);
            row.cells[table.column("behind")] = 3;
            table.rows.push_back(std::move(row));
        }
    return table;
}

/// Retrieval at three checkpoints, how much of the last a head's removal leaves, and the retrieval score of its
/// aggregate head at each.
Table emergenceTable(const std::array<double, 3>& retrieval, double left, const std::array<double, 3>& reads)
{
    Table table{named("emergence").columns, {}};
    for (std::size_t i = 0; i < retrieval.size(); ++i) {
        const Cell kv = score("toy_kv:pairs=8", retrieval[i], {}, 256);
        const auto without = [&](double now) { return score("toy_kv:pairs=8", now, retrieval[i], 256); };
        table.rows.push_back({{"step", static_cast<int>(i + 1), kv, without(retrieval[i]),
                               without(i == 2 ? left : retrieval[i]), reads[i], 0.5, "L1H2", "L2H5"}});
    }
    return table;
}

/// Heads whose scores follow the cost of removal but for the first, whose order is turned round.
Table scoresTable(int heads, int exchanged)
{
    Table table{named("survey-gather-aggregate").columns, {}};
    for (int head = 0; head < heads; ++head) {
        const double score = head < exchanged ? exchanged - 1 - head : head;
        table.rows.push_back(
            {{"m", "L0H" + std::to_string(head), score, 0.0, score, score, 0.0, score, 0.0, 0.1 * head}});
    }
    return table;
}

} // namespace

class TestVerdicts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyExperimentSaysItsRule();
    void judgesByTheRule_data();
    void judgesByTheRule();
    void everyRuleIsTriedBothWays();
    void emergenceNamesTheRetrievalScore();
    void countsTheHeadsThatHalveAScore();
    void nothingFallsThatWasAtGuessing();
    void fewRowsCarryNoVerdict();
    void sampleRowsCarryNoVerdict();
    void anUnfinishedRunIsNotJudged();
    void severalModelsAgreeOrNot();
    void columnsAreNamedByWhatWasMeasured();
    void whatWasNotToldIsNotClaimed();
    void contrastsSurviveTheFile();
    void correctsForAllContrasts();
    void printedPsAreThoseOfTheVerdict();
    void aStudyIsOneDocument();
    void whatCouldNotBeRunHasAPageThatSaysWhy();
    void twoRunsAreComparedPageByPage();
};

void TestVerdicts::everyExperimentSaysItsRule()
{
    for (const Experiment& experiment : allExperiments()) {
        QVERIFY2(experiment.judge, experiment.id.c_str());
        QVERIFY2(experiment.question.ends_with("?"), experiment.id.c_str());
        QVERIFY2(experiment.rule.starts_with("Appears: "), experiment.id.c_str());
        QVERIFY2(!experiment.source.empty(), experiment.id.c_str());
        QCOMPARE(experiment.claim.empty(), experiment.number.empty()); // the paper claims what it numbers
        QCOMPARE(experiment.judge(Table{experiment.columns, {}}).verdict, Verdict::CanNotTell);
    }
}

void TestVerdicts::judgesByTheRule_data()
{
    QTest::addColumn<std::string>("id");
    QTest::addColumn<Table>("table");
    QTest::addColumn<Verdict>("verdict");
    const auto row = [](const char* name, const char* id, const Table& table, Verdict verdict) {
        QTest::newRow(name) << std::string(id) << table << verdict;
    };
    const State gone{0.3, 0.99, 0.3}, fine{0.99, 0.99, 0.99}, everything{0.3, 0.3, 0.3};
    row("layers: retrieval breaks alone", "gradual-pruning", layersTable(fine, gone), Verdict::Appears);
    row("layers: everything breaks", "gradual-pruning", layersTable(everything, everything), Verdict::InPart);
    row("layers: little by little", "gradual-pruning", layersTable({0.75, 0.75, 0.75}, {0.5, 0.5, 0.5}),
        Verdict::DoesNotAppear);
    row("one layer: retrieval alone", "individual-pruning", prunedTable(0.3, 0.99), Verdict::Appears);
    row("one layer: knowledge too", "individual-pruning", prunedTable(0.3, 0.5), Verdict::InPart);
    row("one layer: nothing", "individual-pruning", prunedTable(0.95, 0.99), Verdict::DoesNotAppear);
    row("heads: both needed", "heads-kept", keptTable(gone, gone, gone), Verdict::Appears);
    row("heads: one needed", "heads-kept", keptTable(fine, gone, gone), Verdict::InPart);
    row("heads: none needed", "heads-kept", keptTable(fine, fine, fine), Verdict::DoesNotAppear);
    row("curve: both lower", "kv-curve", curveTable(0.3, 0.5), Verdict::Appears);
    row("curve: one lower", "kv-curve", curveTable(0.3, 0.97), Verdict::InPart);
    row("curve: none lower", "kv-curve", curveTable(0.98, 0.97), Verdict::DoesNotAppear);
    row("ranking: more than random", "ranking", rankedTable(gone, fine), Verdict::Appears);
    row("ranking: as much as random", "ranking", rankedTable(gone, gone), Verdict::InPart);
    row("ranking: nothing", "ranking", rankedTable(fine, fine), Verdict::DoesNotAppear);
    row("hybrid: attention alone", "hybrid-masking", hybridTable(gone, fine), Verdict::Appears);
    row("hybrid: control too", "hybrid-masking", hybridTable(gone, gone), Verdict::InPart);
    row("hybrid: nothing", "hybrid-masking", hybridTable(fine, gone), Verdict::DoesNotAppear);
    row("shared: SSM by more heads", "redundancy", sharedTable(0.3, 0.9), Verdict::Appears);
    row("shared: by as many", "redundancy", sharedTable(0.3, 0.3), Verdict::DoesNotAppear);
    row("masks: pattern enough", "masks", maskTable(0.98, 0.3), Verdict::Appears);
    row("masks: pattern helps", "masks", maskTable(0.7, 0.3), Verdict::InPart);
    row("masks: pattern no better", "masks", maskTable(0.3, 0.3), Verdict::DoesNotAppear);
    row("patterns: attention peaked", "heatmaps", lookTable(2, 20), Verdict::Appears);
    row("patterns: alike", "heatmaps", lookTable(20, 20), Verdict::DoesNotAppear);
    row("louder: better", "promote", promoteTable(0.5, 0.8), Verdict::Appears);
    row("louder: no better", "promote", promoteTable(0.5, 0.51), Verdict::DoesNotAppear);
    row("circuit: few carry all", "circuit", circuitTable(20, 0.95, 0.05), Verdict::Appears);
    row("circuit: others carry too", "circuit", circuitTable(20, 0.95, 0.6), Verdict::InPart);
    row("circuit: few carry little", "circuit", circuitTable(20, 0.3, 0.6), Verdict::DoesNotAppear);
    row("circuit: many edges", "circuit", circuitTable(60, 0.95, 0.05), Verdict::DoesNotAppear);
    row("lens: behind the head", "lens-retrieval", lensTable(0.1, 0.9, 0.1), Verdict::Appears);
    row("lens: not for the head", "lens-retrieval", lensTable(0.1, 0.9, 0.9), Verdict::InPart);
    row("lens: earlier", "lens-retrieval", lensTable(0.9, 0.9, 0.9), Verdict::DoesNotAppear);
    row("jlens: gathered, then aggregated", "jlens-retrieval", jlensTable(0.9, 0.1, 0.9, 0.1), Verdict::Appears);
    row("jlens: not at its own position", "jlens-retrieval", jlensTable(0.1, 0.1, 0.9, 0.1), Verdict::InPart);
    row("jlens: not for the head", "jlens-retrieval", jlensTable(0.9, 0.1, 0.9, 0.9), Verdict::InPart);
    row("jlens: nowhere it should be", "jlens-retrieval", jlensTable(0.1, 0.9, 0.9, 0.9), Verdict::DoesNotAppear);
    row("heads: with retrieval", "emergence", emergenceTable({0.1, 0.9, 0.95}, 0.05, {0.1, 0.8, 0.9}),
        Verdict::Appears);
    row("heads: none carries it", "emergence", emergenceTable({0.1, 0.9, 0.95}, 0.9, {0.1, 0.8, 0.9}), Verdict::InPart);
    row("heads: read from the start", "emergence", emergenceTable({0.1, 0.9, 0.95}, 0.05, {0.8, 0.8, 0.9}),
        Verdict::InPart);
    row("heads: read later", "emergence", emergenceTable({0.1, 0.9, 0.95}, 0.05, {0.1, 0.1, 0.9}), Verdict::InPart);
    row("heads: nothing is learned", "emergence", emergenceTable({0.95, 0.9, 0.95}, 0.05, {0.1, 0.8, 0.9}),
        Verdict::DoesNotAppear);
    row("scores: follow", "survey-gather-aggregate", scoresTable(12, 3), Verdict::Appears);
    row("scores: a little", "survey-gather-aggregate", scoresTable(60, 42), Verdict::InPart);
    row("scores: hardly", "survey-gather-aggregate", scoresTable(12, 10), Verdict::DoesNotAppear);
    row("scores: the other way", "survey-gather-aggregate", scoresTable(12, 12), Verdict::DoesNotAppear);
    row("scores: few heads", "survey-gather-aggregate", scoresTable(8, 0), Verdict::CanNotTell);
    row("forms: chat alone", "format", formatTable(0.3, 0.98), Verdict::Appears);
    row("forms: chat a little more", "format", formatTable(0.8, 0.85), Verdict::InPart);
    row("forms: alike", "format", formatTable(0.98, 0.97), Verdict::DoesNotAppear);
    row("one layer back: retrieval", "layer-replacement", replacedTable(0.9, 0.99), Verdict::Appears);
    row("one layer back: at a price", "layer-replacement", replacedTable(0.9, 0.5), Verdict::InPart);
    row("one layer back: nothing to raise", "layer-replacement", fullTable(), Verdict::CanNotTell);
    row("one layer back: nothing", "layer-replacement", replacedTable(0.32, 0.99), Verdict::DoesNotAppear);
    row("students: more than random", "retrieval-guided-hybrids", studentsTable(0.95, 0.3), Verdict::Appears);
    row("students: as random", "retrieval-guided-hybrids", studentsTable(0.95, 0.95), Verdict::InPart);
    row("students: nothing", "retrieval-guided-hybrids", studentsTable(0.27, 0.26), Verdict::DoesNotAppear);
    row("states: small is enough", "state-size", statesTable(0.7, 0.7), Verdict::Appears);
    row("states: for one of two", "state-size", statesTable(0.95, 0.7), Verdict::InPart);
    row("states: large is better", "state-size", statesTable(0.95, 0.95), Verdict::DoesNotAppear);
    row("perplexity: with the first", "perplexity", perplexityTable({0, -1.5, -1.8, -2}), Verdict::Appears);
    row("perplexity: with the last", "perplexity", perplexityTable({0, -0.01, -0.02, -2}), Verdict::InPart);
    row("perplexity: as before", "perplexity", perplexityTable({0, -0.01, 0.01, -0.02}), Verdict::DoesNotAppear);
    row("scores tell the cost", "quantify", quantifyTable(true), Verdict::Appears);
    row("scores tell nothing", "quantify", quantifyTable(false), Verdict::DoesNotAppear);
    row("pairs: one chain", "complementary", pairTable(-2.5, "one chain"), Verdict::Appears);
    row("pairs: a chain by chance", "complementary", pairTable(-0.1, "one chain"), Verdict::DoesNotAppear);
    row("pairs: additive", "complementary", pairTable(0.05, "additive"), Verdict::DoesNotAppear);
    row("bytes: as printed", "cache-memory", bytesTable(1, 1000), Verdict::Appears);
    row("bytes: measured otherwise", "cache-memory", bytesTable(1, 1200), Verdict::InPart);
    row("bytes: neither", "cache-memory", bytesTable(2, 1200), Verdict::DoesNotAppear);
    row("louder: nothing left", "promote", promoteTable(0.995, 0.999), Verdict::CanNotTell);
}

void TestVerdicts::judgesByTheRule()
{
    QFETCH(std::string, id);
    QFETCH(Table, table);
    QFETCH(Verdict, verdict);
    const Judgement judgement = named(id).judge(table);
    QVERIFY2(judgement.verdict == verdict, (std::string(name(judgement.verdict)) + ": " + judgement.why).c_str());
    QVERIFY(!judgement.why.empty());
}

void TestVerdicts::everyRuleIsTriedBothWays()
{
    QFile own(QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/core/experiments/tst_verdicts.cpp"));
    QVERIFY(own.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(own.readAll());
    for (const Experiment& experiment : allExperiments())
        for (const char* verdict : {"Verdict::Appears", "Verdict::DoesNotAppear"})
            QVERIFY2(QRegularExpression(QStringLiteral("row\\(\"[^\"]+\", \"%1\",[^;]*%2")
                                            .arg(QString::fromStdString(experiment.id), QLatin1String(verdict)))
                         .match(text)
                         .hasMatch(),
                     experiment.id.c_str());
}

// The number is a count of largest entries, not a mass of attention.
void TestVerdicts::emergenceNamesTheRetrievalScore()
{
    const Experiment& experiment = named("emergence");
    const Table table = emergenceTable({0.1, 0.9, 0.95}, 0.05, {0.1, 0.8, 0.9});
    QCOMPARE(table.columns[table.column("reads")].title, std::string("retrieval score of the aggregate head"));
    const std::string found = experiment.finding(table);
    QVERIFY2(found.find("the retrieval score of L2H5 at step 2 (90.0 % at the end)") != std::string::npos,
             found.c_str());
    for (const std::string* text : {&found, &experiment.rule})
        QVERIFY2(text->find("mass") == std::string::npos, text->c_str());
}

void TestVerdicts::countsTheHeadsThatHalveAScore()
{
    const auto counted = halvedBy(sharedTable(0.3, 0.9));
    QCOMPARE(counted.size(), std::size_t(4)); // two models, two benchmarks
    for (const HalvedBy& one : counted) {
        QCOMPARE(one.attention, one.model == "a");
        QCOMPARE(one.tried, 4.0);
        QVERIFY(one.heads.has_value());
        QCOMPARE(*one.heads, one.model == "a" ? 1.0 : 4.0);
    }
    // No number of heads halves what stays: none is told.
    Table whole = sharedTable(0.9, 0.9);
    whole.rows.erase(whole.rows.begin() + 2); // without the four heads of the first
    QVERIFY(!halvedBy(whole).front().heads.has_value());
    QCOMPARE(halvedBy(whole).front().tried, 1.0);
    // The paper's table: 60.3 to 32.2 with 20 heads is half above 25; 52.5 to 41.2 with 30 is not.
    const auto paper = halvedByPaper(named("redundancy"));
    QCOMPARE(paper.size(), std::size_t(2));
    QCOMPARE(paper[0].heads.value_or(0), 20.0);
    QVERIFY(!paper[1].heads.has_value());
    QCOMPARE(paper[1].tried, 30.0);
}

void TestVerdicts::nothingFallsThatWasAtGuessing()
{
    // From 0.26 to 0.20 where guessing is 0.25 is no fall, and from 0.20 to 0.26 no rise.
    const State low{0.26, 0.99, 0.26}, lower{0.2, 0.99, 0.2};
    const std::string layers =
        named("gradual-pruning").finding(tableOf("gradual-pruning", {{{"m", 2, "L1"}, low}, {{"m", 1, "L0"}, lower}}));
    QVERIFY2(layers.find("falls") == std::string::npos, layers.c_str());
    QVERIFY2(layers.find("was not above the floor before") != std::string::npos, layers.c_str());
    const std::string removed = named("ranking").finding(removalTable(
        {{{"m", "ranked", 0, "none", "attention"}, low}, {{"m", "ranked", 2, "L1H1", "attention"}, lower}}, "ranking"));
    QVERIFY2(removed.find("was not above the floor before") != std::string::npos, removed.c_str());
    const std::string lifted = named("layer-replacement").finding(replacedTable(0.31, 0.99));
    QVERIFY2(lifted.find("no single layer lifts it") != std::string::npos, lifted.c_str());
    const std::string louder = named("promote").finding(promoteTable(0.2, 0.27));
    QVERIFY2(louder.find("not above the floor") != std::string::npos, louder.c_str());
    const std::string masked = named("masks").finding(maskTable(0.24, 0.26));
    QVERIFY2(masked.find("24.0 % (not above the floor)") != std::string::npos, masked.c_str());
}

void TestVerdicts::fewRowsCarryNoVerdict()
{
    QCOMPARE(named("individual-pruning").judge(prunedTable(0.3, 0.99, 8)).verdict, Verdict::CanNotTell);
    const State gone{0.3, 0.99, 0.3};
    QCOMPARE(named("heads-kept").judge(keptTable(gone, gone, gone, 20)).verdict, Verdict::CanNotTell);
}

void TestVerdicts::sampleRowsCarryNoVerdict()
{
    Table table = prunedTable(0.3, 0.99);
    for (Row& row : table.rows)
        for (Cell& cell : row.cells)
            cell.samples = true;
    QCOMPARE(named("individual-pruning").judge(table).verdict, Verdict::CanNotTell);
}

void TestVerdicts::anUnfinishedRunIsNotJudged()
{
    Report report{
        .experiment = &named("individual-pruning"), .table = prunedTable(0.3, 0.99), .finding = "-", .complete = true};
    QCOMPARE(report.judgement().verdict, Verdict::Appears);
    report.complete = false;
    QCOMPARE(report.judgement().verdict, Verdict::CanNotTell);
}

void TestVerdicts::severalModelsAgreeOrNot()
{
    using enum Verdict;
    QCOMPARE(together({}), CanNotTell);
    QCOMPARE(together({Appears, Appears}), Appears);
    QCOMPARE(together({Appears, DoesNotAppear}), InPart);
    QCOMPARE(together({Appears, CanNotTell}), InPart);
    QCOMPARE(together({DoesNotAppear, DoesNotAppear}), DoesNotAppear);
    QCOMPARE(together({DoesNotAppear, CanNotTell}), CanNotTell);
}

void TestVerdicts::columnsAreNamedByWhatWasMeasured()
{
    const Table toy = prunedTable(0.3, 0.99);
    QCOMPARE(heading(toy, "mmlu"), std::string("toy multiple choice"));
    QCOMPARE(heading(toy, "kv"), std::string("toy KV retrieval, 16 pairs"));
    QCOMPARE(heading(toy, "condition"), std::string("condition"));
    Table real = toy;
    for (Row& row : real.rows)
        row.cells[real.column("mmlu")].task = "mmlu";
    QCOMPARE(heading(real, "mmlu"), std::string("MMLU"));
    real.rows.front().cells[real.column("mmlu")].task = "toy_mc";
    QCOMPARE(heading(real, "mmlu"), std::string("toy multiple choice / MMLU"));
    QCOMPARE(heading(curveTable(0.3, 0.3), "accuracy"), std::string("toy KV retrieval")); // of 4 and of 8 pairs
    QCOMPARE(benchmarkName("own-task"), std::string("own-task"));

    // The same benchmark under three conditions: three names.
    const Table circuit = circuitTable(20, 0.95, 0.05);
    QVERIFY(heading(circuit, "answers") != heading(circuit, "circuit_answers"));
    QCOMPARE(heading(circuit, "left_answers"), std::string("answers, all others"));

    // Nowhere in what a run of the shipped models writes does a toy number stand under a real benchmark's name.
    const Report report{.experiment = &named("individual-pruning"),
                        .table = toy,
                        .finding = named("individual-pruning").finding(toy),
                        .complete = true};
    QVERIFY(report.finding.find("MMLU") == std::string::npos);
    const auto cells = toCells(report);
    for (const std::string& title : cells.front())
        QVERIFY2(title.find("MMLU") == std::string::npos || title.starts_with("paper: "), title.c_str());
    const auto told = nlohmann::json::parse(toJson(report));
    for (const auto& column : told["columns"])
        QVERIFY(column["title"] != "MMLU");
    for (const Series& series : seriesOf(toy, report.experiment->charts.front()))
        QVERIFY2(series.name.find("MMLU") == std::string::npos, series.name.c_str());
}

void TestVerdicts::whatWasNotToldIsNotClaimed()
{
    // A table stored before cells named their task.
    Table old = prunedTable(0.3, 0.99);
    for (Row& row : old.rows)
        for (Cell& cell : row.cells)
            cell.task.clear();
    QCOMPARE(heading(old, "mmlu"), std::string("MMLU or its stand-in"));
}

void TestVerdicts::contrastsSurviveTheFile()
{
    Report report{.experiment = &named("individual-pruning"), .table = prunedTable(0.3, 0.99), .complete = true};
    report.table.rows[1].cells[report.table.column("kv")].samples = true;
    const auto again = parseReport(toJson(report));
    QVERIFY(again.has_value());
    QVERIFY(again->table.rows == report.table.rows);
    QCOMPARE(again->judgement().why, report.judgement().why);
    auto broken = nlohmann::json::parse(toJson(report));
    broken["rows"][1]["mmlu_contrast"] = 3;
    QVERIFY(!parseReport(broken.dump()).has_value());
}

void TestVerdicts::correctsForAllContrasts()
{
    // Worked by hand: 0.01 * 4, 0.02 * 3, then never less than the one before.
    const auto close = [](const std::vector<double>& a, const std::vector<double>& b) {
        return a.size() == b.size()
               && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return std::abs(x - y) < 1e-12; });
    };
    QVERIFY(close(analysis::holm(std::vector<double>{0.03, 0.01, 0.04, 0.02}), {0.06, 0.04, 0.06, 0.06}));
    QVERIFY(close(analysis::benjaminiHochberg(std::vector<double>{0.03, 0.01, 0.04, 0.02}), {0.04, 0.04, 0.04, 0.04}));
    QVERIFY(close(analysis::benjaminiHochberg(std::vector<double>{0.5, 0.01}), {0.5, 0.02}));
    QVERIFY(close(analysis::holm(std::vector<double>{0.6, 0.7}), {1, 1}));
    QVERIFY(analysis::holm({}).empty());
    // One contrast with p = 0.03 is a finding, among four it is not.
    Table table = prunedTable(0.3, 0.99);
    for (Row& row : table.rows)
        for (Cell& cell : row.cells)
            if (cell.contrast)
                cell.contrast->p = 0.03;
    QCOMPARE(named("individual-pruning").judge(table).verdict, Verdict::DoesNotAppear);
}

// A verdict is of one model, and so are the p-values beside it: those of two models are corrected apart.
void TestVerdicts::printedPsAreThoseOfTheVerdict()
{
    const auto withP = [](Table table, double p) {
        for (Row& row : table.rows)
            for (Cell& cell : row.cells)
                if (cell.contrast)
                    cell.contrast->p = p;
        return table;
    };
    Table both = withP(prunedTable(0.3, 0.99), 0.005); // nine contrasts: 0.045
    Table second = withP(prunedTable(0.3, 0.99), 0.004);
    for (Row& row : second.rows)
        row.cells[second.column("model")].text = "n";
    // In turn, as of models that are measured side by side.
    for (std::size_t i = second.rows.size(); i-- > 0;)
        both.rows.insert(both.rows.begin() + static_cast<std::ptrdiff_t>(i) + 1, second.rows[i]);
    const auto printed = correctedP(both);
    int contrasts = 0;
    for (std::size_t r = 0; r < both.rows.size(); ++r)
        for (std::size_t c = 0; c < both.columns.size(); ++c)
            if (both.rows[r].cells[c].contrast) {
                ++contrasts;
                const double expected = both.text(both.rows[r], "model") == "m" ? 0.045 : 0.036;
                QVERIFY(std::abs(*printed[r][c] - expected) < 1e-12);
                QVERIFY(*printed[r][c] < kLevel);
            } else
                QVERIFY(!printed[r][c]);
    QCOMPARE(contrasts, 18);
    const Judgement judged = named("individual-pruning").judge(both);
    QVERIFY(judged.verdict != Verdict::DoesNotAppear && judged.verdict != Verdict::CanNotTell);
    const std::vector<Report> reports = {{.experiment = &named("individual-pruning"), .table = both, .complete = true}};
    const std::string document = studyMarkdown(reports);
    QVERIFY2(document.find("p 0.045") != std::string::npos && document.find("p 0.036") != std::string::npos,
             document.c_str());
    QVERIFY(document.find("corrected (Holm) for all contrasts of a model") != std::string::npos);
    // Checkpoints of a run are one model: six contrasts, two of each.
    Table run = withP(emergenceTable({0.1, 0.9, 0.95}, 0.05, {0.1, 0.8, 0.9}), 0.005);
    for (std::size_t r = 0; r < run.rows.size(); ++r)
        run.rows[r].cells[run.column("model")].text = "step-" + std::to_string(r);
    QVERIFY(std::abs(*correctedP(run)[2][run.column("without_gather")] - 6 * 0.005) < 1e-12);
}

void TestVerdicts::aStudyIsOneDocument()
{
    Report one{.experiment = &named("individual-pruning"), .table = prunedTable(0.3, 0.99), .complete = true};
    one.table.rows[1].cells[0].text = "m"; // the model's name, which a file may say
    one.measuredOn = {"<b>m</b> | *x*"};
    one.finding = named("individual-pruning").finding(one.table);
    Report other{.experiment = &named("masks"), .table = maskTable(0.98, 0.3), .finding = "-", .complete = true};
    one.settings = {"1.0", 7, 64};
    one.hashes = {"0123456789abcdef"};
    const std::vector<Report> reports = {one, other};
    const std::string text = studyMarkdown(reports);
    QVERIFY(text.find("2 experiments") != std::string::npos);
    QVERIFY(text.find("| E2 Do one or two layers carry multiple choice? | appears |") != std::string::npos);
    QVERIFY(text.find("toy multiple choice") != std::string::npos);
    QVERIFY(text.find("0.30 [0.25, 0.36], n 256; change -0.70, p < 0.001") == std::string::npos); // escaped
    QVERIFY(text.find("change -0.70, p \\< 0.001") != std::string::npos);
    QVERIFY(text.find("\\<b\\>m\\</b\\> \\| \\*x\\*") != std::string::npos); // what came from a file is text
    QVERIFY(text.find("weights 0123456789ab.") != std::string::npos);
    QVERIFY(text.find("Headscope 1.0, seed 7, --limit 64.") != std::string::npos);
    // What stands in every row alike is told once; the paper's numbers have a table of their own.
    QVERIFY(text.find("In all rows: model m") != std::string::npos);
    const std::string halved =
        studyMarkdown(std::vector{Report{.experiment = &named("redundancy"), .table = sharedTable(0.3, 0.9)}});
    QVERIFY(halved.find("| the paper's own | MMLU |") != std::string::npos);
    QVERIFY(halved.find("| Llamba-3B (SSM), 30 heads removed | 41.20 |") != std::string::npos);
    // When and how fast it was made is not in it.
    std::vector<Report> later = reports;
    later.front().seconds = 99;
    later.front().finished = "2026-01-31T09:30:00Z";
    later.front().known = 12;
    QVERIFY(studyMarkdown(later) == text);
}

void TestVerdicts::whatCouldNotBeRunHasAPageThatSaysWhy()
{
    const Experiment& masks = named("masks");
    const Report report{.experiment = &masks, .table = {masks.columns, {}}, .problem = "The model has no heads."};
    QCOMPARE(report.judgement().verdict, Verdict::CanNotTell);
    const std::string text = studyMarkdown(std::vector{report});
    QVERIFY(text.find("**Verdict: inconclusive.** The model has no heads.") != std::string::npos);
    const auto again = parseReport(toJson(report));
    QVERIFY(again.has_value());
    QCOMPARE(again->problem, report.problem);
}

void TestVerdicts::twoRunsAreComparedPageByPage()
{
    const auto run = [](const char* id, Table table) {
        return Report{.experiment = &named(id), .models = {"m"}, .table = std::move(table), .complete = true};
    };
    Report before = run("individual-pruning", prunedTable(0.3, 0.99)),
           after = run("individual-pruning", prunedTable(0.98, 0.99));
    before.settings = {"1.0", 7, 64};
    after.settings = {"1.1", 7, 64};
    before.measuredOn = after.measuredOn = {"m, llama, float32, cpu"};
    before.hashes = {"aaaaaaaaaaaaaaaa"};
    after.hashes = {"bbbbbbbbbbbbbbbb"};
    after.table.rows.pop_back(); // a condition that there is no more
    const std::vector<Report> then = {before, run("masks", maskTable(0.98, 0.3))}, now = {after};
    const auto pages = compareReports(then, now);
    QCOMPARE(pages.size(), std::size_t(2));
    const PageComparison& page = pages.front();
    QVERIFY(page.then && page.now);
    QCOMPARE(page.runs, (std::vector<std::string>{"Other weights under the name m: aaaaaaaaaaaa, now bbbbbbbbbbbb.",
                                                  "Version: 1.0, now 1.1."}));
    QCOMPARE(page.missing.size(), std::size_t(1));
    QVERIFY2(page.missing.front().starts_with("Only then: "), page.missing.front().c_str());
    const auto apart =
        std::count_if(page.numbers.begin(), page.numbers.end(), [](const NumberPair& one) { return one.differs(); });
    QVERIFY(apart > 0);
    QVERIFY(apart < std::ssize(page.numbers));
    for (const NumberPair& one : page.numbers)
        if (one.change) // the interval of no change holds 0, that of 0.30 to 0.98 does not
            QCOMPARE(one.differs(), std::abs(*one.now.value - *one.then.value) > 0.2);
    // The second is there no more.
    QVERIFY(pages.back().then && !pages.back().now);
    const std::string text = comparisonMarkdown(pages);
    QVERIFY2(text.find("| E2 Do one or two layers carry multiple choice? | appears | ") != std::string::npos,
             text.c_str());
    QVERIFY(text.find("| not run | only then |") != std::string::npos);
    QVERIFY(text.find(", n 256 |") != std::string::npos);
    QCOMPARE(comparisonMarkdown(compareReports(then, now)), text);
    // A run compared with itself: nothing differs.
    const auto same = compareReports(then, then);
    for (const PageComparison& one : same) {
        QVERIFY(one.missing.empty());
        QVERIFY(std::none_of(one.numbers.begin(), one.numbers.end(), [](const auto& pair) { return pair.differs(); }));
    }
}

Q_DECLARE_METATYPE(headscope::experiments::Table)
Q_DECLARE_METATYPE(headscope::experiments::Verdict)
QTEST_GUILESS_MAIN(TestVerdicts)
#include "tst_verdicts.moc"
