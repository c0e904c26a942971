// SPDX-License-Identifier: GPL-3.0-or-later
// The scorer against the plain path (every choice its own forward pass), what is rejected, and where generation stops.
#include "core/engine/scoring/pairs/boundary.h"
#include "tests/support/scoringfixture.h"

#include <ATen/ops/scalar_tensor.h>
#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace scoringfixture;
using engine::Benchmark;
using engine::BosPolicy;
using engine::Scorer;

class TestScoring : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void equalsThePlainPath_data();
    void equalsThePlainPath();
    void movesWhiteSpaceToTheContinuation();
    void scoresContextAndContinuationNotTheWhole();
    void scoresFromTheCommonPrefixWhereAsked();
    void countsRowsThatMergeAtTheBoundary();
    void conditionsAnEmptyContextOnBos();
    void takesBosAsAsked();
    void rejectsWhatCanNotBeScored_data();
    void rejectsWhatCanNotBeScored();
    void rejectsIdsOutsideTheModel();
    void stopsAtStopStrings_data();
    void stopsAtStopStrings();
    void cutsPromptsThatAreContinued();
    void cleansUpGeneratedTextWhereTheTokenizerAsksForIt();
    void roundsToTheModelsTypeWhenAsked();

private:
    std::shared_ptr<const Benchmark> benchmark(const Scorer& scorer, std::vector<tasks::Example> rows,
                                               BosPolicy bos = BosPolicy::Never) const;
    std::string generated(std::vector<std::string> until, int newTokens) const;

    lm::LoadedModel m_llama;
    std::shared_ptr<const text::Tokenizer> m_words;
};

void TestScoring::initTestCase()
{
    auto loaded = lm::load(llamaFolder(), {"cpu", "fp32"});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    m_llama = std::move(*loaded);
    m_words = tokenizerfixture::load(wordsFile());
    QVERIFY(m_words);
    QCOMPARE(m_llama.model->spec().maxPositions, kPositions);
}

std::shared_ptr<const Benchmark> TestScoring::benchmark(const Scorer& scorer, std::vector<tasks::Example> rows,
                                                        BosPolicy bos) const
{
    auto made = Benchmark::make(setOf(std::move(rows)), scorer, *m_words, bos);
    if (!made.has_value())
        qFatal("%s", made.error().message.c_str());
    return *made;
}

void TestScoring::equalsThePlainPath_data()
{
    QTest::addColumn<QString>("kind");
    for (const char* kind :
         {"single tokens", "several tokens", "a context a choice", "one continuation", "cut from the left"})
        QTest::newRow(kind) << QString::fromLatin1(kind);
}

void TestScoring::equalsThePlainPath()
{
    QFETCH(QString, kind);
    const auto rows = rowsOf(kind.toStdString());
    for (const std::int64_t batchTokens : {1, 64, 100000}) {
        Scorer scorer(m_llama.model, m_words, {.batchTokens = batchTokens});
        const auto made = benchmark(scorer, rows);
        engine::Rows found = made->emptyRows();
        const auto done = made->run(scorer, {}, {}, found, {}, {});
        QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const tasks::Outcome expected = plain(*m_llama.model, *m_words, rows[i], kPositions);
            QVERIFY2(found.results[i].error.empty(), found.results[i].error.c_str());
            const tasks::Outcome& outcome = *found.outcomes[i];
            QCOMPARE(outcome.truncated, kind == QStringLiteral("cut from the left"));
            QCOMPARE(outcome.logLikelihoods.size(), expected.logLikelihoods.size());
            for (std::size_t c = 0; c < expected.logLikelihoods.size(); ++c)
                QVERIFY2(std::abs(outcome.logLikelihoods[c] - expected.logLikelihoods[c])
                             <= tolerance(expected.logLikelihoods[c]),
                         qPrintable(QStringLiteral("row %1, choice %2: %3, expected %4")
                                        .arg(i)
                                        .arg(c)
                                        .arg(outcome.logLikelihoods[c])
                                        .arg(expected.logLikelihoods[c])));
            QCOMPARE(outcome.greedy, expected.greedy);
            if (rows[i].scoring == tasks::Scoring::MultipleChoice) {
                const auto best = std::max_element(expected.logLikelihoods.begin(), expected.logLikelihoods.end())
                                  - expected.logLikelihoods.begin();
                QCOMPARE(found.results[i].judgement->prediction, static_cast<int>(best));
            }
        }
    }
    // Choices of one token share a pass; others that begin alike do not lose one another's tokens.
    if (kind == QStringLiteral("single tokens")) {
        Scorer scorer(m_llama.model, m_words);
        const auto made = benchmark(scorer, rows);
        for (const engine::EncodedExample& example : made->workload().examples())
            QCOMPARE(example.sequences.size(), std::size_t{1});
    }
}

void TestScoring::movesWhiteSpaceToTheContinuation()
{
    const auto bytes = tokenizerfixture::load(tokenizerfixture::byteLevel());
    QVERIFY(bytes);
    const auto ids = [&](std::string_view text) { return bytes->encode(text, false)->ids; };
    // All that Python's rstrip takes: a space, a no-break space, an ideographic one, a separator below U+0020.
    for (const std::string space : {" ", "\xC2\xA0", " \xE3\x80\x80\n", "\x1C", "\xC2\x85"}) {
        const auto encoded = engine::encode(choiceRow(0, "hell" + space, {"w", "o"}), tasks::PairEncoding::Harness,
                                            *bytes, BosPolicy::Never, kPositions);
        QVERIFY2(encoded.rejected.empty(), encoded.rejected.c_str());
        std::vector<int> expected = ids("hell" + space + "w");
        const auto& sequence = encoded.sequences.front();
        QCOMPARE(sequence.targets.front().position, 0);
        QCOMPARE(sequence.targets.front().token, expected[1]);
        expected.pop_back();
        QCOMPARE(sequence.ids, expected);
    }
    // A zero-width space is no white space.
    const auto kept = engine::encode(choiceRow(0, "hell\xE2\x80\x8B", {"w"}), tasks::PairEncoding::Harness, *bytes,
                                     BosPolicy::Never, kPositions);
    QCOMPARE(kept.sequences.front().ids, ids("hell\xE2\x80\x8B"));
}

void TestScoring::scoresContextAndContinuationNotTheWhole()
{
    // "hello w" is [hello][ w]; with the context "h" the first id of the whole gives way to the context's.
    const auto bytes = tokenizerfixture::load(tokenizerfixture::byteLevel());
    QVERIFY(bytes);
    const auto encoded = engine::encode(choiceRow(0, "h", {"ello w"}), tasks::PairEncoding::Harness, *bytes,
                                        BosPolicy::Never, kPositions);
    QVERIFY2(encoded.rejected.empty(), encoded.rejected.c_str());
    QCOMPARE(encoded.sequences.front().ids, bytes->encode("h", false)->ids);
    QCOMPARE(encoded.sequences.front().targets.size(), std::size_t{1});
    QCOMPARE(encoded.sequences.front().targets.front().token, bytes->encode(" w", false)->ids.front());
}

void TestScoring::scoresFromTheCommonPrefixWhereAsked()
{
    // "w1 w" is [w1][<unk>]; "w1 w2 w3" is [w1][w2][w3], and "w1 w w5" is [w1][<unk>][w5].
    const auto rows = [] {
        return setOf({choiceRow(0, "w1 w", {"2 w3", " w5"}), choiceRow(1, "w1 w2", {" w3", " w4"}),
                      choiceRow(2, "w", {"2 w3"})});
    };
    const auto scored = [](const Benchmark& benchmark, std::size_t example, int choice) {
        std::vector<std::pair<int, int>> targets; // position, token
        for (const auto& sequence : benchmark.workload().examples()[example].sequences)
            for (const auto& target : sequence.targets)
                if (target.choice == choice)
                    targets.emplace_back(target.position, target.token);
        return targets;
    };
    using Targets = std::vector<std::pair<int, int>>;
    const Scorer scorer(m_llama.model, m_words);
    const auto harness = *Benchmark::make(rows(), scorer, *m_words, BosPolicy::Never);
    QCOMPARE(scored(*harness, 0, 0), (Targets{{1, 6}})); // "w2" is not asked for
    QCOMPARE(scored(*harness, 0, 1), (Targets{{1, 8}}));
    const auto prefix = *engine::makeFromCommonPrefix(rows(), scorer, *m_words, BosPolicy::Never);
    QCOMPARE(scored(*prefix, 0, 0), (Targets{{0, 5}, {1, 6}}));
    QCOMPARE(scored(*prefix, 0, 1), (Targets{{0, 0}, {1, 8}})); // from the same token on
    for (const int choice : {0, 1})                             // nothing merges: both rules are one
        QCOMPARE(scored(*prefix, 1, choice), scored(*harness, 1, choice));
    QVERIFY(prefix->workload().examples()[2].rejected.find("nothing is left to condition on") != std::string::npos);
    QVERIFY(prefix->set().leaves.front().version.ends_with("common-prefix"));
}

void TestScoring::countsRowsThatMergeAtTheBoundary()
{
    const auto set =
        setOf({choiceRow(0, "w1 w2", {" w3"}), choiceRow(1, "w1 w", {"2 w3"}), choiceRow(2, "w4 w", {"5 w6"})});
    const std::string task = set.leaves.front().name;
    const engine::MergedRows merged = engine::mergedRows(set, task, *m_words, BosPolicy::Never);
    QCOMPARE(merged.rows, 2);
    QCOMPARE(merged.first(), "row 1 of '" + set.examples[1].task + "'");
    QCOMPARE(engine::mergedRows(set, "another", *m_words, BosPolicy::Never).rows, 0);
    const auto note = [&](engine::Boundary boundary) { return engine::boundaryNote(task, merged, boundary); };
    QVERIFY(note(engine::Boundary::Harness).find("2 rows were scored on other tokens") != std::string::npos);
    QVERIFY(note(engine::Boundary::CommonPrefix).find("from the longest common prefix") != std::string::npos);
    QVERIFY(engine::boundaryNote(task, {}, engine::Boundary::Harness).empty());
}

void TestScoring::conditionsAnEmptyContextOnBos()
{
    const auto encoded = engine::encode(choiceRow(0, "", {"w4 w5"}), tasks::PairEncoding::Harness, *m_words,
                                        BosPolicy::Never, kPositions);
    QVERIFY2(encoded.rejected.empty(), encoded.rejected.c_str());
    QCOMPARE(encoded.sequences.front().ids, (std::vector<int>{*m_words->bosId(), 7}));
    QCOMPARE(encoded.sequences.front().targets.front().position, 0);
}

void TestScoring::takesBosAsAsked()
{
    const auto example = choiceRow(0, "w1 w2", {" w3"});
    const auto idsWith = [&](BosPolicy bos, tasks::PairEncoding pairing) {
        return engine::encode(example, pairing, *m_words, bos, kPositions).sequences.front().ids;
    };
    QCOMPARE(idsWith(BosPolicy::Never, tasks::PairEncoding::Harness), (std::vector<int>{4, 5}));
    QCOMPARE(idsWith(BosPolicy::TokenizerDefault, tasks::PairEncoding::Harness), (std::vector<int>{1, 4, 5}));
    QCOMPARE(idsWith(BosPolicy::Always, tasks::PairEncoding::Harness), (std::vector<int>{1, 4, 5}));
    // KV retrieval as in the paper: BOS in front, so that scoring begins one token early.
    const auto paper =
        engine::encode(example, tasks::PairEncoding::KvRetrieval, *m_words, BosPolicy::Never, kPositions);
    QCOMPARE(paper.sequences.front().ids, (std::vector<int>{1, 4, 5}));
    QCOMPARE(paper.sequences.front().targets.size(), std::size_t{2});
    QCOMPARE(paper.sequences.front().targets.front().token, 5);
}

void TestScoring::rejectsWhatCanNotBeScored_data()
{
    QTest::addColumn<QString>("context");
    QTest::addColumn<QString>("continuation");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("empty continuation") << QStringLiteral("w1 w2") << QString()
                                        << QStringLiteral("Choice 1 adds no token to its context.");
    QTest::newRow("blank continuation") << QStringLiteral("w1 w2") << QStringLiteral("  ")
                                        << QStringLiteral("Choice 1 adds no token to its context.");
    QTest::newRow("over-long continuation")
        << QStringLiteral("w1") << QString::fromStdString(" " + words(kPositions + 1, 1))
        << QStringLiteral("Choice 1 has 129 tokens; the model allows 128.");
    QTest::newRow("blank context") << QStringLiteral(" \n ") << QStringLiteral("w1")
                                   << QStringLiteral(
                                          "The context contains only white space; nothing is left to condition on.");
}

void TestScoring::rejectsWhatCanNotBeScored()
{
    QFETCH(QString, context);
    QFETCH(QString, continuation);
    QFETCH(QString, sentence);
    Scorer scorer(m_llama.model, m_words);
    const auto made = benchmark(scorer, {choiceRow(0, context.toStdString(), {" w5", continuation.toStdString()}),
                                         choiceRow(1, "w1", {" w2", " w3"})});
    engine::Rows rows = made->emptyRows();
    QVERIFY(made->run(scorer, {}, {}, rows, {}, {}).has_value());
    // Listed as failed, not counted as wrong; the row beside it is scored.
    QVERIFY2(rows.results[0].error.find(sentence.toStdString()) != std::string::npos, rows.results[0].error.c_str());
    QVERIFY(!rows.results[0].judgement);
    QVERIFY(rows.results[1].judgement);
    const auto scores = tasks::aggregate(made->set(), rows.results);
    QVERIFY(scores.has_value());
    QCOMPARE(scores->front().n, 1);
    QCOMPARE(scores->front().failed, 1);
}

void TestScoring::rejectsIdsOutsideTheModel()
{
    const auto bytes = tokenizerfixture::load(tokenizerfixture::byteLevel()); // 263 ids, the model has 64
    QVERIFY(bytes);
    const std::string known = bytes->decode(std::vector<int>{5})->data();
    tasks::Example continued;
    continued.scoring = tasks::Scoring::Generation;
    continued.context = "hello";
    continued.maxNewTokens = 2;
    // In the context, as the last scored token (which never goes in), and in a prompt that is continued.
    for (const auto& example : {choiceRow(0, "hello", {known}), choiceRow(0, known, {" w"}), continued}) {
        Scorer scorer(m_llama.model, bytes);
        const auto made = Benchmark::make(setOf({example}), scorer, *bytes);
        QVERIFY(made.has_value());
        engine::Rows rows = (*made)->emptyRows();
        QVERIFY((*made)->run(scorer, {}, {}, rows, {}, {}).has_value());
        QVERIFY2(rows.results[0].error.find("the model has ids 0 to 63") != std::string::npos,
                 rows.results[0].error.c_str());
    }
}

std::string TestScoring::generated(std::vector<std::string> until, int newTokens) const
{
    tasks::Example example;
    example.scoring = tasks::Scoring::Generation;
    example.context = words(9, 4);
    example.until = std::move(until);
    example.maxNewTokens = newTokens;
    Scorer scorer(m_llama.model, m_words);
    const auto made = benchmark(scorer, {example});
    engine::Rows rows = made->emptyRows();
    const auto done = made->run(scorer, {}, {}, rows, {}, {});
    return done.has_value() ? rows.outcomes[0]->generated : done.error().message;
}

void TestScoring::stopsAtStopStrings_data()
{
    QTest::addColumn<int>("first"); // where a stop string is cut out of the free text, in characters; -1: not in it
    QTest::addColumn<int>("length");
    QTest::newRow("at the start") << 0 << 2;
    QTest::newRow("inside a word") << 4 << 1;
    QTest::newRow("across two words") << 4 << 6;
    QTest::newRow("empty") << 3 << 0;
    QTest::newRow("not there") << -1 << 0;
}

void TestScoring::stopsAtStopStrings()
{
    QFETCH(int, first);
    QFETCH(int, length);
    const std::string whole = generated({}, 12);
    QVERIFY2(whole.size() > 12, whole.c_str());
    const std::string stop =
        first < 0 ? "never" : whole.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(length));
    QCOMPARE(generated({stop}, 12), stop.empty() ? whole : whole.substr(0, whole.find(stop)));
    // Cut at each in turn: one that starts inside an earlier one's match is gone by then.
    if (length > 1)
        QCOMPARE(generated({stop.substr(1), stop}, 12), whole.substr(0, whole.find(stop.substr(1))));
}

void TestScoring::cutsPromptsThatAreContinued()
{
    tasks::Example example;
    example.scoring = tasks::Scoring::Generation;
    example.context = words(150, 2);
    example.maxNewTokens = 28;
    const auto encoded = engine::encode(example, tasks::PairEncoding::Harness, *m_words, BosPolicy::Never, kPositions);
    QVERIFY(encoded.truncated);
    const auto all = m_words->encode(example.context, false)->ids;
    QCOMPARE(encoded.prompt, std::vector<int>(all.end() - 100, all.end()));
    example.maxNewTokens = kPositions;
    QVERIFY(!engine::encode(example, tasks::PairEncoding::Harness, *m_words, BosPolicy::Never, kPositions)
                 .rejected.empty());
}

void TestScoring::cleansUpGeneratedTextWhereTheTokenizerAsksForIt()
{
    nlohmann::json vocab;
    for (int i = 0; i < 64; ++i)
        vocab["?" + std::to_string(i)] = i;
    nlohmann::json file = wordsFile();
    file["added_tokens"] = nlohmann::json::array();
    file["post_processor"] = nullptr;
    file["model"] = {{"type", "WordLevel"}, {"unk_token", "?0"}, {"vocab", vocab}};
    const tokenizerfixture::Folder folder;
    folder.write("tokenizer.json", file);
    tasks::Example example;
    example.scoring = tasks::Scoring::Generation;
    example.context = words(9, 4);
    example.maxNewTokens = 8;
    std::string texts[2];
    for (std::string& text : texts) {
        m_words = *folder.load();
        Scorer scorer(m_llama.model, m_words);
        const auto made = benchmark(scorer, {example});
        engine::Rows rows = made->emptyRows();
        QVERIFY(made->run(scorer, {}, {}, rows, {}, {}).has_value());
        text = rows.outcomes[0]->generated;
        folder.write("tokenizer_config.json", nlohmann::json{{"clean_up_tokenization_spaces", true}});
    }
    m_words = tokenizerfixture::load(wordsFile());
    QVERIFY2(texts[0].find(" ?") != std::string::npos, texts[0].c_str());
    QCOMPARE(texts[1], text::cleanUpSpaces(texts[0]));
}

void TestScoring::roundsToTheModelsTypeWhenAsked()
{
    const auto halved = lm::load(llamaFolder(), {"cpu", "bf16"});
    QVERIFY(halved.has_value());
    const auto rows = rowsOf("several tokens");
    const auto score = [&](const std::shared_ptr<const lm::Model>& model, engine::LogSoftmax type) {
        Scorer scorer(model, m_words, {.logSoftmax = type});
        const auto made = benchmark(scorer, rows);
        engine::Rows found = made->emptyRows();
        return made->run(scorer, {}, {}, found, {}, {}).has_value() ? found : engine::Rows();
    };
    const engine::Rows exact = score(halved->model, engine::LogSoftmax::Fp32),
                       rounded = score(halved->model, engine::LogSoftmax::Model);
    const engine::Rows full = score(m_llama.model, engine::LogSoftmax::Fp32),
                       same = score(m_llama.model, engine::LogSoftmax::Model);
    QCOMPARE(rounded.outcomes.size(), rows.size());
    int moved = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t c = 0; c < rows[i].continuations.size(); ++c) {
            const double value = rounded.outcomes[i]->logLikelihoods[c], before = exact.outcomes[i]->logLikelihoods[c];
            QCOMPARE(value, at::scalar_tensor(value, at::kDouble).to(at::kBFloat16).item<double>());
            QVERIFY2(std::abs(value - before) <= 0.02 * std::abs(before),
                     qPrintable(QStringLiteral("%1 %2").arg(value).arg(before)));
            moved += value != before;
            QVERIFY(std::abs(same.outcomes[i]->logLikelihoods[c] - full.outcomes[i]->logLikelihoods[c])
                    < tolerance(full.outcomes[i]->logLikelihoods[c]));
        }
    QVERIFY(moved > 0);
}

QTEST_GUILESS_MAIN(TestScoring)
#include "tst_scoring.moc"
