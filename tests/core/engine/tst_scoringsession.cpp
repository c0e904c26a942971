// SPDX-License-Identifier: GPL-3.0-or-later
// A session's results are taken again where nothing that decides them has changed, and only there.
#include "app/notebook/notebook.h"
#include "tests/support/scoringfixture.h"

#include <ATen/ops/ones.h>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace headscope;
using namespace scoringfixture;
using engine::Benchmark;
using engine::BosPolicy;
using engine::Scorer;
using interventions::InterventionSet;
namespace fs = std::filesystem;

class TestScoringSession : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void takesStoredResultsAgain();
    void keepsWhichContinuationsAreGreedy();
    void neverTakesResultsOfOtherInputs_data();
    void neverTakesResultsOfOtherInputs();
    void knowsADonorByItsWeights();
    void runsOnlyTheRowsThatAreNew();
    void goesOnWhereItWasStopped();

private:
    struct Ran {
        engine::Rows rows;
        std::int64_t computed = -1; ///< rows that were not in the session
    };
    app::Subject subject(BosPolicy bos = BosPolicy::Never) const
    {
        return app::subjectOf(m_llama, "llama", "here", *m_words, bos);
    }
    std::shared_ptr<const Benchmark> benchmark(const Scorer& scorer, std::vector<tasks::Example> rows,
                                               BosPolicy bos = BosPolicy::Never) const;
    Ran evaluated(sessions::SessionStore& session, const app::Subject& subject, std::vector<tasks::Example> rows,
                  const std::string& ablation) const;

    lm::LoadedModel m_llama;
    std::shared_ptr<const text::Tokenizer> m_words;
    std::string m_rowSource, m_version; ///< of the task that is scored
};

void TestScoringSession::initTestCase()
{
    auto loaded = lm::load(llamaFolder(), {"cpu", "fp32"});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    m_llama = std::move(*loaded);
    m_words = tokenizerfixture::load(wordsFile());
    QVERIFY(m_words);
}

std::shared_ptr<const Benchmark> TestScoringSession::benchmark(const Scorer& scorer, std::vector<tasks::Example> rows,
                                                               BosPolicy bos) const
{
    tasks::TaskSet set = setOf(std::move(rows));
    set.leaves.front().rowSource = m_rowSource;
    set.leaves.front().version = m_version;
    auto made = Benchmark::make(std::move(set), scorer, *m_words, bos);
    if (!made.has_value())
        qFatal("%s", made.error().message.c_str());
    return *made;
}

TestScoringSession::Ran TestScoringSession::evaluated(sessions::SessionStore& session, const app::Subject& subject,
                                                      std::vector<tasks::Example> rows,
                                                      const std::string& ablation) const
{
    Scorer scorer(m_llama.model, m_words);
    const auto made = benchmark(scorer, std::move(rows), subject.bos);
    const auto set = InterventionSet::parse(ablation);
    lm::DonorLoader donors = [](const std::string& name) -> Result<std::shared_ptr<const lm::Model>> {
        const auto donor = lm::load(name, {"cpu", "fp32"});
        return donor.has_value() ? Result<std::shared_ptr<const lm::Model>>(donor->model) : donor.error();
    };
    donors.direction = [width = m_llama.model->spec().hidden](const interventions::Steer&) -> Result<at::Tensor> {
        return at::ones({width});
    };
    const auto key = app::seriesOf(subject, *made, made->set().leaves.front(), *set);
    const auto before = session.doneExamples(key)->size();
    Ran ran{made->emptyRows(), -1};
    const auto done = app::evaluate(&session, subject, scorer, *made, *set, donors, ran.rows, {}, {});
    if (!done.has_value()) {
        qWarning("%s", done.error().message.c_str());
        return ran;
    }
    ran.computed = static_cast<std::int64_t>(session.doneExamples(key)->size() - before);
    return ran;
}

void TestScoringSession::takesStoredResultsAgain()
{
    const QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("s.headscope")).toStdString());
    QVERIFY(session.has_value());
    const auto rows = rowsOf("several tokens");
    const Ran first = evaluated(*session, subject(), rows, "L1H2");
    QCOMPARE(first.computed, std::int64_t{24});
    const Ran again = evaluated(*session, subject(), rows, "L1H2");
    QCOMPARE(again.computed, std::int64_t{0});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QCOMPARE(again.rows.outcomes[i]->logLikelihoods, first.rows.outcomes[i]->logLikelihoods);
        QCOMPARE(again.rows.results[i].judgement->prediction, first.rows.results[i].judgement->prediction);
    }
}

// Which of all words the model would say itself, as samples in the harness's layout tell it of each choice.
void TestScoringSession::keepsWhichContinuationsAreGreedy()
{
    const QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("s.headscope")).toStdString());
    QVERIFY(session.has_value());
    std::vector<std::string> all;
    for (int i = 0; i < kWords; ++i)
        all.push_back(" w" + std::to_string(i));
    std::vector<tasks::Example> rows;
    for (int row = 0; row < 6; ++row)
        rows.push_back(choiceRow(row, words(5 + row, row), all));
    const Ran first = evaluated(*session, subject(), rows, "");
    const Ran again = evaluated(*session, subject(), rows, "");
    QCOMPARE(again.computed, std::int64_t{0});
    std::ptrdiff_t greedy = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QCOMPARE(again.rows.outcomes[i]->greedy, first.rows.outcomes[i]->greedy);
        greedy += std::count(first.rows.outcomes[i]->greedy.begin(), first.rows.outcomes[i]->greedy.end(), true);
    }
    QVERIFY(greedy > 0);
}

void TestScoringSession::neverTakesResultsOfOtherInputs_data()
{
    QTest::addColumn<QString>("change");
    for (const char* change : {"model", "tokenizer", "dtype", "device", "prompt", "continuation", "bos", "log-softmax",
                               "ablation", "baseline", "examples of the mean", "source of the rows",
                               "version of the task", "content of a list of prompts", "start token of prompts"})
        QTest::newRow(change) << QString::fromLatin1(change);
}

void TestScoringSession::neverTakesResultsOfOtherInputs()
{
    QFETCH(QString, change);
    m_rowSource = "samples";
    m_version = "1.0";
    const QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("s.headscope")).toStdString());
    QVERIFY(session.has_value());
    auto rows = rowsOf("single tokens");
    app::Subject changed = subject();
    const fs::path lists = folder.path().toStdString();
    const auto write = [&](const char* name, const char* text) { std::ofstream(lists / name) << text; };
    write("a", "w1 w2\n");
    write("b", "w3\n");
    const bool prompts = change.contains(QStringLiteral("prompts"));
    const std::string first = change == QStringLiteral("examples of the mean") ? "L1H2=mean"
                              : prompts ? "steer:L1=" + (lists / "a").string() + "-" + (lists / "b").string()
                                        : "L1H2";
    std::string ablation = first;
    QCOMPARE(evaluated(*session, changed, rows, first).computed, std::int64_t{24});
    std::int64_t expected = 24;
    if (change == QStringLiteral("model")) {
        changed.model.hash[0] = changed.model.hash[0] == '0' ? '1' : '0';
    } else if (change == QStringLiteral("tokenizer")) {
        const auto other = tokenizerfixture::load(wordsFile("1"));
        QVERIFY(other->contentHash() != m_words->contentHash());
        changed = app::subjectOf(m_llama, "llama", "here", *other, BosPolicy::Never);
    } else if (change == QStringLiteral("dtype")) {
        changed.dtype = "bf16";
    } else if (change == QStringLiteral("device")) {
        changed.device = "cuda";
    } else if (change == QStringLiteral("prompt")) {
        rows[3].context += " w1";
        expected = 1;
    } else if (change == QStringLiteral("continuation")) {
        rows[3].continuations[2] = " w40";
        expected = 1;
    } else if (change == QStringLiteral("bos")) {
        changed = subject(BosPolicy::Always);
    } else if (change == QStringLiteral("log-softmax")) {
        changed.logSoftmax = engine::LogSoftmax::Model;
    } else if (change == QStringLiteral("ablation")) {
        ablation = "L1H2=scale:0.5";
    } else if (change == QStringLiteral("source of the rows")) {
        m_rowSource = "a data folder"; // the same rows there, among others
    } else if (change == QStringLiteral("version of the task")) {
        m_version = "2.0";
    } else if (change == QStringLiteral("content of a list of prompts")) {
        write("b", "w4\n");
    } else if (change == QStringLiteral("start token of prompts")) {
        changed.textBos = BosPolicy::Always;
    } else if (change == QStringLiteral("baseline")) {
        ablation = "";
    } else { // the mean is over all rows of the run
        rows.pop_back();
        expected = 23;
    }
    QCOMPARE(evaluated(*session, changed, rows, ablation).computed, expected);
}

void TestScoringSession::knowsADonorByItsWeights()
{
    // Two donors of one name: the same folder with other weights in it.
    const QTemporaryDir folder;
    const fs::path donor = fs::path(folder.path().toStdString()) / "donor";
    fs::create_directories(donor);
    for (const char* file : {"config.json", "model.safetensors"})
        fs::copy_file(llamaFolder() / file, donor / file);
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("s.headscope")).toStdString());
    QVERIFY(session.has_value());
    const auto rows = rowsOf("single tokens");
    const std::string ablation = "swap:L1=" + donor.string();
    QCOMPARE(evaluated(*session, subject(), rows, ablation).computed, std::int64_t{24});
    QCOMPARE(evaluated(*session, subject(), rows, ablation).computed, std::int64_t{0});
    {
        std::fstream weights(donor / "model.safetensors", std::ios::binary | std::ios::in | std::ios::out);
        weights.seekp(-4, std::ios::end);
        const float other = 0.5F;
        weights.write(reinterpret_cast<const char*>(&other), sizeof other);
        QVERIFY(weights.good());
    }
    QCOMPARE(evaluated(*session, subject(), rows, ablation).computed, std::int64_t{24});
}

void TestScoringSession::runsOnlyTheRowsThatAreNew()
{
    const QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("s.headscope")).toStdString());
    QVERIFY(session.has_value());
    const auto rows = rowsOf("several tokens");
    QCOMPARE(evaluated(*session, subject(), {rows.begin(), rows.begin() + 10}, "").computed, std::int64_t{10});
    QCOMPARE(evaluated(*session, subject(), {rows.begin(), rows.begin() + 17}, "").computed, std::int64_t{7});
    const Ran all = evaluated(*session, subject(), rows, "");
    QCOMPARE(all.computed, std::int64_t{7});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto expected = plain(*m_llama.model, *m_words, rows[i], kPositions).logLikelihoods;
        for (std::size_t c = 0; c < expected.size(); ++c)
            QVERIFY(std::abs(all.rows.outcomes[i]->logLikelihoods[c] - expected[c]) <= tolerance(expected[c]));
    }
}

void TestScoringSession::goesOnWhereItWasStopped()
{
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("s.headscope")).toStdString();
    const auto rows = rowsOf("several tokens");
    Scorer scorer(m_llama.model, m_words, {.batchTokens = 1});
    const auto made = benchmark(scorer, rows);
    std::size_t kept = 0;
    {
        auto session = sessions::SessionStore::open(file);
        QVERIFY(session.has_value());
        std::stop_source stop;
        int heard = 0;
        engine::Rows found = made->emptyRows();
        const auto done = app::evaluate(&*session, subject(), scorer, *made, {}, {}, found,
                                        [&](int, const tasks::Outcome&, const tasks::RowResult&) {
                                            if (++heard == 7)
                                                stop.request_stop();
                                        },
                                        {stop.get_token(), {}});
        QVERIFY(!done.has_value());
        QCOMPARE(static_cast<int>(done.error().kind), static_cast<int>(Error::Kind::Cancelled));
        QCOMPARE(heard, 7);
        kept = session->doneExamples(app::seriesOf(subject(), *made, made->set().leaves.front(), {}))->size();
        QCOMPARE(kept, std::size_t{7});
    }
    auto session = sessions::SessionStore::open(file);
    QVERIFY(session.has_value());
    QCOMPARE(evaluated(*session, subject(), rows, "").computed, static_cast<std::int64_t>(rows.size() - kept));
}

QTEST_GUILESS_MAIN(TestScoringSession)
#include "tst_scoringsession.moc"
