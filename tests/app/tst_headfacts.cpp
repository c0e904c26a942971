// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of heads besides a survey: rows of a session that come back as they were, and a page in English and
// in German.
#include "app/workbench/heads/headcard.h"
#include "app/workbench/heads/headcolumns.h"
#include "app/workbench/scores/removalrows.h"
#include "core/experiments/words/language.h"
#include "sessions/analyses.h"
#include "sessions/sessionstore.h"
#include "tests/support/sessionfixture.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::app;
using namespace headscope::testing;

namespace {

HeadFacts factsOf(const std::string& head)
{
    HeadFacts facts{.head = head};
    facts.copying = 0.5;
    facts.probes = {{"induction", 0.75}, {"previous", 0.125}};
    facts.frequent = {{"the", 0.25}, {"of", -0.5}};
    facts.costs = {{"toy_kv", 0.5, {0.25, 0.75}, 1.5, 60}, {"toy_mc", -0.0, {-0.125, 0.125}, 0.25, 40}};
    facts.losses = {{"all", 100, 2, 0.25, analysis::Interval{0.125, 0.375}}, {"continued", 1, 1, 3, std::nullopt}};
    facts.rises = {{3.5, "a.txt, byte 0", 7, "\xC3\xA4 b", {"<s>", "\"", ""}}};
    return facts;
}

sessions::StoredSurvey surveyOf(const QStringList& heads)
{
    sessions::StoredSurvey survey;
    survey.record.source = "stories (20 bytes)";
    survey.record.tokens = 12;
    survey.record.key.ablation = "L0H0";
    survey.texts = {{"a.txt, byte 0", {"<s>", "one", "two"}}};
    for (const QString& head : heads) {
        sessions::SurveyHead one{head.toStdString(), {0.5, 0.25, 0.25}, {}};
        for (const char* metric : {"entropy", "induction", "gather"})
            one.values.push_back({metric, 12, 0.75, 0.25, 0, 0.25, 0.5, 0.75, 1, 2});
        survey.heads.push_back(one);
        for (const bool ordinary : {false, true})
            survey.places.push_back({one.head, "induction", ordinary, 0, 0.75, 0, 2, {{0, 0.75}}});
    }
    return survey;
}

QString pageOf(const sessions::StoredSurvey& survey, const FactSheet& facts)
{
    return QString::fromStdString(
        headCards(survey, {}, {.model = "tiny", .otherModel = "other", .facts = &facts}, &survey));
}

} // namespace

class TestHeadFacts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void costsAreRowsOfTheSession();
    void rowsOfOtherTextsAndStatesStayApart();
    void theNewestOfABenchmarkIsTold();
    void aSessionForReadingStaysAsItIs();
    void strangeRowsAreLeftOut();
    void whatWasKnownBeforeStays();
    void papersHavePowersOfTen();
    void placesReadAsText();
    void labelsAndCostsStandBesideTheirChance();
    void thePageSpeaksGerman();

private:
    [[nodiscard]] std::string path() const { return m_folder->filePath(QStringLiteral("a.session")).toStdString(); }
    static RemovalRows nextTokens(std::int64_t tokens = 1000, const std::string& ablation = {})
    {
        SurveyRequest request{.tokens = tokens};
        if (!ablation.empty())
            request.ablation = interventions::InterventionSet::parse(ablation).value();
        return removalRows(model(), request, "texts", "stories", 1);
    }
    static RemovalRows rowsOf(const std::string& task, const std::string& examples)
    {
        RemovalRows rows = nextTokens();
        rows.task = task;
        rows.source = task + ", 60 examples";
        rows.key.questionJson = "{\"examples\":\"" + examples + "\",\"task\":\"" + task + "\",\"tokenizer\":\""
                                + model().subject.tokenizer.hash + "\"}";
        return rows;
    }
    static const OpenModel& model()
    {
        static const OpenModel open = [] {
            OpenModel made;
            made.subject.model = exampleModel();
            made.subject.tokenizer = {sha256Hex("tokenizer"), "WordLevel", "tokenizer.json", 321};
            made.subject.dtype = "fp32";
            made.subject.device = "cpu";
            return made;
        }();
        return open;
    }
    static FactSheet taken(sessions::SessionStore& session, const RemovalRows& rows)
    {
        FactSheet sheet;
        if (const auto done = takeAllRemovals(session, rows, sheet); !done.has_value())
            sheet.problems.push_back(done.error().message);
        return sheet;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestHeadFacts::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestHeadFacts::costsAreRowsOfTheSession()
{
    auto session = sessions::SessionStore::open(path());
    QVERIFY(session.has_value());
    FactSheet sheet{.lossOver = 900, .heads = {factsOf("L0H0"), factsOf("L2H5"), {.head = "L1H1"}}};
    for (const RemovalRows& rows : {nextTokens(), rowsOf("toy_kv", "a"), rowsOf("toy_mc", "a")})
        VERIFY_OK(keepRemovals(*session, model(), rows, sheet));
    const FactSheet back = taken(*session, nextTokens());
    QVERIFY(back.problems.empty());
    QCOMPARE(back.lossOver, 900);
    QCOMPARE(back.heads.size(), std::size_t{2}); // nothing is known of the third
    const HeadFacts expected = factsOf("L2H5"), &head = *back.find("L2H5");
    QCOMPARE(head.costs.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
        const HeadCost &cost = head.costs[i], &was = expected.costs[i];
        QVERIFY(cost.task == was.task && cost.loss == was.loss && cost.odds == was.odds && cost.n == was.n);
        QVERIFY(cost.interval.low == was.interval.low && cost.interval.high == was.interval.high);
        const GroupLoss &loss = head.losses[i], &before = expected.losses[i];
        QVERIFY(loss.tokens == before.tokens && loss.n == before.n && loss.before == before.before);
        QVERIFY(loss.change == before.change && loss.interval.has_value() == before.interval.has_value());
    }
    QCOMPARE(head.losses[0].interval->high, 0.375);
    QCOMPARE(head.rises.size(), std::size_t{1});
    QVERIFY(head.rises[0].token == expected.rises[0].token && head.rises[0].before == expected.rises[0].before);
    QVERIFY(head.rises[0].source == "a.txt, byte 0" && head.rises[0].position == 7 && head.rises[0].rise == 3.5);
    const auto all = sessions::analyses(*session);
    QCOMPARE(all->size(), std::size_t{3});
    QCOMPARE((*all)[0].summary, std::string("What removing each of 2 heads costs on next tokens of stories."));
}

void TestHeadFacts::rowsOfOtherTextsAndStatesStayApart()
{
    auto session = sessions::SessionStore::open(path());
    QVERIFY(session.has_value());
    VERIFY_OK(keepRemovals(*session, model(), nextTokens(), {.heads = {factsOf("L0H0")}}));
    QVERIFY(taken(*session, nextTokens(2000)).heads.empty());
    QVERIFY(taken(*session, nextTokens(1000, "L2H5")).heads.empty());
    RemovalRows other = nextTokens();
    other.key.dtype = "bf16";
    QVERIFY(taken(*session, other).heads.empty());
    QCOMPARE(taken(*session, nextTokens()).heads.size(), std::size_t{1});
}

void TestHeadFacts::theNewestOfABenchmarkIsTold()
{
    auto session = sessions::SessionStore::open(path());
    QVERIFY(session.has_value());
    HeadFacts few = factsOf("L0H0"), many = factsOf("L0H0");
    many.costs[0].n = 200;
    VERIFY_OK(keepRemovals(*session, model(), rowsOf("toy_kv", "few"), {.heads = {few, factsOf("L0H1")}}));
    VERIFY_OK(keepRemovals(*session, model(), rowsOf("toy_kv", "many"), {.heads = {many}}));
    const FactSheet sheet = taken(*session, nextTokens());
    QCOMPARE(sheet.find("L0H0")->costs.size(), std::size_t{1});
    QCOMPARE(sheet.find("L0H0")->costs[0].n, 200);
    QVERIFY(sheet.find("L0H1")->costs.empty()); // never of two sets of rows in one column
    FactSheet exact{.heads = {many}};
    VERIFY_OK(takeRemovals(*session, rowsOf("toy_kv", "few"), exact));
    QCOMPARE(exact.find("L0H0")->costs.size(), std::size_t{2});
    QCOMPARE(exact.find("L0H0")->costs.back().n, 60);
}

void TestHeadFacts::aSessionForReadingStaysAsItIs()
{
    QVERIFY(sessions::SessionStore::open(path()).has_value());
    auto session = sessions::SessionStore::open(path(), {.readOnly = true});
    QVERIFY(session.has_value());
    VERIFY_OK(keepRemovals(*session, model(), nextTokens(), {.heads = {factsOf("L0H0")}}));
    QVERIFY(sessions::analyses(*session)->empty());
}

void TestHeadFacts::strangeRowsAreLeftOut()
{
    auto session = sessions::SessionStore::open(path());
    QVERIFY(session.has_value());
    VERIFY_OK(session->putTokenizer(model().subject.tokenizer));
    VERIFY_OK(session->putModel(model().subject.model));
    sessions::AnalysisRecord record{.key = nextTokens().key, .source = "x", .summary = "y"};
    record.values = {{.part = "L0H0", .measure = "token", .value = 1, .words = "no JSON"},
                     {.part = "L0H0", .measure = "token", .value = 1, .words = "[1, 2]"},
                     {.part = "L0H0", .measure = "tokens", .value = -5, .words = "all"},
                     {.part = "L0H0", .measure = "tokens", .value = 1e300, .words = "new"},
                     {.part = "L0H0", .measure = "examples", .value = 1e12, .words = "toy_kv"},
                     {.part = "L0H0", .measure = "something later", .value = 1}};
    VERIFY_OK(sessions::putAnalysis(*session, record));
    const FactSheet sheet = taken(*session, nextTokens());
    QVERIFY(sheet.problems.empty() && sheet.heads.size() == 1 && sheet.heads[0].rises.empty());
    QCOMPARE(sheet.heads[0].losses[0].n, 0);
    QCOMPARE(sheet.heads[0].losses[1].n, 0);
    QVERIFY(sheet.heads[0].costs[0].n > 0);
}

void TestHeadFacts::whatWasKnownBeforeStays()
{
    FactSheet sheet{.texts = "stories", .heads = {factsOf("L2H5"), {.head = "L1H1"}}};
    sheet.heads[1].costs = {{"toy_kv", 0.125, {0, 0.25}, 0, 60}};
    FactSheet before{.texts = "stories", .lossOver = 900, .heads = {factsOf("L0H0"), factsOf("L1H1")}};
    before.heads[1].costs.front().loss = 0.75; // measured anew since
    FactSheet joined = sheet;
    joined.addEarlier(before);
    QCOMPARE(joined.heads.size(), std::size_t{3});
    QCOMPARE(joined.find("L0H0")->losses.size(), std::size_t{2});
    QCOMPARE(joined.find("L0H0")->rises.size(), std::size_t{1});
    QCOMPARE(joined.find("L0H0")->costs.size(), std::size_t{2});
    QCOMPARE(joined.find("L1H1")->costs.front().loss, 0.125);
    QCOMPARE(joined.find("L1H1")->costs.back().task, std::string("toy_mc"));
    QCOMPARE(joined.lossOver, std::int64_t{900});
    // Next tokens of other texts, and other rows of a benchmark, are not joined.
    before.texts = "poems";
    for (HeadFacts& head : before.heads)
        head.costs.front().n = 30;
    joined = sheet;
    joined.addEarlier(before);
    const HeadFacts* other = joined.find("L0H0");
    QVERIFY(other && other->losses.empty() && other->rises.empty() && other->frequent.empty() && other->copying);
    QCOMPARE(other->costs.size(), std::size_t{1});
    QCOMPARE(other->costs.front().task, std::string("toy_mc"));
}

void TestHeadFacts::papersHavePowersOfTen()
{
    const std::string tex = headLatex({"L2H5"}, {{"cost_toy_kv", {7.9e-5}}, {"loss", {-1.25}}, {"norm", {12500}}}, "a");
    for (const char* cell : {"$7.9\\cdot10^{-5}$", "$-1.25$", "$1.25\\cdot10^{4}$", "cost\\_toy\\_kv"})
        QVERIFY2(tex.find(cell) != std::string::npos, tex.c_str());
}

void TestHeadFacts::placesReadAsText()
{
    auto survey = surveyOf({QStringLiteral("L0H0")});
    QVERIFY(!QString::fromStdString(headCards(survey, {}, {.model = "tiny"})).contains(QStringLiteral("similar")));
    QVERIFY(pageOf(survey, {}).contains(QStringLiteral(">one</span> <span class=\"query\">two</span> ")));
    survey.texts[0].tokens = {" gr", "own", " up"}; // pieces of words, with the spaces between these
    const QString page = pageOf(survey, {});
    QVERIFY2(page.contains(QStringLiteral(">gr</span><span>own</span> <span class=\"query\">up</span>")),
             qPrintable(page));
}

// A label is what an ablation showed, else a score far enough above that of a head that reads all tokens alike.
void TestHeadFacts::labelsAndCostsStandBesideTheirChance()
{
    auto survey = surveyOf({QStringLiteral("L0H0")});
    survey.heads[0].values = {{"gather", 12, 0.75, 0.25, 0, 0.25, 0.5, 0.75, 1, 2}};
    const auto page = [&](const FactSheet& facts, const UniformScores& uniform) {
        return QString::fromStdString(headCards(survey, {}, {.model = "tiny", .facts = &facts, .uniform = uniform}));
    };
    QVERIFY(page({}, {}).contains(QStringLiteral("Label: gather")));
    const QString low = page({}, {.gather = 0.1});
    QVERIFY2(low.contains(QStringLiteral("Label: gather")) && low.contains(QStringLiteral("(all tokens alike: 0.1)")),
             qPrintable(low));
    QVERIFY(page({}, {.gather = 0.6}).contains(QStringLiteral("Label: none")));
    HeadFacts facts{.head = "L0H0"};
    facts.role = "aggregates";
    facts.costs = {{"word_kv", 0, {-0.057, 0.057}, 0, 64, 0.0}, {"toy_kv", 0.5, {0.4, 0.6}, 0, 64, 0.75}};
    const QString known = page({.heads = {facts}}, {.gather = 0.6});
    QVERIFY2(known.contains(QStringLiteral("Label: aggregates")), qPrintable(known));
    QVERIFY2(known.contains(QStringLiteral("64 examples; 0 of 0.00 can be lost")), qPrintable(known));
    QVERIFY2(known.contains(QStringLiteral("64 examples, 0.75 right before")), qPrintable(known));
}

void TestHeadFacts::thePageSpeaksGerman()
{
    const FactSheet sheet{.frequentOver = 12, .heads = {factsOf("L0H0")}};
    const auto survey = surveyOf({QStringLiteral("L0H0"), QStringLiteral("L2H5")});
    const QString english = pageOf(survey, sheet);
    QString german;
    {
        const experiments::Speaking speaking("de");
        german = pageOf(survey, sheet);
        QStringList missing;
        for (const std::string& text : experiments::untranslated())
            missing << QString::fromStdString(text);
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
    }
    for (const char* text :
         {"Label: induction", "What removing it costs", "next token: all tokens (nats)", "60 examples",
          "Most similar heads", "induction: ordinary places", "Tokens that need it most", "ablated: L0H0", "12 tokens",
          "Adds to the logits", "deviation"}) {
        QVERIFY2(english.contains(QString::fromUtf8(text)), text);
        QVERIFY2(!german.contains(QString::fromUtf8(text)), text);
    }
    for (const char* text :
         {"Bezeichnung: induction", "Was seine Ablation kostet", "60 Beispiele", "gewöhnliche Stellen",
          "Ähnlichste Köpfe", "ausgeschaltet: L0H0", "nächstes Token: alle Token (Nat)"})
        QVERIFY2(german.contains(QString::fromUtf8(text)), text);
    QVERIFY(german.contains(QStringLiteral("stories (20 bytes)"))); // what is kept stays as it is
}

QTEST_APPLESS_MAIN(TestHeadFacts)
#include "tst_headfacts.moc"
