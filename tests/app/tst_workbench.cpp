// SPDX-License-Identifier: GPL-3.0-or-later
// What both programs do, once: settings, and the same numbers whichever door they are asked at.
#include "app/backend/pattern/rowcache.h"
#include "app/backend/values/lensfitvalues.h"
#include "app/workbench/heads/headranking.h"
#include "app/workbench/models/automatictype.h"
#include "app/workbench/prompt/continuation.h"
#include "app/workbench/prompt/prompt.h"
#include "app/workbench/scores/measure.h"
#include "sessions/analyses.h"
#include "tests/support/clifixture.h"
#include "tests/support/requestedmodels.h"

using namespace headscope;
using namespace clifixture;
using app::Settings;
using app::StartToken;
using headscope::testing::RequestedModels;

namespace {

constexpr const char* kTask = "toy_kv:pairs=4";

app::ModelsOptions options()
{
    return {{.device = "cpu"}, HEADSCOPE_SOURCE_DIR "/resources"};
}

interventions::InterventionSet ablated(const char* text)
{
    return interventions::InterventionSet::parse(text).value();
}

app::OpenModel openedHere()
{
    auto open = app::openModel(options(), options().resources, {.model = "tiny-transformer"}, {});
    return open.has_value() ? std::move(*open) : app::OpenModel();
}

/// The shipped model with a tokenizer that puts a start token before every text.
QString modelWithStartToken(const Folder& folder)
{
    const QString model = folder.copiedModel({u"tokenizer.json"_s});
    QJsonObject tokenizer = QJsonDocument::fromJson(read(kModel + u"/tokenizer.json"_s)).object();
    const QJsonObject start{{u"SpecialToken"_s, QJsonObject{{u"id"_s, u"<s>"_s}, {u"type_id"_s, 0}}}};
    const QJsonObject text{{u"Sequence"_s, QJsonObject{{u"id"_s, u"A"_s}, {u"type_id"_s, 0}}}};
    const QJsonObject special{{u"id"_s, u"<s>"_s}, {u"ids"_s, QJsonArray{0}}, {u"tokens"_s, QJsonArray{u"<s>"_s}}};
    tokenizer[u"post_processor"_s] = QJsonObject{{u"type"_s, u"TemplateProcessing"_s},
                                                 {u"single"_s, QJsonArray{start, text}},
                                                 {u"pair"_s, QJsonArray{start, text}},
                                                 {u"special_tokens"_s, QJsonObject{{u"<s>"_s, special}}}};
    write(model + u"/tokenizer.json"_s, QJsonDocument(tokenizer).toJson());
    return model;
}

std::vector<int> idsOf(const QJsonArray& array)
{
    std::vector<int> ids;
    for (const QJsonValue& id : array)
        ids.push_back(id.toInt());
    return ids;
}

} // namespace

class TestWorkbench : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void readsAmountsOfMemory_data();
    void readsAmountsOfMemory();
    void startTokensHaveNames();
    void refusesSettingsThatNoModelRunsWith();
    void knowsWhatOpensModelsAgain();
    void keepsTheTypeOfALargeFileWhereItIsFast();
    void theDoorsGiveTheSameScore();
    void marksGiveMassOnTheAnswer();
    void everyDoorHasTheSameInterval_data();
    void everyDoorHasTheSameInterval();
    void statesUsedLongestAgoAreForgotten();
    void theDoorsGiveTheSameRanking_data();
    void theDoorsGiveTheSameRanking();
    void theDoorsAskTheSameQuestion_data();
    void theDoorsAskTheSameQuestion();
    void theDoorsFitTheSameLens();
    void aRankingBeginsWhereItIsTold();
    void rankingsAreForecast();
    void theDoorsWriteTheSameText();
    void theDoorsReadTheSamePrompt();
    void theDoorsKeepToTheSameMemory();
    void theDoorsSayWhyNothingCanBeScored();
    void theSettingsReachTheModels();

private:
    void fitLens(const QString& file) const;
    Folder m_folder;
};

void TestWorkbench::readsAmountsOfMemory_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("bytes"); // 0: refused
    QTest::newRow("bytes") << "123" << qint64{123};
    QTest::newRow("thousands") << "12GB" << qint64{12'000'000'000};
    QTest::newRow("lower case and a blank") << "1.5 kb" << qint64{1500};
    QTest::newRow("short") << "2g" << qint64{2'000'000'000};
    QTest::newRow("powers of two") << "512MiB" << qint64{512} * 1024 * 1024;
    for (const char* wrong : {"", "GB", "0", "-1", "12 elephants", "12Gb it", "nan", "inf", "1e40", "12GiBB"})
        QTest::addRow("'%s'", wrong) << QString::fromLatin1(wrong) << qint64{0};
}

void TestWorkbench::readsAmountsOfMemory()
{
    QFETCH(QString, text);
    QFETCH(qint64, bytes);
    const auto read = app::parseMemory(text.toStdString());
    QCOMPARE(read.has_value(), bytes != 0);
    if (bytes != 0)
        QCOMPARE(qint64{*read}, bytes);
    else
        QVERIFY(read.error().message.find("12GB") != std::string::npos);
}

void TestWorkbench::startTokensHaveNames()
{
    for (const StartToken token :
         {StartToken::Automatic, StartToken::Never, StartToken::AsTokenizer, StartToken::Always}) {
        const auto read = app::parseStartToken(app::name(token));
        QVERIFY(read.has_value());
        QVERIFY(*read == token);
    }
    QVERIFY(!app::parseStartToken("sometimes").has_value());
}

void TestWorkbench::refusesSettingsThatNoModelRunsWith()
{
    QVERIFY(app::check(Settings{}).has_value());
    QVERIFY(app::check({.device = "cuda:1", .dtype = "bf16", .threads = 3, .memory = 1}).has_value());
    for (const Settings& wrong :
         {Settings{.device = "gpu"}, Settings{.device = "cuda:"}, Settings{.device = "cuda:x"},
          Settings{.dtype = "int3"}, Settings{.threads = -1}, Settings{.threads = 5000}, Settings{.memory = -1}})
        QVERIFY(!app::check(wrong).has_value());
}

void TestWorkbench::knowsWhatOpensModelsAgain()
{
    const Settings now;
    for (const Settings& again : {Settings{.device = "cuda"}, Settings{.dtype = "bf16"}, Settings{.memory = 1}})
        QVERIFY(app::reopensModels(now, again));
    for (const Settings& later : {now, Settings{.threads = 2}, Settings{.startToken = StartToken::Never},
                                  Settings{.seed = 7}, Settings{.dataFolder = "data"}})
        QVERIFY(!app::reopensModels(now, later));
}

void TestWorkbench::keepsTheTypeOfALargeFileWhereItIsFast()
{
    QCOMPARE(app::automaticType("bf16", 1'200'000'000, 1.8), std::string("bf16"));
    QCOMPARE(app::automaticType("bf16", 1'200'000'000, 1.0), std::string("bf16"));
    QCOMPARE(app::automaticType("bf16", 1'200'000'000, 0.9), std::string("fp32"));
    QCOMPARE(app::automaticType("bf16", 1'500'000, 1.8), std::string("fp32"));
    // A file of the size that has holes where its numbers would be.
    const Folder folder;
    const QByteArray header = R"({"w":{"dtype":"BF16","shape":[120000,1000],"data_offsets":[0,240000000]}})";
    QByteArray begin(8, '\0');
    begin[0] = static_cast<char>(header.size());
    QFile file(folder.path(u"model.safetensors"_s));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(begin + header) > 0);
    QVERIFY(file.resize(8 + header.size() + 240000000));
    file.close();
    // What was measured is kept and not measured again: another machine's answer is believed.
    const std::filesystem::path cache = folder.path(u"cache/headscope"_s).toStdString();
    const double measured = app::cachedSpeedup("bf16", cache);
    QVERIFY(measured > 0);
    QFile kept(QString::fromStdString((cache / "products.txt").string()));
    QVERIFY(kept.open(QIODevice::ReadOnly));
    const QByteArray line = kept.readAll();
    kept.close();
    qputenv("XDG_CACHE_HOME", folder.path(u"cache"_s).toLocal8Bit());
    for (const auto& [times, type] : {std::pair("2", "bf16"), std::pair("0.5", "fp32")}) {
        QVERIFY(kept.open(QIODevice::WriteOnly) && kept.write(times + line.mid(line.indexOf('\t'))) > 0);
        kept.close();
        QCOMPARE(app::cachedSpeedup("bf16", cache), QByteArray(times).toDouble());
        const app::TypeChoice choice = app::chooseType(folder.path().toStdString(), "cpu", "auto", 0).value();
        QCOMPARE(choice.dtype, std::string(type));
        QCOMPARE(choice.stored, std::string("bf16"));
        QVERIFY(choice.automatic && !choice.roomDecided);
        QCOMPARE(app::chooseType(folder.path().toStdString(), "cpu", "fp16", 0)->dtype, std::string("fp16"));
    }
    qunsetenv("XDG_CACHE_HOME");
    // The shipped models are stored in bf16 and small.
    QCOMPARE(app::chooseType(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer", "cpu", "auto", 0)->dtype,
             std::string("fp32"));
}

void TestWorkbench::theDoorsGiveTheSameScore()
{
    RequestedModels models(options());
    QVERIFY(models.open("tiny-transformer").value);
    const auto window = models.ask(app::ScoresRequest{{Side::A, ablated("L2H5")}, {Side::A, {}}, {kTask}});
    QVERIFY2(window.value, window.error.c_str());
    const auto& line = window.value->lines.front();

    app::OpenModel open = openedHere();
    const auto set = tasks::makeTask(kTask, app::taskOptions({}));
    QVERIFY(set.has_value());
    const auto benchmark = app::makeBenchmark(open, *set);
    QVERIFY(benchmark.has_value());
    const auto before = app::rowsWithInterventions(open, nullptr, **benchmark, {}, {});
    const auto now = app::rowsWithInterventions(open, nullptr, **benchmark, ablated("L2H5"), {});
    QVERIFY(before.has_value() && now.has_value());
    const auto compared = engine::compare((*benchmark)->set(), before->results, now->results);
    QVERIFY(compared.has_value());

    const Outcome cli =
        run({u"score"_s, kModel, u"--task"_s, QString::fromLatin1(kTask), u"--ablate"_s, u"L2H5"_s, u"--json"_s});
    VERIFY_DONE(cli);
    const QJsonObject told = cli.json()[u"results"_s][0].toObject();
    for (const auto& [value, low, high, p] : {std::array{told[u"value"_s].toDouble(), told[u"interval"_s][0].toDouble(),
                                                         told[u"interval"_s][1].toDouble(), told[u"p"_s].toDouble()},
                                              std::array{compared->front().now.value, compared->front().interval.low,
                                                         compared->front().interval.high, compared->front().p}}) {
        QCOMPARE(line.now, value);
        QCOMPARE(line.low, low);
        QCOMPARE(line.high, high);
        QCOMPARE(line.p, p);
    }
    QVERIFY(line.delta < -0.5);
}

// Marks in a person's own text, as the answer or as a value, are what "mass on the answer" is measured on.
void TestWorkbench::marksGiveMassOnTheAnswer()
{
    RequestedModels models(options());
    QVERIFY(models.open("tiny-transformer").value);
    const auto sample = models.ask(app::SampleRequest{kTask, 0});
    QVERIFY2(sample.value, sample.error.c_str());
    const app::Prompt& task = *sample.value;
    const auto value =
        std::ranges::find_if(task.spans, [](const app::Span& span) { return span.target && span.role == Role::Value; });
    QVERIFY(value != task.spans.end());
    const auto scoresOf = [&](const std::vector<app::Span>& spans) {
        const auto scores = models.ask(app::HeadScoresRequest{Side::A, {.text = task.text, .spans = spans}, {}});
        std::map<std::string, double> found;
        if (scores.value)
            for (const auto& [id, heads] : scores.value->scores)
                for (const app::HeadValue& head : heads)
                    if (interventions::toText(head.head) == "L2H5")
                        found[id] = head.value;
        return found;
    };
    auto none = scoresOf({});
    QVERIFY(std::isnan(none.at("target")) && std::isnan(none.at("retrieval")) && std::isnan(none.at("gather")));
    for (const Role role : {Role::Value, Role::Answer}) {
        auto marked = scoresOf({{role, value->begin, value->end, true}});
        QVERIFY2(marked.at("target") > 0.9, name(role));
        QCOMPARE(marked.at("retrieval"), 1.0);
        QCOMPARE(std::isnan(marked.at("gather")), role == Role::Answer); // an answer alone is no segment
    }
}

// One state's counts give one interval, whichever way it is asked for.
void TestWorkbench::everyDoorHasTheSameInterval()
{
    QFETCH(QString, head);
    const clifixture::Folder folder;
    const QString session = folder.path(u"a.session"_s), task = QString::fromLatin1(kTask);
    const QStringList shared{u"--task"_s, task, u"--limit"_s, u"40"_s, u"--session"_s, session, u"--json"_s};
    const Outcome scored = run(QStringList{u"score"_s, kModel, u"--ablate"_s, head} + shared);
    VERIFY_DONE(scored);
    const QJsonObject one = scored.json()[u"results"_s][0].toObject();
    const double low = one[u"interval"_s][0].toDouble(), high = one[u"interval"_s][1].toDouble();
    QCOMPARE(one[u"interval_kind"_s].toString(), u"Tango"_s);
    QVERIFY(low < high);
    const analysis::Interval expected = analysis::tangoInterval(
        {.lost = one[u"broken"_s].toInt(),
         .gained = one[u"fixed"_s].toInt(),
         .bothWrong = one[u"paired"_s].toInt() - one[u"broken"_s].toInt() - one[u"fixed"_s].toInt()});
    const auto same = [&](const QString& door, double otherLow, double otherHigh) {
        const bool equal = std::abs(otherLow - low) < 1e-9 && std::abs(otherHigh - high) < 1e-9;
        if (!equal)
            qWarning("%s has [%g, %g], score [%g, %g]", qPrintable(door), otherLow, otherHigh, low, high);
        return equal;
    };
    QVERIFY(same(u"the function"_s, expected.low, expected.high));

    const Outcome ranked = run(QStringList{u"rank"_s, kModel, u"--head"_s, head} + shared);
    VERIFY_DONE(ranked);
    QCOMPARE(ranked.json()[u"interval_kind"_s].toString(), u"Tango"_s);
    const QJsonValue rank = ranked.json()[u"heads"_s][0][u"interval"_s];
    QVERIFY(same(u"rank"_s, rank[0].toDouble(), rank[1].toDouble()));

    const Outcome exported = run({u"session"_s, u"export"_s, session, u"--format"_s, u"json"_s});
    VERIFY_DONE(exported);
    bool found = false;
    for (const QJsonValue& row : exported.json()[u"scores"_s].toArray())
        if (row[u"ablation"_s].toString() == head) {
            QVERIFY(same(u"session export"_s, row[u"interval"_s][0].toDouble(), row[u"interval"_s][1].toDouble()));
            QCOMPARE(row[u"interval_kind"_s].toString(), u"Tango"_s);
            QCOMPARE(row[u"value_interval_kind"_s].toString(), u"Wilson"_s);
            found = true;
        }
    QVERIFY(found);

    const Outcome compared = run({u"session"_s, u"compare"_s, session, u"baseline"_s, head, u"--json"_s});
    VERIFY_DONE(compared);
    const QJsonValue change = compared.json()[u"tasks"_s][0];
    QVERIFY(same(u"session compare"_s, change[u"interval"_s][0].toDouble(), change[u"interval"_s][1].toDouble()));

    const Outcome printed = run(QStringList{u"score"_s, kModel, u"--ablate"_s, head} + shared.mid(0, 6));
    VERIFY_DONE(printed);
    QVERIFY2(printed.out.contains("95 % interval (Tango)"), printed.out.constData());
    QVERIFY2(!printed.out.contains("[0.0000, 0.0000]") && !printed.out.contains("[+0.0000, +0.0000]"),
             printed.out.constData());
}

void TestWorkbench::everyDoorHasTheSameInterval_data()
{
    QTest::addColumn<QString>("head");
    QTest::newRow("all is lost") << u"L2H5"_s;
    QTest::newRow("nothing changes") << u"L2H0"_s; // pruned
    QTest::newRow("little changes") << u"L0H5"_s;
}

void TestWorkbench::statesUsedLongestAgoAreForgotten()
{
    app::OpenModel open = openedHere();
    tasks::TaskOptions few = app::taskOptions({});
    few.limit = 4;
    const auto set = tasks::makeTask(kTask, few);
    QVERIFY(set.has_value());
    const auto benchmark = app::makeBenchmark(open, *set);
    QVERIFY(benchmark.has_value());
    app::RowCache kept(12);
    const auto note = [&](const char* state) { kept.of(*benchmark, state)->rows.results[0].error = state; };
    const auto known = [&](const char* state) { return kept.of(*benchmark, state)->rows.results[0].error == state; };
    for (const char* state : {"", "L1H0", "L1H1"})
        note(state);
    QVERIFY(known("")); // used again
    const auto held = kept.of(*benchmark, "L1H1");
    note("L1H2");
    QCOMPARE(kept.rows(), std::size_t{12});
    QVERIFY(known("") && known("L1H2") && known("L1H1"));
    note("L1H3"); // the baseline is the oldest that nobody holds
    note("L1H4");
    QVERIFY(known("L1H1"));
    QVERIFY(kept.of(*benchmark, "L1H1") == held);
    QVERIFY(known("L1H4"));
    QVERIFY(!known("L1H0"));
}

void TestWorkbench::theDoorsGiveTheSameRanking_data()
{
    QTest::addColumn<int>("method");
    for (const app::RankMethod method : {app::RankMethod::Exact, app::RankMethod::Race, app::RankMethod::Estimate,
                                         app::RankMethod::Gather, app::RankMethod::Aggregate})
        QTest::newRow(app::name(method)) << static_cast<int>(method);
}

void TestWorkbench::theDoorsGiveTheSameRanking()
{
    QFETCH(int, method);
    const auto how = static_cast<app::RankMethod>(method);
    RequestedModels models(options());
    QVERIFY(models.open("tiny-transformer").value);
    const auto window = models.ask(app::RankRequest{Side::A, kTask, 16, how});
    QVERIFY2(window.value, window.error.c_str());

    const Outcome cli = run({u"rank"_s, kModel, u"--task"_s, QString::fromLatin1(kTask), u"--limit"_s, u"16"_s,
                             u"--method"_s, QString::fromLatin1(app::name(how)), u"--json"_s});
    VERIFY_DONE(cli);
    std::map<QString, double> told;
    for (const QJsonValue& head : cli.json()[u"heads"_s].toArray())
        told[head[u"head"_s].toString()] = head[u"value"_s].toDouble();
    QVERIFY(!told.empty());
    for (const app::HeadValue& head : *window.value) {
        const QString name = QString::fromStdString(interventions::toText(head.head));
        QVERIFY2(told.contains(name), qPrintable(name));
        QCOMPARE(head.value, told[name]);
    }
    QCOMPARE(window.value->size(), std::size_t{32});
}

void TestWorkbench::theDoorsAskTheSameQuestion_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("ablation");
    QTest::addColumn<QStringList>("command");
    const QStringList sample{u"--task"_s, QString::fromLatin1(kTask), u"--sample"_s, u"3"_s};
    const QStringList text{u"--text"_s, u"The food of Ada is"_s};
    const auto row = [](const char* name, const QString& kind, const QStringList& command,
                        const QString& ablation = {}) { QTest::newRow(name) << kind << ablation << command; };
    row("lens", u"lens"_s, QStringList{u"lens"_s} + sample);
    row("lens of a text", u"lens"_s, QStringList{u"lens"_s} + text);
    row("lens through a fitted one", u"lens"_s,
        QStringList{u"lens"_s, u"--lens"_s, m_folder.path(u"lens.pt"_s)} + sample);
    row("lens under an ablation", u"lens"_s, QStringList{u"lens"_s} + sample, u"L1H2"_s);
    row("attribution", u"attribution"_s, QStringList{u"attribute"_s} + sample);
    row("attribution of a text", u"attribution"_s, QStringList{u"attribute"_s} + text);
    row("patching heads", u"patching"_s, QStringList{u"patch"_s} + sample);
    row("patching the stream", u"patching"_s, QStringList{u"patch"_s, u"--what"_s, u"stream"_s} + sample);
    row("edges", u"edges"_s, QStringList{u"edges"_s, u"--receiver"_s, u"L2.mlp"_s} + sample);
    row("edges from", u"edges"_s, QStringList{u"edges"_s, u"--sender"_s, u"L1H2"_s} + sample, u"L0H3"_s);
    row("knockout", u"knockout"_s, QStringList{u"knockout"_s, u"--queries"_s, u"4"_s, u"--keys"_s, u"1-2"_s} + sample);
    row("probe", u"probe"_s, {u"probe"_s, u"--sequences"_s, u"3"_s, u"--seed"_s, u"4"_s});
    row("probe with rows", u"probe"_s,
        {u"probe"_s, u"--sequences"_s, u"3"_s, u"--task"_s, QString::fromLatin1(kTask), u"--limit"_s, u"20"_s});
    row("ranking", u"ranking"_s, {u"rank"_s, u"--task"_s, QString::fromLatin1(kTask), u"--limit"_s, u"8"_s});
}

void TestWorkbench::fitLens(const QString& file) const
{
    const QString texts = m_folder.path(u"texts.txt"_s);
    write(texts,
          QByteArray("The home of Ada is Rome . The food of Ben is bread . The food of Ada is soup .\n").repeated(4));
    VERIFY_DONE(run({u"lens"_s, u"fit"_s, kModel, u"--texts"_s, texts, u"--output"_s, file, u"--prompts"_s, u"2"_s,
                     u"--length"_s, u"16"_s, u"--skip"_s, u"4"_s}));
}

// The same question asked in the window and on the command line is one record of a session.
void TestWorkbench::theDoorsAskTheSameQuestion()
{
    QFETCH(const QString, kind);
    QFETCH(const QString, ablation);
    QFETCH(const QStringList, command);
    const Folder folder;
    const QString file = folder.path(u"s.headscope"_s);
    QStringList arguments = command;
    arguments.insert(1, kModel);
    const auto fitted = command.indexOf(u"--lens"_s);
    if (fitted > 0)
        fitLens(command[fitted + 1]);
    VERIFY_DONE(run(arguments + (ablation.isEmpty() ? QStringList() : QStringList{u"--ablate"_s, ablation})
                    + QStringList{u"--session"_s, file}));
    const bool ranking = kind == u"ranking"_s;
    std::string kept;
    sessions::AnalysisRecord record{.key = {}, .source = {}, .summary = {}};
    {
        auto session = sessions::SessionStore::open(file.toStdString(), {.create = false, .readOnly = true});
        QVERIFY(session.has_value());
        if (ranking) {
            QCOMPARE(session->rankings()->size(), std::size_t{1});
            kept = session->rankings()->front().questionJson;
        } else {
            const auto all = *sessions::analyses(*session);
            QCOMPARE(all.size(), std::size_t{1});
            QCOMPARE(all.front().key.kind, kind.toStdString());
            record = **sessions::storedAnalysis(*session, all.front().key);
        }
    }

    app::ModelsOptions settings = options();
    RequestedModels models(settings);
    QVERIFY(models.open("tiny-transformer").value);
    const app::ModelState state{Side::A, ablated(qPrintable(ablation))};
    const bool own = command.contains(u"--text"_s);
    app::Prompt prompt{.text = "The food of Ada is"};
    if (!own) {
        const auto sample = models.ask(app::SampleRequest{kTask, 3});
        QVERIFY2(sample.value, sample.error.c_str());
        prompt = *sample.value;
    }
    app::SavedAnalysis measured;
    const auto take = [&](const auto& answer) {
        QVERIFY2(answer.value, answer.error.c_str());
        measured = answer.value->record;
    };
    if (kind == u"lens"_s)
        take(models.ask(
            app::LensRequest{{state, prompt}, fitted > 0 ? command[fitted + 1].toStdString() : std::string()}));
    else if (kind == u"attribution"_s)
        take(models.ask(app::DirectRequest{{state, prompt}}));
    else if (kind == u"patching"_s)
        take(models.ask(app::PatchQuestion{.of = {.state = state, .prompt = prompt},
                                           .part = command.contains(u"stream"_s) ? app::PatchedPart::Stream
                                                                                 : app::PatchedPart::Heads}));
    else if (kind == u"edges"_s) {
        const bool into = command.contains(u"--receiver"_s);
        using Part = app::CircuitPart;
        take(models.ask(app::EdgeQuestion{.of = {.state = state, .prompt = prompt},
                                          .part = into ? Part{Part::Kind::Mlp, {2, interventions::Site::Any, 0}}
                                                       : Part{Part::Kind::Head, {1, interventions::Site::Any, 2}},
                                          .around = into ? app::EdgesAround::Feeding : app::EdgesAround::Listening}));
    } else if (kind == u"knockout"_s)
        take(models.ask(app::SweepQuestion{.of = {state, prompt}, .queries = {4, 4}, .keys = {1, 2}}));
    else if (kind == u"probe"_s) {
        const bool rows = command.contains(u"--task"_s);
        take(models.ask(
            app::ProbeQuestion{.state = state, .sequences = 3, .seed = rows ? 0U : 4U, .task = rows ? kTask : ""}));
    } else {
        const auto answer = models.ask(app::RankRequest{Side::A, kTask, 8});
        QVERIFY2(answer.value, answer.error.c_str());
        QCOMPARE(QString::fromStdString(answer.value->identity), QString::fromStdString(kept));
        return;
    }
    QVERIFY(measured);
    QCOMPARE(QString::fromStdString(measured->key.questionJson), QString::fromStdString(record.key.questionJson));
    QVERIFY(measured->key == record.key);
    QCOMPARE(measured->source, record.source);
    QCOMPARE(QString::fromStdString(measured->summary), QString::fromStdString(record.summary));
    QCOMPARE(measured->values.size(), record.values.size());
    // The window goes in steps: other cells side by side are another order, and other rounding.
    const auto sorted = [](const std::vector<sessions::AnalysisValue>& values) {
        std::multimap<std::tuple<std::string, std::string, std::string, int, std::string>, std::array<double, 3>> all;
        for (const sessions::AnalysisValue& value : values)
            all.insert({{value.measure, value.part, value.receiver, value.position, value.words},
                        {value.value, value.low, value.high}});
        return all;
    };
    const auto window = sorted(measured->values), line = sorted(record.values);
    for (auto a = window.begin(), b = line.begin(); a != window.end(); ++a, ++b) {
        QVERIFY2(a->first == b->first, (std::get<1>(a->first) + " beside " + std::get<1>(b->first)).c_str());
        for (std::size_t i = 0; i < 3; ++i) {
            const double x = a->second[i], y = b->second[i];
            QVERIFY((std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1e-5 * std::max(1.0, std::abs(x)));
        }
    }
}

// A fit is forecast without writing anything, and is the file of the command line byte for byte; one that is stopped
// keeps what is done and continues.
void TestWorkbench::theDoorsFitTheSameLens()
{
    const QString line = m_folder.path(u"line.pt"_s), window = m_folder.path(u"window.pt"_s);
    fitLens(line);
    RequestedModels models(options());
    QVERIFY(models.open("tiny-transformer").value);
    app::LensFitRequest fit{.texts = {m_folder.path(u"texts.txt"_s).toStdString()},
                            .output = window.toStdString(),
                            .prompts = 2,
                            .length = 16,
                            .skip = 4,
                            .layers = {}};
    const app::ModelState state{Side::A, {}};
    const auto forecast = models.ask(app::LensForecastRequest{state, fit});
    QVERIFY2(forecast.value, forecast.error.c_str());
    QVERIFY(forecast.value->prompts == 2 && forecast.value->done == 0);
    QVERIFY(forecast.value->seconds > 0 && forecast.value->bytes > 0);
    QVERIFY(!QFile::exists(window));
    const auto fitted = models.ask(app::LensFitQuestion{state, fit});
    QVERIFY2(fitted.value, fitted.error.c_str());
    QCOMPARE(fitted.value->prompts, 2);
    QCOMPARE(fitted.value->quality.fitted.size(), std::size_t{4});
    QCOMPARE(read(window), read(line));
    QVERIFY(!QFile::exists(window + u".unfinished"_s));

    const QString stopped = m_folder.path(u"stopped.pt"_s);
    fit.output = stopped.toStdString();
    QSemaphore ended;
    std::atomic<Ticket> running = 0;
    std::atomic<bool> cancelled = false;
    running = models.start(app::LensFitQuestion{state, fit},
                           {.replied = [](const auto&) {},
                            .finished = [&] { ended.release(); },
                            .failed =
                                [&](const Error& error) {
                                    cancelled = error.kind == Error::Kind::Cancelled;
                                    ended.release();
                                },
                            .progressed =
                                [&](const Progress& progress) {
                                    if (2 * progress.done > progress.total) // of two prompts the first is done
                                        models.cancel(running);
                                }});
    ended.acquire();
    QVERIFY(cancelled);
    QVERIFY(!QFile::exists(stopped) && QFile::exists(stopped + u".unfinished"_s));
    QCOMPARE(models.ask(app::LensForecastRequest{state, fit}).value->done, 1);
    QVERIFY(models.ask(app::LensFitQuestion{state, fit}).value);
    QCOMPARE(read(stopped), read(line));
    fit.skip = 15; // longer than the prompts
    const auto refused = models.ask(app::LensForecastRequest{state, fit});
    QVERIFY2(refused.error.find("too short") != std::string::npos, refused.error.c_str());
}

void TestWorkbench::aRankingBeginsWhereItIsTold()
{
    RequestedModels models(options());
    QVERIFY(models.open("tiny-transformer").value);
    const auto head = [](const char* name) { return *interventions::parseHead(name); };
    const std::vector<interventions::HeadRef> first = {head("L2H5"), head("L9H0"), head("L0H3"), head("L2H5")};
    const auto window = models.ask(app::RankRequest{.side = Side::A, .task = kTask, .limit = 8, .first = first});
    QVERIFY2(window.value, window.error.c_str());
    // A head that the model lacks and one named twice do no harm; the others follow in their own order.
    std::vector<std::string> order;
    for (const app::HeadValue& value : *window.value)
        order.push_back(toText(value.head));
    QCOMPARE(order.size(), std::size_t{32});
    order.resize(4);
    QCOMPARE(order, (std::vector<std::string>{"L2H5", "L0H3", "L0H0", "L0H1"}));
}

// Times are a matter of the machine; what they are times of is not.
void TestWorkbench::rankingsAreForecast()
{
    RequestedModels models(options());
    QVERIFY(models.open("tiny-transformer").value);
    const auto window = models.ask(app::ForecastRequest{{.side = Side::A, .task = kTask, .limit = 16}});
    QVERIFY2(window.value, window.error.c_str());
    QCOMPARE(window.value->heads, std::size_t{32});
    QCOMPARE(window.value->examples, std::size_t{16});
    using app::RankMethod;
    std::map<RankMethod, app::RankCost> costs;
    for (const app::RankCost& cost : window.value->costs)
        costs[cost.method] = cost;
    QCOMPARE(costs.size(), std::size_t{3});
    for (const auto& [method, cost] : costs) {
        QVERIFY2(cost.seconds > 0 && std::isfinite(cost.seconds), app::name(method));
        QVERIFY2(cost.bytes > 0, app::name(method));
        QCOMPARE(cost.atMost, method != RankMethod::Exact); // the others end where fewer examples decide
    }
    // A race takes its examples from the whole benchmark, which is more than 16.
    QVERIFY(costs[RankMethod::Race].seconds > costs[RankMethod::Exact].seconds);

    const Outcome cli = run({u"rank"_s, kModel, u"--task"_s, QString::fromLatin1(kTask), u"--limit"_s, u"16"_s,
                             u"--forecast"_s, u"--json"_s});
    VERIFY_DONE(cli);
    QCOMPARE(cli.json()[u"heads"_s].toInt(), 32);
    QCOMPARE(cli.json()[u"examples"_s].toInt(), 16);
    QCOMPARE(cli.json()[u"forecast"_s].toArray().size(), 3);
    for (const QJsonValue& line : cli.json()[u"forecast"_s].toArray())
        QVERIFY(line[u"seconds"_s].toDouble() > 0 && line[u"bytes"_s].toDouble() > 0);

    const auto none = models.ask(app::ForecastRequest{{.side = Side::B, .task = kTask, .limit = 16}});
    QVERIFY(!none.value && !none.error.empty());
}

void TestWorkbench::theDoorsWriteTheSameText()
{
    const QString text = u"The value of the key is"_s;
    RequestedModels models(options());
    QVERIFY(models.open("tiny-transformer").value);
    std::string written;
    const auto last = models.ask(
        app::ContinuationRequest{
            Side::A, {.text = text.toStdString()}, ablated("L0H0"), {.tokens = 6, .temperature = 2, .seed = 7}},
        [&written](const app::ContinuationPart& part) {
            for (const app::ContinuedToken& token : part.tokens)
                written += token.text;
        });
    QVERIFY2(last.value, last.error.c_str());
    const Outcome cli = run({u"generate"_s, kModel, u"--text"_s, text, u"--new-tokens"_s, u"6"_s, u"--ablate"_s,
                             u"L0H0"_s, u"--temperature"_s, u"2"_s, u"--seed"_s, u"7"_s, u"--json"_s});
    VERIFY_DONE(cli);
    QVERIFY(!written.empty());
    QCOMPARE(QString::fromStdString(written), cli.json()[u"text"_s].toString());
    // The first word is parted from the prompt as the tokenizer parts words.
    QVERIFY2(written.starts_with(' '), written.c_str());
}

void TestWorkbench::theDoorsReadTheSamePrompt()
{
    const QString model = modelWithStartToken(m_folder);
    RequestedModels models(options());
    const auto open = models.open(model.toStdString());
    QVERIFY2(open.value, open.error.c_str());
    const auto sample = models.ask(app::SampleRequest{kTask, 3});
    QVERIFY(sample.value);
    const auto tokensOf = [&](const app::Prompt& prompt) {
        return models.ask(app::TokensRequest{Side::A, prompt}).value->ids;
    };
    const QStringList pattern{u"pattern"_s, model, u"--head"_s, u"L0H0"_s, u"--json"_s};
    const Outcome row = run(pattern + QStringList{u"--task"_s, QString::fromLatin1(kTask), u"--sample"_s, u"3"_s});
    const Outcome text = run(pattern + QStringList{u"--text"_s, u"The value"_s});
    const Outcome never = run(pattern + QStringList{u"--text"_s, u"The value"_s, u"--bos"_s, u"never"_s});
    for (const Outcome* outcome : {&row, &text, &never})
        VERIFY_DONE(*outcome);
    // Rows of a benchmark as the benchmark reads them, texts of one's own as the tokenizer does it.
    QCOMPARE(tokensOf(*sample.value).front(), 0); // written in the row itself
    QVERIFY(tokensOf(*sample.value).at(1) != 0);
    QCOMPARE(tokensOf(*sample.value), idsOf(row.json()[u"ids"_s].toArray()));
    QCOMPARE(tokensOf({.text = "The value"}), idsOf(text.json()[u"ids"_s].toArray()));
    QCOMPARE(tokensOf({.text = "The value"}).front(), 0);
    app::Settings settings = options();
    settings.startToken = StartToken::Never;
    models.setSettings(settings);
    QCOMPARE(tokensOf({.text = "The value"}), idsOf(never.json()[u"ids"_s].toArray()));
    QCOMPARE(never.json()[u"ids"_s].toArray().size(), 2);
}

void TestWorkbench::theDoorsKeepToTheSameMemory()
{
    app::ModelsOptions small = options();
    small.memory = 100'000;
    RequestedModels models(small);
    const auto window = models.open("tiny-transformer");
    QVERIFY(!window.value);
    const Outcome cli =
        run({u"score"_s, kModel, u"--task"_s, QString::fromLatin1(kTask), u"--memory"_s, u"100KB"_s, u"--json"_s});
    VERIFY_FAILS(cli, QByteArray::fromStdString(window.error));
}

void TestWorkbench::theDoorsSayWhyNothingCanBeScored()
{
    RequestedModels models(options());
    QVERIFY(models.open("tiny-transformer").value);
    const auto window = models.ask(app::ScoresRequest{{Side::A, {}}, {Side::A, {}}, {"piqa"}});
    QVERIFY2(window.value, window.error.c_str());
    const std::string problem = window.value->lines.front().problem;
    QVERIFY2(problem.find("None of the") != std::string::npos, problem.c_str());
    VERIFY_FAILS(run({u"score"_s, kModel, u"--task"_s, u"piqa"_s, u"--json"_s}), QByteArray::fromStdString(problem));
}

void TestWorkbench::theSettingsReachTheModels()
{
    RequestedModels models(options());
    QVERIFY(models.open("tiny-transformer").value);
    const auto sample = [&] { return models.ask(app::SampleRequest{kTask, 0}).value->text; };
    const std::string first = sample();
    app::Settings settings = options();
    settings.seed = 99;
    models.setSettings(settings);
    QVERIFY(sample() != first);
    models.setSettings(options());
    QCOMPARE(sample(), first);
}

QTEST_GUILESS_MAIN(TestWorkbench)
#include "tst_workbench.moc"
