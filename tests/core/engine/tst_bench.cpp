// SPDX-License-Identifier: GPL-3.0-or-later
// The workloads of `headscope-cli bench`: right answers in the format of the yardstick, and broken requests. Nothing
// about time.
#include "core/engine/bench/bench.h"
#include "core/engine/ranking/margin.h"
#include "core/lm/device/threads.h"
#include "core/lm/load.h"

#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <nlohmann/json.hpp>

#include <ATen/core/grad_mode.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace headscope;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kLlama = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / "llama";
constexpr int kItems = 20;

json cut(int layer, int head)
{
    return {{"layer", layer}, {"head", head}};
}

/// A sound request for every workload; some read the others' keys not.
json request(const std::string& workload)
{
    json items = json::array(), prompt = json::array();
    for (int i = 0; i < kItems; ++i)
        items.push_back({{"id", i},
                         {"context", {5 + i, 7, 9 + i, 11, 3}},
                         {"continuations", {{1}, {2, 4}, {30 + i}}},
                         {"score_from", 5},
                         {"gold", i % 3}});
    for (int i = 0; i < 16; ++i)
        prompt.push_back(3 + 2 * i);
    const bool sweep = workload == "kv-sweep" || workload == "race" || workload == "estimate" || workload == "control";
    return {{"format", "headscope-bench-request/1"},
            {"workload", sweep ? "kv-sweep" : workload},
            {"model", "llama"},
            {"layers", 3},
            {"heads", 4},
            {"items", items},
            {"ablations", sweep ? json("all") : json{cut(0, 1), cut(2, 3)}},
            {"prompt", prompt},
            {"new_tokens", 6},
            {"sequences", {prompt, prompt}},
            {"probes", {{1, 2, 9, 4}, {0, 0, 15, 15}}}};
}

} // namespace

class TestBench : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void scoresCuts_data();
    void scoresCuts();
    void answersTheOthers();
    void holdsRankingsAgainstTheExactSweep();
    void refusesBrokenRequests_data();
    void refusesBrokenRequests();

private:
    [[nodiscard]] Result<json> run(const std::string& workload, const json& body,
                                   engine::BenchOptions options = {}) const
    {
        const fs::path file = m_folder.filePath(QStringLiteral("request.json")).toStdString();
        std::ofstream(file) << body.dump();
        options.workload = workload;
        options.model = kLlama;
        options.requests = file;
        options.threads = 1;
        return engine::bench(options, {});
    }
    QTemporaryDir m_folder;
};

void TestBench::initTestCase()
{
    const auto model = lm::inspect(kLlama, {"cpu", "fp32"});
    QVERIFY(model.has_value());
    QCOMPARE(model->model->spec().layers.size(), std::size_t{3});
    QCOMPARE(model->model->spec().layers.front().mixers.front().heads, 4);
}

void TestBench::scoresCuts_data()
{
    QTest::addColumn<QString>("workload");
    for (const char* workload : {"kv-click", "mc-letter", "mc-text", "kv-sweep"})
        QTest::newRow(workload) << QString::fromLatin1(workload);
}

// Against one plain pass over each continuation with the head's slice of z set to zero.
void TestBench::scoresCuts()
{
    QFETCH(QString, workload);
    const json body = request(workload.toStdString());
    const auto line = run(workload.toStdString(), body);
    QVERIFY2(line.has_value(), line.has_value() ? "" : line.error().message.c_str());
    QCOMPARE((*line)["format"].get<std::string>(), std::string("headscope-bench-result/1"));
    const auto loaded = lm::load(kLlama, {"cpu", "fp32"});
    const at::NoGradGuard noGrad;
    const json& answers = (*line)["answers"];
    QCOMPARE(answers.size(), workload == QStringLiteral("kv-sweep") ? std::size_t{12} : std::size_t{2});
    for (const json& answer : answers) {
        const std::string head = "L" + std::to_string(answer["ablation"]["layer"].get<int>()) + "H"
                                 + std::to_string(answer["ablation"]["head"].get<int>());
        const auto edits = lm::resolve(interventions::InterventionSet::parse(head).value(), loaded->model->spec());
        QVERIFY(edits.has_value());
        int right = 0;
        for (std::size_t i = 0; i < kItems; ++i) {
            std::vector<double> scores;
            for (const json& continuation : body["items"][i]["continuations"]) {
                auto ids = body["items"][i]["context"].get<std::vector<std::int64_t>>();
                for (const json& id : continuation)
                    ids.push_back(id.get<std::int64_t>());
                const at::Tensor logits = at::log_softmax(
                    loaded->model->logits(at::tensor(ids, at::kLong).unsqueeze(0), {.edits = &*edits}), -1);
                double sum = 0;
                for (std::size_t j = 5; j < ids.size(); ++j)
                    sum += logits[0][static_cast<std::int64_t>(j) - 1][ids[j]].item<double>();
                scores.push_back(sum);
            }
            const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
            right += best == body["items"][i]["gold"].get<int>() ? 1 : 0;
            QCOMPARE(answer["predictions"][i].get<std::ptrdiff_t>(), best);
            for (std::size_t c = 0; answer.contains("scores") && c < scores.size(); ++c)
                QVERIFY(std::abs(answer["scores"][i][c].get<double>() - scores[c]) < 1e-4);
        }
        QCOMPARE(answer["accuracy"].get<double>(), right / static_cast<double>(kItems));
    }
}

void TestBench::answersTheOthers()
{
    const auto loaded = lm::load(kLlama, {"cpu", "fp32"});
    const at::NoGradGuard noGrad;
    const json body = request("decode");
    auto ids = body["prompt"].get<std::vector<std::int64_t>>();
    const auto bestAfter = [&] {
        return loaded->model->logits(at::tensor(ids, at::kLong).unsqueeze(0), {})[0][-1].argmax().item<std::int64_t>();
    };
    const std::int64_t first = bestAfter();
    const auto answers = [&](const char* workload) { return run(workload, request(workload)).value()["answers"]; };
    QCOMPARE(answers("startup")["argmax"].get<std::int64_t>(), first);
    QVERIFY((answers("prefill")["argmax"] == json{first, first}));
    const json tokens = answers("decode")["tokens"];
    QCOMPARE(tokens.size(), std::size_t{6});
    for (const json& token : tokens) {
        QCOMPARE(token.get<std::int64_t>(), bestAfter());
        ids.push_back(token.get<std::int64_t>());
    }
    const json maps = answers("maps");
    QCOMPARE(maps["length"].get<int>(), 16);
    QCOMPARE(maps["values"].size(), std::size_t{2});
    QVERIFY(maps["values"][0].get<double>() > 0 && maps["values"][0].get<double>() < 1);
    QCOMPARE(run("maps", request("maps"), {.length = 12}).value()["answers"]["values"].size(),
             std::size_t{1}); // a probe behind the text is left out
    const json one = run("maps", request("maps"), {.heads = 1})
                         .value()["answers"]; // the first head of the middle layer: no probe is its
    QCOMPARE(one["head"]["layer"].get<int>(), 1);
    QVERIFY(one["values"].empty());
}

void TestBench::holdsRankingsAgainstTheExactSweep()
{
    const auto race = run("race", request("race"), {.top = 3});
    QVERIFY2(race.has_value(), race.has_value() ? "" : race.error().message.c_str());
    QCOMPARE((*race)["same_top"].get<int>(), 3);
    QCOMPARE((*race)["certain"].get<int>(), 3);
    QCOMPARE((*race)["answers"].size(), std::size_t{12});
    const auto short_ = run("race", request("race"), {.top = 3, .work = 0.8});
    QVERIFY(short_.has_value());
    QVERIFY((*short_)["work"].get<double>() <= 0.8);
    const auto estimate = run("estimate", request("estimate"));
    QVERIFY2(estimate.has_value(), estimate.has_value() ? "" : estimate.error().message.c_str());
    QCOMPARE((*estimate)["examples"].get<int>(), kItems);
    QVERIFY((*estimate)["spearman_margin"].get<double>() > 0.5);
    QVERIFY((*estimate)["answers"][0]["estimate"].get<bool>());
    QVERIFY(!run("race", request("race"), {.top = 12}).has_value()); // all heads: nothing to find
}

void TestBench::refusesBrokenRequests_data()
{
    QTest::addColumn<QString>("workload");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("finding");
    const auto row = [](const char* name, const char* workload, const char* path, const char* value,
                        const char* finding) {
        QTest::newRow(name) << QString::fromLatin1(workload) << QString::fromLatin1(path) << QString::fromLatin1(value)
                            << QString::fromLatin1(finding);
    };
    row("another format", "kv-click", "/format", "\"other/1\"", "format");
    row("another workload", "kv-click", "/workload", "\"mc-text\"", "expected \"kv-click\"");
    row("an unknown workload", "guess", "/workload", "\"guess\"", "is not known");
    row("an id that the model lacks", "kv-click", "/items/3/context/0", "100000000", "100000000");
    row("a negative id", "kv-click", "/items/3/context/0", "-1", "");
    row("a head that does not exist", "kv-click", "/ablations/1/head", "4", "There is no head L2H4");
    row("a layer that does not exist", "mc-text", "/ablations/1/layer", "3", "There is no layer L3");
    row("a score from nowhere", "kv-click", "/items/0/score_from", "0", "");
    row("no continuations", "mc-letter", "/items/0/continuations", "[]", "");
    row("gold out of range", "kv-click", "/items/0/gold", "7", "gold");
    row("items of another kind", "kv-sweep", "/items", "5", "");
    row("two thousand million layers", "kv-sweep", "/layers", "2000000000", "are not 1 to 1000000 cuts");
    row("no items", "kv-click", "/items", "[]", "");
    row("an empty prompt", "decode", "/prompt", "[]", "");
    row("a probe of another head", "maps", "/probes/0", "[1, 9, 2, 1]", "head");
    row("sequences of two lengths", "prefill", "/sequences/1", "[1, 2]", "");
}

void TestBench::refusesBrokenRequests()
{
    QFETCH(QString, workload);
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, finding);
    json body = request(workload.toStdString());
    body[json::json_pointer(path.toStdString())] = json::parse(value.toStdString());
    const auto line = run(workload.toStdString(), body);
    QVERIFY(!line.has_value());
    QVERIFY2(line.error().message.find(finding.toStdString()) != std::string::npos, line.error().message.c_str());
    QVERIFY(line.error().message.ends_with("."));
}

QTEST_GUILESS_MAIN(TestBench)
#include "tst_bench.moc"
