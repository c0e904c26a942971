// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/experimentrun.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/own/ownstudy.h"
#include "core/lm/load.h"
#include "core/train/models/distill.h"
#include "tests/support/smallcheckpoint.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <set>

using namespace headscope;
using namespace headscope::experiments;

namespace {

constexpr double kFew = 8; // examples

cli::Context contextWith(const std::string& session)
{
    cli::Context context;
    context.settings.device = "cpu";
    context.quiet = true;
    context.session = session;
    context.resources = std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "resources";
    return context;
}

const Experiment& named(const std::string& id)
{
    const auto found = findExperiment(id);
    Q_ASSERT(found.has_value());
    return **found;
}

/// A table with these columns and rows of text and numbers, as a recipe would have added them.
Table tableOf(const std::string& id, std::vector<std::vector<Cell>> rows)
{
    Table table{named(id).columns, {}};
    for (auto& cells : rows)
        table.rows.push_back({std::move(cells)});
    return table;
}

} // namespace

class TestExperiments : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void declaresEachExperimentOnce();
    void runsOnTheShippedModels_data();
    void runsOnTheShippedModels();
    void givesTheScoresOfTheScorer();
    void masksKeepTheMechanism();
    void goesOnWhereItWasStopped();
    void tellsWhatItWillTake();
    void keepsThePapersNumbersApart();
    void findsWhatTheNumbersSay();
    void drawsRandomHeadsOnce();
    void keepsHeadsAsTheyAre();
    void slicesStudentsByHead();
    void alignsAStudent();
    void runsOnCheckpointsOfTheTrueArchitecture();
    void runsAStudyOfOnesOwn();
    void aStudyThatAsksForTooMuchSaysSo();
    void leavesOutAModelThatDoesNotFit();
    void exchangesLayersOfAlignedModelsAlone();

private:
    [[nodiscard]] std::string path(const char* name) const
    {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
    [[nodiscard]] cli::ExperimentArguments few(std::vector<std::string> models = {}) const
    {
        cli::ExperimentArguments arguments{.models = std::move(models), .folder = path("out"), .distillSteps = 1};
        arguments.task.limit = kFew;
        return arguments;
    }
    QTemporaryDir m_folder;
    cli::Context m_context;
    std::unique_ptr<cli::Laboratory> m_laboratory;
};

void TestExperiments::initTestCase()
{
    m_context = contextWith(path("all.session"));
    m_laboratory = std::make_unique<cli::Laboratory>(m_context, few(), Control());
}

void TestExperiments::declaresEachExperimentOnce()
{
    std::set<std::string> ids, numbers;
    for (const Experiment& experiment : allExperiments()) {
        QVERIFY2(ids.insert(experiment.id).second, experiment.id.c_str());
        QVERIFY(experiment.number.empty() || numbers.insert(experiment.number).second);
        QCOMPARE(experiment.columns.front().key, std::string("model"));
        for (const PaperRow& row : experiment.paper)
            for (const auto& [key, value] : row.numbers)
                QVERIFY2(std::any_of(experiment.columns.begin(), experiment.columns.end(),
                                     [&](const Column& column) { return column.key == key; }),
                         (experiment.id + " " + key).c_str());
    }
    for (int i = 1; i <= 15; ++i)
        QVERIFY(findExperiment("E" + std::to_string(i)).has_value());
    QVERIFY(!findExperiment("E16").has_value());
}

void TestExperiments::runsOnTheShippedModels_data()
{
    QTest::addColumn<QString>("id");
    for (const Experiment& experiment : allExperiments())
        QTest::newRow(experiment.id.c_str()) << QString::fromStdString(experiment.id);
}

void TestExperiments::runsOnTheShippedModels()
{
    QFETCH(QString, id);
    const Experiment& experiment = named(id.toStdString());
    // A circuit is looked for among the edges of the smallest model: all three take as long as all other experiments.
    cli::Laboratory one(m_context, few({"tiny-transformer"}), Control());
    cli::Laboratory& laboratory = experiment.id == "circuit" ? one : *m_laboratory;
    std::size_t streamed = 0;
    const auto report =
        laboratory.run(experiment, [&](const Table& table) { QCOMPARE(table.rows.size(), ++streamed); });
    QVERIFY2(report.has_value(), report.has_value() ? "" : report.error().message.c_str());
    QVERIFY(report->complete);
    QVERIFY(!report->table.rows.empty());
    QCOMPARE(report->table.rows.size(), streamed);
    QVERIFY(!report->finding.empty());
    for (const Row& row : report->table.rows) {
        QCOMPARE(row.cells.size(), experiment.columns.size());
        QVERIFY(row.paper < static_cast<int>(experiment.paper.size()));
    }
    const auto again = parseReport(toJson(*report));
    QVERIFY(again.has_value());
    QVERIFY(again->table.rows == report->table.rows);
    QCOMPARE(experiment.finding(again->table), report->finding);
    const std::string csv = toCsv(*report);
    QCOMPARE(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), streamed + 1);
    QVERIFY(toLatex(*report).find("\\bottomrule") != std::string::npos);
}

void TestExperiments::givesTheScoresOfTheScorer()
{
    const Experiment& experiment = named("kv-curve");
    const auto report = m_laboratory->run(experiment, {});
    QVERIFY(report.has_value());
    const auto loaded = lm::load(m_context.resources / "models" / "tiny-transformer", {.device = "cpu"});
    QVERIFY(loaded.has_value());
    const auto tokenizer = text::Tokenizer::load(m_context.resources / "models" / "tiny-transformer");
    QVERIFY(tokenizer.has_value());
    engine::Scorer scorer(loaded->model, *tokenizer);
    int compared = 0;
    for (const Row& row : report->table.rows) {
        const std::string state = report->table.text(row, "state");
        const std::string head = state.substr(state.rfind(' ') + 1);
        const auto set = interventions::InterventionSet::parse(state == "baseline" ? "" : head);
        QVERIFY(set.has_value());
        auto task = tasks::makeTask(
            "toy_kv:pairs=" + std::to_string(static_cast<int>(*report->table.value(row, "pairs"))), {.limit = kFew});
        const auto benchmark = engine::Benchmark::make(std::move(*task), scorer, **tokenizer);
        engine::Rows rows = (*benchmark)->emptyRows();
        QVERIFY((*benchmark)->run(scorer, *set, {}, rows, {}, {}).has_value());
        int right = 0;
        for (const tasks::RowResult& result : rows.results)
            right += result.judgement && result.judgement->correct ? 1 : 0;
        QCOMPARE(*report->table.value(row, "accuracy"), right / kFew);
        ++compared;
    }
    QCOMPARE(compared, 18);
}

// Of the shipped Transformer's two heads the entries of gathering and aggregating are enough, and as many others are
// not.
void TestExperiments::masksKeepTheMechanism()
{
    cli::ExperimentArguments arguments = few({"tiny-transformer"});
    arguments.task.limit = 32;
    cli::Laboratory laboratory(m_context, arguments, Control());
    const auto report = laboratory.run(named("masks"), {});
    QVERIFY2(report.has_value(), report.has_value() ? "" : report.error().message.c_str());
    const auto accuracy = [&](const char* state) {
        const Row* row = report->table.find({{"state", state}});
        return row ? report->table.value(*row, "accuracy").value_or(-1) : -1;
    };
    for (const char* state :
         {"as it is", "gather: only gathering", "aggregate: only aggregating", "both: only the pattern"})
        QVERIFY2(accuracy(state) > 0.9, state);
    for (const char* state :
         {"gather: random entries", "aggregate: random entries", "both: random entries", "both: removed"})
        QVERIFY2(accuracy(state) >= 0 && accuracy(state) < 0.5, state);
}

void TestExperiments::goesOnWhereItWasStopped()
{
    const Experiment& experiment = named("gradual-pruning");
    const auto whole = m_laboratory->run(experiment, {});
    QVERIFY(whole.has_value());

    const cli::Context context = contextWith(path("stopped.session"));
    std::stop_source stop;
    cli::Laboratory first(context, few(), {stop.get_token(), {}});
    const auto stopped = first.run(experiment, [&](const Table& table) {
        if (table.rows.size() == 2)
            stop.request_stop();
    });
    QVERIFY(!stopped.has_value());
    QCOMPARE(stopped.error().kind, Error::Kind::Cancelled);
    {
        // The rows that were finished are in the session, as rows of an incomplete report.
        auto session = sessions::SessionStore::open(context.session);
        const auto kept = session->uiState(reportKey(experiment.id, experiment.models));
        QVERIFY(kept.has_value() && kept->has_value());
        const auto part = parseReport(**kept);
        QVERIFY(part.has_value());
        QVERIFY(!part->complete);
        QCOMPARE(part->table.rows.size(), std::size_t(2));
        QVERIFY(std::equal(part->table.rows.begin(), part->table.rows.end(), whole->table.rows.begin()));
    }
    const auto count = [&] {
        auto session = sessions::SessionStore::open(context.session);
        std::int64_t n = 0;
        for (const auto& row : *session->scores())
            n += row.n;
        return n;
    };
    const std::int64_t before = count();
    QVERIFY(before > 0);
    cli::Laboratory second(context, few(), Control());
    const auto finished = second.run(experiment, {});
    QVERIFY(finished.has_value());
    QVERIFY(finished->table.rows == whole->table.rows);
    QVERIFY(count() > before);
    const std::int64_t all = count();
    QVERIFY(second.run(experiment, {}).has_value());
    QCOMPARE(count(), all);
}

void TestExperiments::tellsWhatItWillTake()
{
    const auto forecast = m_laboratory->forecast(named("kv-curve"));
    QVERIFY(forecast.has_value());
    // The baseline and 32 heads on 8 pairs, then three states at six sizes.
    QCOMPARE(forecast->plan.examples, std::int64_t((1 + 32 + 18) * kFew));
    QVERIFY(forecast->plan.tokens > 0);
    QVERIFY(forecast->plan.weightBytes > 0);
    const auto unknown = cli::Laboratory(m_context, few({"no-such-model"}), Control()).forecast(named("kv-curve"));
    QVERIFY(!unknown.has_value());
}

void TestExperiments::keepsThePapersNumbersApart()
{
    const Experiment& experiment = named("heads-kept");
    Report report{.experiment = &experiment,
                  .table = tableOf("heads-kept", {{"m", "both kept", "keep:L1H1 keep:L2H2", 0.5, 0.25, Cell()}}),
                  .complete = true};
    report.table.rows.front().paper = 0;
    auto told = nlohmann::json::parse(toJson(report));
    QCOMPARE(told["rows"][0]["mmlu"].get<double>(), 0.5);
    QCOMPARE(told["rows"][0]["paper"]["mmlu"].get<double>(), 0.6632);
    QCOMPARE(told["paper"].size(), std::size_t(4));
    // A file cannot change what the paper says.
    told["rows"][0]["paper"]["mmlu"] = 0.99;
    const auto again = parseReport(told.dump());
    QVERIFY(again.has_value());
    QCOMPARE(nlohmann::json::parse(toJson(*again))["rows"][0]["paper"]["mmlu"].get<double>(), 0.6632);
    // Nor ours become the paper's: a row that corresponds to none has no number beside it.
    report.table.rows.front().paper = -1;
    QVERIFY(nlohmann::json::parse(toJson(report))["rows"][0]["paper"].is_null());
    QVERIFY(toCsv(report).find("paper") == std::string::npos);
    report.table.rows.front().paper = 0;
    QVERIFY(
        toCsv(report).starts_with("model,condition,set,mmlu,knowledge,kv,paper_label,paper_mmlu,paper_knowledge\n"));
    QVERIFY(!parseReport("{\"rows\": 3}").has_value());
}

void TestExperiments::findsWhatTheNumbersSay()
{
    const auto curve = [](double without, double delta, double p) {
        return named("kv-curve")
            .finding(tableOf("kv-curve", {{"m", "baseline", 4, 1.0, Cell(), Cell(), 0.25},
                                          {"m", "without gather L1H1", 4, without, delta, p, 0.25}}));
    };
    QVERIFY(curve(0.1, -0.9, 0.001).find("less than the baseline at every size, p < 0.05") != std::string::npos);
    QVERIFY(curve(0.1, -0.9, 0.001).find("10.0 %") != std::string::npos);
    QVERIFY(curve(0.98, -0.02, 0.5).find("not less than the baseline at every size") != std::string::npos);

    const auto promoted = [](double value, double delta, double p) {
        return named("promote").finding(tableOf("promote", {{"m", "gather", "L1H1", 1.0, 0.5, Cell(), Cell()},
                                                            {"m", "gather", "L1H1", 2.0, value, delta, p}}));
    };
    QVERIFY(promoted(0.8, 0.3, 0.001).find("retrieval improves, from 50.0 % to 80.0 %") != std::string::npos);
    QVERIFY(promoted(0.52, 0.02, 0.6).find("no factor improves") != std::string::npos);

    const auto pruned = [](double second, double third) {
        return named("gradual-pruning")
            .finding(tableOf("gradual-pruning", {{"m", 3, "L2", 0.9, 0.9, Cell()},
                                                 {"m", 2, "L1", second, 0.8, Cell()},
                                                 {"m", 1, "L0", third, 0.7, Cell()}}));
    };
    QVERIFY(pruned(0.3, 0.25).find("when L2 goes") != std::string::npos);
    QVERIFY(pruned(0.8, 0.25).find("when L1 goes") != std::string::npos);
}

void TestExperiments::drawsRandomHeadsOnce()
{
    std::vector<HeadRef> all;
    for (int head = 0; head < 10; ++head)
        all.push_back({0, lm::Site::Any, head});
    const auto drawn = randomHeads(all, 4, 7);
    QCOMPARE(drawn.size(), std::size_t(4));
    QCOMPARE(std::set<HeadRef>(drawn.begin(), drawn.end()).size(), std::size_t(4));
    QVERIFY(drawn == randomHeads(all, 4, 7));
    QVERIFY(drawn != randomHeads(all, 4, 8));
    QCOMPARE(randomHeads(all, 20, 7).size(), std::size_t(10));
}

void TestExperiments::keepsHeadsAsTheyAre()
{
    // With every head kept the student is the teacher.
    const auto folder = m_context.resources / "models" / "tiny-transformer";
    train::StudentShape shape{.kept = std::vector<std::vector<int>>(4, {0, 1, 2, 3, 4, 5, 6, 7})};
    train::DistillOptions none;
    none.orientation.steps = none.hidden.steps = none.logits.steps = 0;
    QVERIFY(train::distill(folder, shape, none, path("same"), {}, {}).has_value());
    const auto teacher = lm::load(folder, {.device = "cpu"}), student = lm::load(path("same"), {.device = "cpu"});
    QVERIFY2(student.has_value(), student.has_value() ? "" : student.error().message.c_str());
    const at::Tensor ids = at::arange(40).unsqueeze(0);
    QVERIFY(at::allclose(teacher->model->logits(ids), student->model->logits(ids), 1e-4, 1e-4));
    QVERIFY(text::Tokenizer::load(path("same")).has_value());

    train::StudentShape wrong{.kept = std::vector<std::vector<int>>(3)};
    const auto refused = train::distill(folder, wrong, none, path("wrong"), {}, {});
    QVERIFY(!refused.has_value());
    QVERIFY(!train::distill(m_context.resources / "models" / "tiny-hybrid", shape, none, path("wrong"), {}, {})
                 .has_value());
}

void TestExperiments::slicesStudentsByHead()
{
    // A layer's SSM heads taken one part after the other add up to all of them.
    const auto teacher = train::Teacher::load(m_context.resources / "models" / "tiny-transformer", at::kCPU);
    QVERIFY(teacher.has_value());
    train::StudentShape all{.kept = std::vector<std::vector<int>>(4)}, even = all, odd = all;
    for (auto& heads : even.kept)
        heads = {1, 3, 5, 7};
    for (auto& heads : odd.kept)
        heads = {0, 2, 4, 6};
    const auto whole = train::makeStudent(*teacher, all, 3);
    QVERIFY(whole.has_value());
    const auto first = train::makeStudent(*teacher, even, 4, &*whole),
               second = train::makeStudent(*teacher, odd, 5, &*whole);
    QVERIFY(first.has_value() && second.has_value());
    const auto part = [](const train::Student& student, const char* name) {
        return student.tensors.at(train::Student::ssmPrefix(2, student.shape.kept[2].size()) + name);
    };
    const at::Tensor out = part(*whole, "out_proj.weight").view({128, 8, 16});
    QVERIFY(
        at::equal(part(*first, "out_proj.weight").view({128, 4, 16}), out.index_select(1, at::tensor({0, 2, 4, 6}))));
    QVERIFY(
        at::equal(part(*second, "out_proj.weight").view({128, 4, 16}), out.index_select(1, at::tensor({1, 3, 5, 7}))));
    QVERIFY(at::equal(part(*second, "D"), part(*whole, "D").index_select(0, at::tensor({1, 3, 5, 7}))));
    // The decays are the last rows of the projection, the taps follow the channels x, B, C.
    QVERIFY(at::equal(part(*first, "in_proj.bias").narrow(0, -4 + part(*first, "in_proj.bias").size(0), 4),
                      part(*whole, "in_proj.bias").slice(0, -8).index_select(0, at::tensor({0, 2, 4, 6}))));
    QCOMPARE(part(*first, "conv1d.weight").size(0), std::int64_t(4 * (16 + 2 * 16)));
}

void TestExperiments::alignsAStudent()
{
    const auto folder = m_context.resources / "models" / "tiny-transformer";
    train::StudentShape shape{.kept = {{}, {3}, {3}, {}}, .state = 4};
    train::DistillOptions options{.orientation = {12, 1e-2}, .hidden = {12, 5e-3}, .logits = {12, 2e-3}, .texts = 4};
    const auto report = train::distill(folder, shape, options, path("aligned"), {}, {});
    QVERIFY2(report.has_value(), report.has_value() ? "" : report.error().message.c_str());
    QCOMPARE(report->stages.size(), std::size_t(3));
    QVERIFY(report->stages[0].last < report->stages[0].first);
    QVERIFY(report->stages[1].last < report->stages[1].first);
    const auto student = lm::load(path("aligned"), {.device = "cpu"});
    QVERIFY2(student.has_value(), student.has_value() ? "" : student.error().message.c_str());
    QCOMPARE(student->model->spec().layers[2].find(lm::Site::Attention)->heads, 1);
    QCOMPARE(student->model->spec().layers[2].find(lm::Site::Ssm)->heads, 7);
    QCOMPARE(student->model->spec().layers[0].mixers.front().state, 4);
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = train::distill(folder, shape, options, path("stopped"), {stop.get_token(), {}}, {});
    QVERIFY(!stopped.has_value());
    QVERIFY(!std::filesystem::exists(path("stopped")));
}

void TestExperiments::runsOnCheckpointsOfTheTrueArchitecture()
{
    // MMLU and the knowledge tasks from the sample rows, on random weights in the real families' shapes.
    const cli::Context context = contextWith({});
    for (const char* family : {"llama", "llamba", "falcon_mamba", "zamba2"}) {
        const std::string model = smallcheckpoint::make(m_folder.path().toStdString(), family);
        cli::ExperimentArguments arguments = few({model});
        arguments.task.limit = 1;
        cli::Laboratory laboratory(context, arguments, Control());
        const std::string id = std::string(family) == "llama" ? "heads-kept" : "individual-pruning";
        const auto report = laboratory.run(named(id), {});
        QVERIFY2(report.has_value(),
                 (std::string(family) + ": " + (report.has_value() ? "" : report.error().message)).c_str());
        QVERIFY(report->table.value(report->table.rows.front(), "mmlu").has_value());
        QVERIFY(report->table.value(report->table.rows.front(), "knowledge").has_value());
        QVERIFY(!report->table.value(report->table.rows.front(), "kv").has_value());
    }
}

namespace {

std::shared_ptr<const Experiment> study(const std::string& conditions)
{
    const auto read = ownStudy(R"({"headscope_study": 1, "id": "my-heads", "title": "My heads", "setting": "here",
        "question": "Are they needed?", "models": ["tiny-transformer"], "benchmarks": ["toy_kv:pairs=8", "knowledge"],
        "examples": 40, "conditions": [{"name": "as it is"}, )"
                               + conditions + R"(],
        "expected": {"change": "collapses", "of": ["toy_kv:pairs=8"], "keeps": ["knowledge"]}})");
    if (!read.has_value())
        qWarning("%s", read.error().message.c_str());
    return read.has_value() ? *read : nullptr;
}

} // namespace

void TestExperiments::runsAStudyOfOnesOwn()
{
    const auto experiment = study(R"({"name": "without the pair", "remove": ["gather", "aggregate"]},
        {"name": "without one, named", "remove": ["L2H5"]},
        {"name": "others", "remove": [{"random": 2}], "control": true},
        {"name": "no layer %", "each": "layer"})");
    QVERIFY(experiment);
    cli::Laboratory laboratory(m_context, {.folder = path("out")}, Control());
    const auto report = laboratory.run(*experiment, {});
    QVERIFY2(report.has_value(), report.has_value() ? "" : report.error().message.c_str());
    const Table& table = report->table;
    QCOMPARE(table.rows.size(), std::size_t(8)); // four conditions, then four layers
    QCOMPARE(table.cell(table.rows.front(), "toy_kv:pairs=8").n, 40);
    QCOMPARE(table.text(table.rows.front(), "set"), std::string("nothing"));
    // The shipped Transformer gathers with L1H3 and aggregates with L2H5: without them it does not retrieve.
    QCOMPARE(table.text(table.rows[2], "set"), std::string("L2H5"));
    QVERIFY(*table.value(table.rows[0], "toy_kv:pairs=8") > 0.9);
    QVERIFY(*table.value(table.rows[1], "toy_kv:pairs=8") < 0.5);
    QVERIFY(*table.value(table.rows[3], "toy_kv:pairs=8") > 0.9);
    QCOMPARE(table.text(table.rows[7], "condition"), std::string("no layer L3"));
    QCOMPARE(table.text(table.rows[7], "set"), std::string("skip:L3"));
    // What the session keeps is read again without the study's file.
    const auto again = parseReport(toJson(*report));
    QVERIFY(again.has_value());
    QVERIFY(again->table.rows == table.rows);
    QCOMPARE(again->judgement().why, report->judgement().why);
    QCOMPARE(again->experiment->finding(again->table), report->finding);
    QCOMPARE(toJson(*again), toJson(*report));
    const auto forecast = laboratory.forecast(*experiment);
    QVERIFY(forecast.has_value());
    QCOMPARE(forecast->plan.scores, 16 + 1); // and the whole model's, for the pair
}

void TestExperiments::aStudyThatAsksForTooMuchSaysSo()
{
    cli::Laboratory laboratory(m_context, few(), Control());
    const auto run = [&](const char* condition) {
        const auto report = laboratory.run(*study(condition), {});
        return report.has_value() ? std::string() : report.error().message;
    };
    QVERIFY(run(R"({"name": "many", "remove": [{"first": 33}]})").find("33 heads") != std::string::npos);
    QVERIFY(run(R"({"name": "many", "remove": [{"random": 32}]})").find("random heads") != std::string::npos);
    QVERIFY(run(R"({"name": "far", "remove": ["L9H1"]})").find("no layer L9") != std::string::npos);
}

void TestExperiments::leavesOutAModelThatDoesNotFit()
{
    const Experiment& experiment = named("hybrid-masking");
    const auto both = cli::Laboratory(m_context, few({"tiny-ssm", "tiny-hybrid"}), Control()).run(experiment, {});
    QVERIFY2(both.has_value(), both.has_value() ? "" : both.error().message.c_str());
    QCOMPARE(both->table.distinct("model"), std::vector<std::string>{"tiny-hybrid"});
    QVERIFY(std::any_of(both->notes.begin(), both->notes.end(), [](const std::string& note) {
        return note.starts_with("Left out: tiny-ssm. 'tiny-ssm' is not a hybrid");
    }));
    // What decides the numbers is told with them.
    QCOMPARE(both->models, (std::vector<std::string>{"tiny-ssm", "tiny-hybrid"}));
    QCOMPARE(both->hashes.size(), both->measuredOn.size());
    QCOMPARE(both->settings.limit, std::optional<double>(kFew));
    const auto again = parseReport(toJson(*both));
    QVERIFY(again.has_value());
    QVERIFY(again->settings == both->settings);
    QCOMPARE(again->hashes, both->hashes);
    QVERIFY(again->examples > 0 && again->examples == both->examples);
    // A second run takes all of it from the session.
    const auto known = cli::Laboratory(m_context, few({"tiny-hybrid"}), Control()).run(experiment, {});
    QVERIFY(known.has_value());
    QCOMPARE(known->known, known->examples);
    const auto none = cli::Laboratory(m_context, few({"tiny-ssm"}), Control()).run(experiment, {});
    QVERIFY(!none.has_value());
    QVERIFY(none.error().message.find("not a hybrid") != std::string::npos);
}

void TestExperiments::exchangesLayersOfAlignedModelsAlone()
{
    const Experiment& experiment = named("layer-replacement");
    const auto problem = [&](std::vector<std::string> models) {
        const auto report = cli::Laboratory(m_context, few(std::move(models)), Control()).run(experiment, {});
        return report.has_value() ? std::string() : report.error().message;
    };
    const std::string apart = problem({"tiny-ssm", "tiny-transformer"});
    QVERIFY2(apart.find("not an aligned pair") != std::string::npos, apart.c_str());
    const std::string turned = problem({"tiny-transformer", "tiny-ssm"});
    QVERIFY2(turned.find("no SSM head") != std::string::npos, turned.c_str());
    // A student of the Transformer has its embedding.
    const train::DistillOptions quick{.orientation = {1, 1e-2}, .hidden = {0, 0}, .logits = {0, 0}, .texts = 2};
    const auto student = train::distill(m_context.resources / "models" / "tiny-transformer",
                                        {.kept = {{}, {}, {}, {}}, .state = 4}, quick, path("pair"), {}, {});
    QVERIFY2(student.has_value(), student.has_value() ? "" : student.error().message.c_str());
    QCOMPARE(problem({path("pair"), "tiny-transformer"}), std::string());
}

QTEST_GUILESS_MAIN(TestExperiments)
#include "tst_experiments.moc"
