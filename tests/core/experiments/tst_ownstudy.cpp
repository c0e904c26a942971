// SPDX-License-Identifier: GPL-3.0-or-later
// Studies of one's own: what the reader takes and refuses, and the rule that an expectation becomes.
#include "core/experiments/own/definition.h"
#include "core/experiments/own/expectation.h"
#include "core/experiments/own/ownstudy.h"
#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace headscope;
using namespace headscope::experiments;
using nlohmann::json;

namespace {

json plain()
{
    return json::parse(R"({"headscope_study": 1, "id": "my-study", "title": "Mine", "question": "Is it so?",
        "setting": "here", "models": ["tiny-transformer"], "benchmarks": ["toy_kv:pairs=8", "toy_knowledge"],
        "conditions": [{"name": "whole"}, {"name": "without", "remove": ["L2H5"]},
                       {"name": "random", "remove": [{"random": 1}], "control": true}],
        "expected": {"change": "falls", "of": ["toy_kv:pairs=8"], "keeps": ["toy_knowledge"]}})");
}

std::string refusal(const json& study)
{
    const auto read = ownStudy(study.dump());
    return read.has_value() ? std::string() : read.error().message;
}

Cell score(const char* task, double value, std::optional<double> before, int n)
{
    Cell cell(value);
    cell.task = task;
    cell.n = n;
    cell.chance = 0.25;
    cell.interval = analysis::wilsonInterval(std::llround(value * n), n);
    if (before) {
        const double change = value - *before;
        cell.contrast = Contrast{change, {change - 0.05, change + 0.05}, std::abs(change) < 0.03 ? 0.7 : 1e-6, n};
    }
    return cell;
}

/// Retrieval and knowledge of the whole, of the condition, of the control.
Table tableOf(const Experiment& experiment, const std::array<std::pair<double, double>, 3>& states, int n = 200)
{
    Table table{experiment.columns, {}};
    const char* const names[] = {"whole", "without", "random"};
    for (std::size_t i = 0; i < states.size(); ++i) {
        const auto before = [&](double first) { return i == 0 ? std::optional<double>() : std::optional(first); };
        table.rows.push_back(
            {{"m", names[i], "set", score("toy_kv:pairs=8", states[i].first, before(states[0].first), n),
              score("toy_knowledge", states[i].second, before(states[0].second), n)}});
    }
    return table;
}

} // namespace

class TestOwnStudy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theProgramsOwnAreSuchFiles();
    void theExamplesCanBeRead();
    void readsWhatIsWritten();
    void refusesWithOneSentence_data();
    void refusesWithOneSentence();
    void anExpectationIsARule_data();
    void anExpectationIsARule();
    void saysItsRuleInWords();
    void speaksOfNothingAtGuessing();
};

void TestOwnStudy::theProgramsOwnAreSuchFiles()
{
    for (const char* id : {"heads-kept", "individual-pruning"}) {
        const auto file =
            std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "resources/studies" / (std::string(id) + ".json");
        const auto text = io::readTextFile(file);
        QVERIFY(text.has_value());
        const auto study = readDefinition(*text);
        QVERIFY2(study.has_value(), study.has_value() ? "" : study.error().message.c_str());
        const auto built = findExperiment(id);
        QVERIFY(built.has_value());
        QCOMPARE((*built)->question, study->question);
        QCOMPARE((*built)->rule, ruleOf(*study));
        // The same file by another's hand is refused: there is one of that name.
        QVERIFY(refusal(json::parse(*text)).find("of its own") != std::string::npos);
    }
}

void TestOwnStudy::theExamplesCanBeRead()
{
    int read = 0;
    const auto folder = std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "resources/studies/examples";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const auto study = ownStudy(*io::readTextFile(entry.path()));
        QVERIFY2(study.has_value(), study.has_value() ? "" : study.error().message.c_str());
        ++read;
    }
    QCOMPARE(read, 3);
    // And they are what the manual prints.
    for (const char* language : {"en", "de"}) {
        const auto page = io::readTextFile(std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "resources/manual" / language
                                           / "15-experiments.md");
        QVERIFY(page.has_value());
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const std::string text = *io::readTextFile(entry.path());
            QVERIFY2(page->find("```json\n" + text + "```") != std::string::npos, entry.path().c_str());
        }
    }
}

void TestOwnStudy::readsWhatIsWritten()
{
    const auto study = readDefinition(plain().dump());
    QVERIFY2(study.has_value(), study.has_value() ? "" : study.error().message.c_str());
    QCOMPARE(study->conditions.size(), std::size_t(3));
    QVERIFY(study->conditions[1].removed.front().kind == HeadChoice::Kind::Named);
    QCOMPARE(interventions::toText(study->conditions[1].removed.front().head), std::string("L2H5"));
    QVERIFY(study->conditions[2].removed.front().kind == HeadChoice::Kind::Random);
    QVERIFY(study->conditions[2].control);
    QVERIFY(study->expected.change == Expectation::Change::Falls);
    const auto experiment = ownStudy(plain().dump(2)); // spaces do not matter
    QVERIFY(experiment.has_value());
    QCOMPARE((*experiment)->study, study->json);
    QCOMPARE((*experiment)->columns[3].title, std::string("toy KV retrieval, 8 pairs"));
}

void TestOwnStudy::refusesWithOneSentence_data()
{
    QTest::addColumn<QString>("place"); // of what is put there, as a JSON pointer
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* place, const char* value, const char* says) {
        QTest::newRow(name) << QString::fromLatin1(place) << QString::fromLatin1(value) << QString::fromLatin1(says);
    };
    row("unknown key", "/colour", "1", "'colour' is not known");
    row("unknown key of a condition", "/conditions/1/removed", "[]", "Condition 2: The key 'removed' is not known");
    row("unknown key of the expectation", "/expected/wher", "1", "What is expected: The key 'wher'");
    row("another version", "/headscope_study", "2", "not 1");
    row("an id with spaces", "/id", "\"my study\"", "small letters");
    row("a name of the program's", "/id", "\"kv-curve\"", "of its own");
    row("a number of the paper's", "/number", "\"E4\"", "of its own");
    row("no question", "/question", "\"It is so.\"", "question mark");
    row("no benchmark", "/benchmarks", "[]", "expected one benchmark");
    row("an unknown benchmark", "/benchmarks/0", "\"nonsense\"", "There is no benchmark 'nonsense'");
    row("one benchmark twice", "/benchmarks/1", "\"toy_kv:pairs=8\"", "twice");
    row("one condition", "/conditions", "[{\"name\": \"whole\"}]", "2 to 64");
    row("one name twice", "/conditions/1/name", "\"whole\"", "two conditions 'whole'");
    row("an unknown head", "/conditions/1/remove", "[\"H2\"]", "There is no head 'H2'");
    row("no count", "/conditions/1/remove", "[{}]", "counts nothing");
    row("an unknown count", "/conditions/1/remove", "[{\"frist\": 2}]", "'frist' is not known");
    row("another head kept", "/conditions/1/keep", "[\"L2H5\"]", "only these two heads");
    row("an ablation that is none", "/conditions/1/ablate", "\"L2H5 nonsense\"", "nonsense");
    row("each head", "/conditions/1/each", "\"head\"", "expected layer");
    row("a layer without a place", "/conditions/1/each", "\"layer\"", "has a %");
    row("a control first", "/conditions/0/control", "true", "compared with");
    row("an unknown change", "/expected/change", "\"drops\"", "expected collapses");
    row("an unknown place", "/expected/in", "\"most\"", "every or some");
    row("a benchmark that is not measured", "/expected/of", "[\"mmlu\"]", "'mmlu' cannot be judged");
    row("too many examples", "/examples", "1000000", "from 1 to 100000");
}

void TestOwnStudy::refusesWithOneSentence()
{
    QFETCH(QString, place);
    QFETCH(QString, value);
    QFETCH(QString, says);
    QCOMPARE(refusal(plain()), std::string());
    json study = plain();
    study[json::json_pointer(place.toStdString())] = json::parse(value.toStdString());
    const QString message = QString::fromStdString(refusal(study));
    QVERIFY2(message.contains(says), qPrintable(message));
    QVERIFY2(message.endsWith(u'.'), qPrintable(message));
}

void TestOwnStudy::anExpectationIsARule_data()
{
    using States = std::array<std::pair<double, double>, 3>;
    QTest::addColumn<std::string>("change");
    QTest::addColumn<States>("states");
    QTest::addColumn<Verdict>("verdict");
    const auto row = [](const char* name, const char* change, const States& states, Verdict verdict) {
        QTest::newRow(name) << std::string(change) << states << verdict;
    };
    row("falls", "falls", {{{0.9, 0.9}, {0.8, 0.9}, {0.9, 0.9}}}, Verdict::Appears);
    row("falls with knowledge", "falls", {{{0.9, 0.9}, {0.8, 0.6}, {0.9, 0.9}}}, Verdict::InPart);
    row("falls without others, too", "falls", {{{0.9, 0.9}, {0.8, 0.9}, {0.8, 0.9}}}, Verdict::InPart);
    row("does not fall", "falls", {{{0.9, 0.9}, {0.89, 0.9}, {0.9, 0.9}}}, Verdict::DoesNotAppear);
    row("is at guessing", "falls", {{{0.25, 0.9}, {0.1, 0.9}, {0.25, 0.9}}}, Verdict::CanNotTell);
    row("collapses", "collapses", {{{0.9, 0.9}, {0.3, 0.9}, {0.9, 0.9}}}, Verdict::Appears);
    row("falls, no collapse", "collapses", {{{0.9, 0.9}, {0.7, 0.9}, {0.9, 0.9}}}, Verdict::DoesNotAppear);
    row("rises", "rises", {{{0.25, 0.9}, {0.5, 0.9}, {0.25, 0.9}}}, Verdict::Appears);
    row("rises to guessing", "rises", {{{0.02, 0.9}, {0.2, 0.9}, {0.02, 0.9}}}, Verdict::DoesNotAppear);
    row("nothing to gain", "rises", {{{1.0, 0.9}, {1.0, 0.9}, {1.0, 0.9}}}, Verdict::CanNotTell);
    row("keeps", "keeps", {{{0.9, 0.9}, {0.89, 0.9}, {0.5, 0.9}}}, Verdict::Appears);
    row("does not keep", "keeps", {{{0.9, 0.9}, {0.5, 0.9}, {0.5, 0.9}}}, Verdict::DoesNotAppear);
}

void TestOwnStudy::anExpectationIsARule()
{
    using States = std::array<std::pair<double, double>, 3>;
    QFETCH(std::string, change);
    QFETCH(States, states);
    QFETCH(Verdict, verdict);
    json told = plain();
    told["expected"]["change"] = change;
    const auto study = ownStudy(told.dump());
    QVERIFY(study.has_value());
    const Judgement judgement = (*study)->judge(tableOf(**study, states));
    QVERIFY2(judgement.verdict == verdict, (std::string(name(judgement.verdict)) + ": " + judgement.why).c_str());
    // Ten rows carry no verdict, whatever they show.
    QCOMPARE((*study)->judge(tableOf(**study, states, 10)).verdict, Verdict::CanNotTell);
}

void TestOwnStudy::saysItsRuleInWords()
{
    QCOMPARE((*ownStudy(plain().dump()))->rule,
             std::string(
                 "Appears: in every other condition toy KV retrieval, 8 pairs falls (paired test, Holm, p < "
                 "0.05), and there toy knowledge loses less than 10 points (whole interval); in no control. In part: "
                 "some of this. Compared with: whole."));
}

void TestOwnStudy::speaksOfNothingAtGuessing()
{
    const auto study = *ownStudy(plain().dump());
    const std::string found = study->finding(tableOf(*study, {{{0.26, 0.9}, {0.2, 0.9}, {0.25, 0.9}}}));
    QVERIFY2(found.find("8 pairs is not above the floor") != std::string::npos, found.c_str());
    QVERIFY2(found.find("20.0 %") == std::string::npos, found.c_str());
    QVERIFY2(found.find("toy knowledge is 90.0 % (whole)") != std::string::npos, found.c_str());
}

QTEST_GUILESS_MAIN(TestOwnStudy)
#include "tst_ownstudy.moc"
