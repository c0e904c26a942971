// SPDX-License-Identifier: GPL-3.0-or-later
// Filters, metrics, standard errors and groups with the reference's own numbers, and the harness's files there and
// back.

#include "core/tasks/filters.h"
#include "core/tasks/import/harnessjson.h"
#include "core/tasks/metrics.h"
#include "core/tasks/registry.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>

using namespace headscope;
using namespace headscope::tasks;
using namespace Qt::StringLiterals;

namespace {

bool near(double value, double expected)
{
    const bool ok = std::abs(value - expected) <= 1e-12 * std::max(1.0, std::abs(expected));
    if (!ok)
        qInfo("got %.17g, expected %.17g", value, expected);
    return ok;
}

TaskSet sampleSet(const char* task)
{
    TaskOptions options;
    options.dataFolder = HEADSCOPE_SOURCE_DIR "/resources/samples";
    return *makeTask(task, options);
}

// What the metrics of a task's first example say to a text.
Judgement judged(const TaskSet& set, const std::string& text, const std::string& target,
                 const std::string& context = {})
{
    Example example = set.examples.front();
    example.target = target;
    if (!context.empty())
        example.context = context;
    Outcome outcome;
    outcome.generated = text;
    return *Judge::make(set.leaves.front())->judge(example, outcome);
}

RowResult row(bool right)
{
    Judgement judgement;
    judgement.correct = right;
    judgement.values = {right ? 1.0 : 0.0};
    return {judgement, {}};
}

} // namespace

class TestTasksMetrics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void gsm8kFilters_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("strict");
        QTest::addColumn<bool>("strictRight");
        QTest::addColumn<QString>("flexible");
        QTest::addColumn<bool>("flexibleRight");
        QTest::newRow("both") << u"... total is $18.\n#### 18"_s << u"18"_s << true << u"18"_s << true;
        QTest::newRow("sentence") << u"The answer is 18."_s << u"[invalid]"_s << false << u"18."_s << true;
        QTest::newRow("decimals") << u"The answer is $18.00"_s << u"[invalid]"_s << false << u"$18.00"_s << false;
        QTest::newRow("dollar") << u"#### $18"_s << u"[invalid]"_s << false << u"$18"_s << true;
        QTest::newRow("first and last") << u"#### 18.\n#### 20"_s << u"18."_s << true << u"20"_s << false;
        QTest::newRow("other number") << u"18 eggs. Then 5"_s << u"[invalid]"_s << false << u"5"_s << false;
        QTest::newRow("none") << u"no number"_s << u"[invalid]"_s << false << u"[invalid]"_s << false;
    }

    void gsm8kFilters()
    {
        QFETCH(QString, text);
        QFETCH(QString, strict);
        QFETCH(bool, strictRight);
        QFETCH(QString, flexible);
        QFETCH(bool, flexibleRight);
        const Judgement judgement = judged(sampleSet("gsm8k"), text.toStdString(), "He has 18.\n#### 18");
        QCOMPARE(QString::fromStdString(judgement.answers[0]), strict);
        QCOMPARE(judgement.values[0] > 0, strictRight);
        QCOMPARE(QString::fromStdString(judgement.answers[1]), flexible);
        QCOMPARE(judgement.values[1] > 0, flexibleRight);
        QCOMPARE(judgement.correct, strictRight);
    }

    void gsm8kIgnoresThousandsCommas()
    {
        QCOMPARE(judged(sampleSet("gsm8k"), "#### 1800", "x\n#### 1,800").values[0], 1.0);
    }

    void bbhGetAnswer()
    {
        const TaskSet set = sampleSet("bbh_cot_fewshot_date_understanding");
        const auto answer = [&](const char* text) { return judged(set, text, "(B)").answers[0]; };
        QCOMPARE(answer("So the answer is (B)."), std::string("(B)"));
        QCOMPARE(answer("So the answer is (B)"), std::string("(B"));
        QCOMPARE(answer("so The answer is 5."), std::string("[invalid]"));
        QCOMPARE(answer("the answer is no. So the answer is yes."), std::string("no. So the answer is yes"));
        QCOMPARE(judged(set, "So the answer is (B).\nmore", "(B)").values[0], 1.0);
    }

    void bbhZeroshotExtracts()
    {
        const TaskSet options = sampleSet("bbh_zeroshot_date_understanding");
        const std::string context =
            options.leaves[0].description + "Q: Which?\nOptions:\n(A) Red car\n(B) It's blue!\nA:";
        const auto option = [&](const char* text) { return judged(options, text, "(B)", context).answers[0]; };
        QCOMPARE(option("(C) then (B)"), std::string("(C)"));     // the first letter
        QCOMPARE(option("I think its BLUE"), std::string("(B)")); // the text of an option
        QCOMPARE(option("Answer: B"), std::string("(B)"));        // a letter after a colon
        QCOMPARE(option("no idea"), std::string("[invalid]"));
        QCOMPARE(judged(options, " (B).", "(B)", context).values[1], 0.0); // strict: the raw output, with its space
        QCOMPARE(judged(options, "(B).", "(B)", context).values[1], 1.0);

        const TaskSet last = sampleSet("bbh_cot_zeroshot_date_understanding");
        QCOMPARE(judged(last, "(A) or (B)", "(B)").answers[0], std::string("(B)"));
        QCOMPARE(judged(last, "The final answer: (B).", "(B)").answers[1], std::string("(B)"));

        const TaskSet words = sampleSet("bbh_zeroshot_word_sorting");
        QCOMPARE(judged(words, "roof door window, so door roof window", "door roof window").answers[0],
                 std::string("door roof window"));
        const TaskSet counts = sampleSet("bbh_zeroshot_object_counting");
        QCOMPARE(judged(counts, "There are 4 of 12", "4").answers[0], std::string("4"));
        QCOMPARE(judged(counts, "there are twenty two of them", "22").answers[0], std::string("22"));
        QCOMPARE(judged(counts, "eleven", "11").answers[0], std::string("11"));
        QCOMPARE(judged(counts, "none", "0").answers[0],
                 std::string("1")); // "one" inside "none", as the pattern has no word bounds
    }

    void mapFilterTakesTheFirstPatternThatFits()
    {
        const Filter filter = *Filter::make({Extraction::Kind::BbhMap,
                                             {},
                                             true,
                                             {{R"(\b(no|not plausible)\b)", "no"}, {R"(\b(yes|plausible)\b)", "yes"}}});
        QCOMPARE(*filter.apply("Yes, that is Not Plausible", {}), std::string("no"));
        QCOMPARE(*filter.apply("no, wait: plausible", {}), std::string("yes"));
        QCOMPARE(*filter.apply("maybe", {}), std::string("[invalid]"));
    }

    void numbersFromWords()
    {
        QCOMPARE(numberFromWords("twenty-three").value(), 23);
        QCOMPARE(numberFromWords("two hundred and five").value(), 205);
        QCOMPARE(numberFromWords("three thousand one hundred").value(), 3100);
        QVERIFY(!numberFromWords("and &").has_value());
    }

    void arcChatTakesTheLetter()
    {
        const TaskSet set = sampleSet("arc_challenge_chat");
        for (const char* right : {" B", " (B)", " b", " B\t!"})
            QVERIFY2((judged(set, right, "B").values[0] > 0) == (std::string(right) != " B\t!"), right);
        QCOMPARE(judged(set, " B\nBecause", "B").values[0], 0.0);
        QCOMPARE(judged(set, " B Planetary days", "B").values[0], 0.0);
    }

    void containsIsALiteralSubstring()
    {
        const TaskSet set = sampleSet("swde");
        QCOMPARE(judged(set, " in 1926 or so", "26").values[0], 1.0);
        QCOMPARE(judged(set, "VERA HOLM", "Vera Holm").values[0], 1.0);
        QCOMPARE(judged(set, "axb", "a.b").values[0], 0.0);
    }

    void choicesByLikelihoodAndLength()
    {
        const TaskSet set = sampleSet("hellaswag");
        const Judge judge = *Judge::make(set.leaves[0]);
        Example example = set.examples[0];
        example.normLengths = {2, 10, 10, 10};
        example.gold = 1;
        Outcome outcome;
        outcome.logLikelihoods = {-2.0, -5.0, -2.0, -9.0};
        outcome.greedy = {false, false, false, false};
        Judgement judgement = *judge.judge(example, outcome);
        QCOMPARE(judgement.prediction, 0); // the first on a tie
        QCOMPARE(judgement.values[0], 0.0);
        QCOMPARE(judgement.values[1], 0.0); // -0.2 for choice 2
        example.gold = 2;
        QCOMPARE(judge.judge(example, outcome)->values[1], 1.0);

        outcome.logLikelihoods[3] = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(judge.judge(example, outcome).error().message.find("not finite") != std::string::npos);
        outcome.logLikelihoods.pop_back();
        QVERIFY(judge.judge(example, outcome).error().message.find("4 continuations and 3") != std::string::npos);
        outcome.rejected = "The continuation is empty.";
        QVERIFY(judge.judge(example, outcome).error().message.find("continuation is empty") != std::string::npos);
    }

    void standardErrorsAreTheHarnesses()
    {
        const std::vector<double> scores{1, 0, 1, 1};
        QVERIFY(near(*standardErrorOfMean(scores), 0.25));
        QVERIFY(!standardErrorOfMean(std::vector<double>{1}).has_value());
        const std::vector<double> xs{-1.0, -2.0, -0.5, -3.0, -0.1};
        QVERIFY(near(**perplexityError(xs, 1000), 2.1805350901086156));
        QVERIFY(near(**perplexityError(xs, 100000), 2.1539247571548223));
        QVERIFY(!perplexityError(xs, 0)->has_value());
        QVERIFY(near(pooledError(std::vector<int>{100, 400}, std::vector<double>{0.05, 0.03}), 0.026005096812758914));
        std::stop_source stopped;
        stopped.request_stop();
        QCOMPARE(perplexityError(xs, 1000, {stopped.get_token(), {}}).error().kind, Error::Kind::Cancelled);
    }

    void perplexityIsPerRow()
    {
        const TaskSet set = sampleSet("lambada_openai");
        const Judge judge = *Judge::make(set.leaves[0]);
        std::vector<RowResult> rows(set.examples.size());
        for (std::size_t i = 0; i < 2; ++i) {
            Outcome outcome;
            outcome.logLikelihoods = {i == 0 ? -1.0 : -3.0};
            outcome.greedy = {i == 0};
            rows[i].judgement = *judge.judge(set.examples[i], outcome);
        }
        rows[2].error = "failed";
        const std::vector<Score> scores = *aggregate(set, rows, {0});
        QCOMPARE(scores.size(), std::size_t{2});
        QCOMPARE(scores[0].metric, std::string("perplexity"));
        QVERIFY(near(scores[0].value, std::exp(2.0)));
        QVERIFY(!scores[0].higherIsBetter && !scores[0].standardError);
        QVERIFY(near(scores[1].value, 0.5));
        QCOMPARE(scores[1].n, 2);
        QCOMPARE(scores[1].failed, 1);
        QCOMPARE(scores[1].extent, std::string("sample"));
        QVERIFY(!scores[0].wilson);
        QVERIFY(near(scores[1].wilson->low, 0.0945312057342307)
                && near(scores[1].wilson->high, 0.9054687942657693)); // 1 of 2
    }

    void groupsAreWeightedBySize()
    {
        TaskSet set;
        for (const auto& [name, size] : {std::pair{"a", 10}, std::pair{"b", 30}}) {
            LeafTask leaf;
            leaf.name = name;
            leaf.metrics = {Metric{}};
            leaf.begin = set.examples.size();
            set.examples.resize(set.examples.size() + static_cast<std::size_t>(size));
            leaf.end = set.examples.size();
            set.leaves.push_back(leaf);
        }
        set.groups = {{"all", {0, 1}, true, Metric::Kind::Acc, "none", "1"},
                      {"mean", {0, 1}, false, Metric::Kind::Acc, "none", "1"}};
        std::vector<RowResult> rows;
        for (int i = 0; i < 40; ++i)
            rows.push_back(row(i < 3 || (i >= 10 && i < 28))); // 0.3 and 0.6
        const std::vector<Score> scores = *aggregate(set, rows);
        QCOMPARE(scores.size(), std::size_t{5});
        QCOMPARE(scores[0].metric, std::string("acc"));
        QVERIFY(near(scores[0].value, (0.3 * 10 + 0.6 * 30) / 40));
        QVERIFY(near(scores[0].wilson->low, analysis::wilsonInterval(21, 40).low));
        const double below =
            std::hypot(0.3 - analysis::wilsonInterval(3, 10).low, 0.6 - analysis::wilsonInterval(18, 30).low);
        QVERIFY(near(scores[1].wilson->low, 0.45 - below / 2) && near(scores[2].wilson->low, scores[1].wilson->low));
        QCOMPARE(scores[0].errorKind, std::string("pooled"));
        QCOMPARE(scores[1].metric, std::string("acc_macro"));
        QVERIFY(near(scores[1].value, 0.45));
        QCOMPARE(scores[2].task, std::string("mean"));
        QVERIFY(near(scores[2].value, 0.45) && scores[2].metric == "acc");
        QVERIFY(near(*scores[3].standardError, std::sqrt(0.3 * 0.7 / 9)));
        QVERIFY(!aggregate(set, std::span(rows).first(3)).has_value());
    }

    // Each part is all right or all wrong, so that the harness's pooled error is 0.
    void fewRowsInPartsHaveARealError()
    {
        TaskSet set;
        std::vector<RowResult> rows;
        for (const int size : {3, 3, 2, 2, 1}) {
            LeafTask leaf;
            leaf.name = "part " + std::to_string(set.leaves.size());
            leaf.metrics = {Metric{}};
            leaf.begin = set.examples.size();
            set.examples.resize(leaf.begin + static_cast<std::size_t>(size));
            leaf.end = set.examples.size();
            rows.resize(leaf.end, row(set.leaves.size() == 2));
            set.leaves.push_back(leaf);
        }
        set.groups = {{"all", {0, 1, 2, 3}, true, Metric::Kind::Acc, "none", "1"},
                      {"with a part of one row", {0, 1, 2, 3, 4}, true, Metric::Kind::Acc, "none", "1"}};
        const std::vector<Score> scores = *aggregate(set, rows);
        QVERIFY(near(*scores[0].standardError, std::sqrt(0.2 * 0.8 / 9)));
        QVERIFY(near(*scores[1].standardError, std::sqrt(0.2 * 0.8 * 10 / 9 * (2.0 / 3 + 1)) / 4)); // the plain mean
        QCOMPARE(*scores[0].harnessError, 0.0);
        QVERIFY(*scores[2].standardError > 0.1 && !scores[2].harnessError);
    }

    void guessingIsDefinedWhereOptionsAreOffered()
    {
        for (const char* name :
             {"mmlu", "knowledge", "kv_retrieval:pairs=8", "toy_kv", "toy_mc", "toy_knowledge", "word_kv:pairs=8",
              "passage_mc", "ioi", "induction", "facts", "lambada_openai", "gsm8k", "swde", "bbh"}) {
            const auto set = makeTask(name, {.limit = 3});
            if (!set.has_value())
                continue; // its files are not shipped
            for (const LeafTask& leaf : set->leaves) {
                double mean = 0;
                bool options = true;
                for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
                    const Example& example = set->examples[i];
                    options = options && example.scoring == Scoring::MultipleChoice && example.continuations.size() > 1;
                    mean += 1.0 / static_cast<double>(example.continuations.size() * (leaf.end - leaf.begin));
                }
                QVERIFY2(near(set->chanceOf(leaf), options ? mean : 0), leaf.name.c_str());
            }
        }
        QCOMPARE(makeTask("kv_retrieval:pairs=8", {.limit = 3})
                     ->chanceOf(makeTask("kv_retrieval:pairs=8", {.limit = 3})->leaves[0]),
                 0.125);
        QCOMPARE(makeTask("toy_mc", {.limit = 3})->chanceOf(makeTask("toy_mc", {.limit = 3})->leaves[0]), 0.0);
    }

    void resultsFileHasTheHarnessKeys()
    {
        const TaskSet set = sampleSet("mmlu");
        std::vector<RowResult> rows;
        for (std::size_t i = 0; i < set.examples.size(); ++i)
            rows.push_back(row(i % 2 == 0));
        const std::vector<HarnessTask> tasks{{&set, *aggregate(set, rows)}};
        HarnessRun run;
        run.model = "tiny";
        const QJsonObject json =
            QJsonDocument::fromJson(QByteArray::fromStdString(harnessResults(run, tasks))).object();
        const QJsonObject leaf = json["results"_L1]["mmlu_astronomy"_L1].toObject();
        QVERIFY(leaf["acc,none"_L1].isDouble() && leaf["acc_stderr,none"_L1].isDouble());
        QVERIFY(json["groups"_L1]["mmlu"_L1]["acc,none"_L1].isDouble());
        QCOMPARE(json["group_subtasks"_L1]["mmlu"_L1].toArray().size(), 4);
        QCOMPARE(json["n-samples"_L1]["mmlu_astronomy"_L1]["effective"_L1].toInt(), 3);
        QCOMPARE(json["n-shot"_L1]["mmlu_astronomy"_L1].toInt(), 0);
        QCOMPARE(json["higher_is_better"_L1]["mmlu_astronomy"_L1]["acc"_L1].toBool(), true);
        QCOMPARE(json["headscope"_L1]["tasks"_L1]["mmlu_astronomy"_L1]["extent"_L1].toString(), u"sample"_s);
    }

    void samplesComeBackEqual()
    {
        const TaskSet set = sampleSet("arc_easy");
        const Judge judge = *Judge::make(set.leaves[0]);
        std::string text, moved;
        for (std::size_t i = 0; i < set.examples.size(); ++i) {
            Outcome outcome;
            for (std::size_t c = 0; c < set.examples[i].continuations.size(); ++c) {
                outcome.logLikelihoods.push_back(-1.0 / 3 - static_cast<double>(c * i));
                outcome.greedy.push_back(c == 0);
            }
            const auto line = [&] {
                return harnessSample(set.examples[i], set.leaves[0], outcome, *judge.judge(set.examples[i], outcome),
                                     "none")
                       + "\n";
            };
            text += line();
            if (i == 1)
                outcome.logLikelihoods[1] += 5;
            moved += line();
        }
        QTemporaryDir dir;
        const auto write = [&](const char* name, const std::string& content) {
            QFile file(dir.filePath(QString::fromUtf8(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray::fromStdString(content)) > 0);
        };
        write("a.jsonl", text);
        write("b.jsonl", moved + "{\"doc_id\": 9}\n");
        const auto path = [&](const char* name) { return std::filesystem::path(dir.path().toStdString()) / name; };
        const HarnessSamples a = *readHarnessSamples(path("a.jsonl"));
        const HarnessSamples b = *readHarnessSamples(path("b.jsonl"));
        QCOMPARE(a.rows.size(), set.examples.size());
        QCOMPARE(a.rows[1].contexts[0], set.examples[1].context);
        QCOMPARE(a.rows[1].logLikelihoods[1], -1.0 / 3 - 1); // every bit
        QVERIFY(a.rows[1].greedy[0] && !a.rows[1].greedy[1]);
        QCOMPARE(b.rejected.size(), std::size_t{1});
        const SampleComparison same = compareSamples(a, a, 0);
        QCOMPARE(same.matched, static_cast<int>(set.examples.size()));
        QVERIFY(same.rows.empty() && same.largestDifference == 0);
        const SampleComparison other = compareSamples(a, b, 1e-5);
        QCOMPARE(other.rows.size(), std::size_t{1});
        QCOMPARE(other.rows[0].docId, 1);
        QVERIFY(near(other.largestDifference, 5) && other.predictionsDiffer == 1 && other.beyondTolerance == 1);
        write("c.jsonl", "\n");
        QVERIFY(readHarnessSamples(path("c.jsonl")).error().message.find("no samples") != std::string::npos);
    }

    void readsTheHarnessesOwnLines()
    {
        QTemporaryDir dir;
        QFile file(dir.filePath(u"samples.jsonl"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            R"({"doc_id": 0, "doc": {"q": 1}, "target": "1", "arguments": {"gen_args_0": {"arg_0": "c", "arg_1": " a"}, "gen_args_1": {"arg_0": "c", "arg_1": " b"}}, "resps": [[["-1.5", "False"]], [["-0.25", "True"]]], "filtered_resps": [["-1.5", "False"], ["-0.25", "True"]], "filter": "none", "acc": 1.0})"
            "\n"
            R"({"doc_id": 0, "target": "x", "arguments": {"gen_args_0": {"arg_0": "p", "arg_1": {"until": ["\n"]}}}, "resps": [["the text"]], "filtered_resps": ["t"], "filter": "strict-match", "exact_match": 0.0})"
            "\n");
        file.close();
        const HarnessSamples samples = *readHarnessSamples(file.fileName().toStdString());
        QCOMPARE(samples.rows.size(), std::size_t{2});
        QCOMPARE(samples.rows[0].logLikelihoods, (std::vector<double>{-1.5, -0.25}));
        QCOMPARE(samples.rows[0].metrics.at("acc"), 1.0);
        QCOMPARE(samples.rows[1].text, std::string("the text"));
        QCOMPARE(samples.rows[1].filter, std::string("strict-match"));
        QVERIFY(samples.rows[1].continuations.empty());
    }
};

QTEST_GUILESS_MAIN(TestTasksMetrics)
#include "tst_tasksmetrics.moc"
