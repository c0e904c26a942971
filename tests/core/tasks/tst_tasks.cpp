// SPDX-License-Identifier: GPL-3.0-or-later
// Text functions and random draws equal to Python's, prompts of the tasks that the golden requests do not show,
// generated and own tasks, and every task running from the shipped sample rows.

#include "core/tasks/import/requestjson.h"
#include "core/tasks/kvretrieval.h"
#include "core/tasks/python/pyrandom.h"
#include "core/tasks/python/pyregex.h"
#include "core/tasks/python/pytext.h"
#include "core/tasks/registry.h"
#include "tests/support/goldens.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

using namespace headscope;
using namespace headscope::tasks;
using namespace Qt::StringLiterals;

namespace {

std::filesystem::path folderOf(const QTemporaryDir& dir)
{
    return dir.path().toStdString();
}

void write(const QTemporaryDir& dir, const char* name, const std::string& text)
{
    const QString path = dir.filePath(QString::fromUtf8(name));
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text.data(), static_cast<qint64>(text.size())), static_cast<qint64>(text.size()));
}

TaskOptions samples()
{
    TaskOptions options;
    options.dataFolder = HEADSCOPE_SOURCE_DIR "/resources/samples";
    options.samplesFolder = options.dataFolder; // for the word list beside it
    return options;
}

using Indices = std::vector<std::size_t>;

} // namespace

class TestTasks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void stripsPythonWhiteSpace()
    {
        QCOMPARE(std::string(strip("\u00a0\u3000 \x1cx y\u2028\t\n")), std::string("x y"));
        QCOMPARE(std::string(strip("\u0085x\u0085")), std::string("x"));
        QCOMPARE(std::string(strip("\u200b x")), std::string("\u200b x")); // a zero-width space is not white
        QCOMPARE(std::string(lstrip("  x ")), std::string("x "));
        QCOMPARE(std::string(rstrip("  x\r\n")), std::string("  x"));
        QCOMPARE(std::string(strip(" \n ")), std::string());
        QCOMPARE(splitWhitespace(" a\u2003b\n c "), (std::vector<std::string>{"a", "b", "c"}));
    }

    // Made-up rows and rows of a file are two sources; how many of them are asked is no matter, how they are asked is.
    void namesTheSourceOfTheRows()
    {
        const auto source = [](const char* task, const TaskOptions& options) {
            const auto made = makeTask(task, options);
            return made.has_value() ? made->leaves.front().rowSource : made.error().message;
        };
        const QTemporaryDir dir;
        write(dir, "piqa/valid.jsonl",
              R"({"goal": "Open a jar", "sol1": "Turn the lid.", "sol2": "Turn the sky."})"
              "\n"
              R"({"goal": "Dry a cup", "sol1": "Paint it.", "sol2": "Use a towel."})"
              "\n");
        write(dir, "piqa/valid-labels.lst", "0\n1\n");
        TaskOptions folder = samples();
        folder.dataFolder = folderOf(dir);
        const std::string ofFile = source("piqa", folder), ofSamples = source("piqa", samples());
        QCOMPARE(ofFile.size(), std::size_t{64});
        QCOMPARE(ofSamples.size(), std::size_t{64});
        QVERIFY(ofFile != ofSamples);
        TaskOptions first = folder;
        first.limit = 1;
        QCOMPARE(source("piqa", first), ofFile);
        write(dir, "piqa/valid-labels.lst", "1\n1\n"); // other rows
        QVERIFY(source("piqa", folder) != ofFile);

        TaskOptions seeded = samples();
        seeded.seed = 7;
        const std::string toy = source("toy_kv:pairs=8", samples());
        QCOMPARE(toy.size(), std::size_t{64});
        QVERIFY(source("toy_kv:pairs=8", seeded) != toy);
        first = samples();
        first.limit = 3;
        QCOMPARE(source("toy_kv:pairs=8", first), toy);
        QVERIFY(source("kv_retrieval:pairs=4", seeded) != source("kv_retrieval:pairs=4", samples()));
        TaskOptions shots = samples();
        shots.fewshot = 1;
        QVERIFY(source("gsm8k", shots) != source("gsm8k", samples()));
    }

    void casesAndLengthsArePythons()
    {
        QCOMPARE(capitalize("then, the NBA player"), std::string("Then, the nba player"));
        QCOMPARE(capitalize("\u00dfa"), std::string("Ssa"));
        QCOMPARE(capitalize(""), std::string());
        QCOMPARE(capitalize("\u01c6X"), std::string("\u01c5x"));      // title case, not upper case
        QCOMPARE(lower("\u0391\u03a3"), std::string("\u03b1\u03c2")); // final sigma
        QCOMPARE(codePoints("jalape\u00f1o \U0001F600"), 10);
        QCOMPARE(withoutAsciiPunctuation("(B)."), std::string("B"));
        QCOMPARE(withoutUnicodePunctuation("\u201cit\u2019s\u201d $5"), std::string("its $5"));
        QCOMPARE(replaceAll("aaa", "aa", "b"), std::string("ba"));
        QCOMPARE(findInvalidUtf8("ok\xED\xA0\x80"), std::size_t{2});
        QCOMPARE(findInvalidUtf8("h\u00e9"), std::string_view::npos);
    }

    void regexesFindWhatPythonFinds()
    {
        const Result<PyRegex> dot = PyRegex::compile("a.b$");
        QVERIFY(*dot->search("a\rb\n"));
        QVERIFY(!*dot->search("a\nb"));
        // re.findall(r'\b|:+', 'a::bc') gives five matches
        QCOMPARE(PyRegex::compile("\\b|:+")->findAll("a::bc")->size(), std::size_t{5});
        QCOMPARE(*PyRegex::compile("x*")->removed("axb"), std::string("ab"));
        QVERIFY(*PyRegex::compile(PyRegex::escaped("a.b\n(c) \u00e9"))->search("a.b\n(c) \u00e9"));
        QVERIFY(!*PyRegex::compile(PyRegex::escaped("a.b"))->search("axb"));
        QVERIFY(*PyRegex::compile(PyRegex::escaped("Stra\u00dfe"), true)->search("STRA\u00dfE"));
        QVERIFY(!*PyRegex::compile(PyRegex::escaped("stra\u00dfe"), true)->search("STRASSE"));
        QVERIFY(PyRegex::compile("(a").error().message.find("(a") != std::string::npos);
    }

    void randomEqualsCPython()
    {
        PyRandom random(1234);
        QCOMPARE(random.next32(), 4150886329U);
        QCOMPARE(random.next32(), 3342196574U);
        QCOMPARE(random.next32(), 1892932127U);
        QCOMPARE(random.next32(), 501869158U);
        PyRandom gsm8k(1234);
        QCOMPARE(gsm8k.sample(7473, 5), (Indices{6374, 3610, 957, 61, 742}));
        QCOMPARE(gsm8k.sample(7473, 5), (Indices{7462, 6610, 4769, 286, 5501}));
        QCOMPARE(gsm8k.sample(7473, 5), (Indices{5677, 687, 806, 6279, 2905}));
        PyRandom pool(1234);
        QCOMPARE(pool.sample(20, 5), (Indices{14, 3, 0, 2, 1}));
        QCOMPARE(pool.sample(20, 5), (Indices{2, 3, 11, 7, 0}));
        QCOMPARE(PyRandom(1234).sample(16113, 6), (Indices{15834, 12749, 7220, 1914, 122, 1485}));
        QCOMPARE(PyRandom(1234).sample(1119, 25),
                 (Indices{902, 239, 15,  185, 71,  171, 201, 726,  484, 35,  63,  32,  708,
                          991, 949, 304, 186, 374, 234, 29,  1030, 996, 511, 132, 1108}));
    }

    void everyTaskRunsFromTheSamples()
    {
        std::set<std::string> empty; // parts of groups that the samples leave out
        for (const TaskInfo& info : listTasks()) {
            const bool part = info.name.starts_with("mmlu_") || info.name.starts_with("bbh_");
            const Result<TaskSet> set = makeTask(info.name, samples());
            if (part && !set.has_value()) {
                QVERIFY2(set.error().message.find("needs") != std::string::npos, set.error().message.c_str());
                empty.insert(info.name);
                continue;
            }
            QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
            QVERIFY2(!set->examples.empty(), info.name.c_str());
            QVERIFY2(set->report.rejected.empty(),
                     set->report.rejected.empty() ? "" : toText(set->report.rejected.front()).c_str());
            QVERIFY2(set->report.extent() == "sample" || set->report.extent() == "generated", info.name.c_str());
            for (const Example& example : set->examples)
                QVERIFY(example.scoring != Scoring::MultipleChoice || example.gold < std::ssize(example.continuations));
        }
        QVERIFY(!empty.contains("mmlu_astronomy") && !empty.contains("bbh_zeroshot_word_sorting"));
        QVERIFY(empty.contains("mmlu_anatomy"));
    }

    void shotsComeFromTheTrainSplitInTheSamplersOrder()
    {
        TaskOptions options = samples();
        options.fewshot = 2;
        const TaskSet set = *makeTask("arc_easy", options);
        // random.Random(1234).sample(range(3), 2) twice
        PyRandom random(1234);
        const Indices first = random.sample(3, 2);
        const char* shots[] = {"Question: Which tool measures temperature?\nAnswer: a thermometer\n\n",
                               "Question: What falls when clouds cool?\nAnswer: rain\n\n",
                               "Question: Which of these is a metal?\nAnswer: iron\n\n"};
        QCOMPARE(set.examples[0].context, std::string(shots[first[0]]) + shots[first[1]]
                                              + "Question: Which of these melts in the sun on a warm day?\nAnswer:");
        const Indices second = random.sample(3, 2);
        QVERIFY(set.examples[1].context.starts_with(std::string(shots[second[0]]) + shots[second[1]]));
        QVERIFY(set.notes.front().find("3 of 2251") != std::string::npos);
        options.fewshot = 4;
        QVERIFY(makeTask("arc_easy", options).error().message.find("needs 4 rows") != std::string::npos);
    }

    void clozeAsksForLastWordsThatStandBefore()
    {
        const TaskSet set = *makeTask("cloze", samples());
        QCOMPARE(set.examples.size(), std::size_t{6});
        for (const Example& example : set.examples) {
            const Segment& source = example.segments.front();
            QCOMPARE(" " + example.context.substr(source.begin, source.end - source.begin),
                     example.continuations.front());
            QVERIFY(!example.context.ends_with(' '));
        }
        QCOMPARE(set.examples[0].continuations.front(), std::string(" key"));

        // Punctuation behind the word is no part of it; parts of words do not count; nor do short and long paragraphs.
        QTemporaryDir folder;
        const std::string filling =
            "so they walked along the river until the evening came and the lamps were lit in all the windows there, ";
        std::ofstream(folder.filePath(QStringLiteral("heldout.txt")).toStdString())
            << "The cart was red, " << filling << "and he sold the\ncart!\"\r\n\r\n\r\n"
            << "The carts were red, " << filling << "and he sold the cart.\n\n"
            << "A cart is a cart.\n\n"
            << std::string(1700, 'x') << " cart and cart\n\n"
            << "In the year 12 " << filling << "and it was year 12.";
        TaskOptions options = samples();
        options.dataFolder = folder.path().toStdString();
        const TaskSet own = *makeTask("cloze", options);
        QCOMPARE(own.examples.size(), std::size_t{2});
        QCOMPARE(own.examples[0].context, "The cart was red, " + filling + "and he sold the");
        QCOMPARE(own.examples[0].segments.front().begin, std::size_t{4});
        QCOMPARE(own.examples[1].continuations.front(), std::string(" year"));
        QCOMPARE(own.report.extent(), std::string("own"));

        std::ofstream(folder.filePath(QStringLiteral("heldout.txt")).toStdString()) << "Nothing here.";
        QVERIFY(makeTask("cloze", options).error().message.find("has no paragraph") != std::string::npos);
        QVERIFY(QFile::remove(folder.filePath(QStringLiteral("heldout.txt"))));
        QVERIFY(makeTask("cloze", options).error().message.find("needs cloze/heldout.txt") != std::string::npos);
    }

    void winograndeShotsHoldTheRightOption()
    {
        TaskOptions options = samples();
        options.fewshot = 2;
        const TaskSet set = *makeTask("winogrande", options);
        const Example& example = set.examples.front();
        QVERIFY(example.context.empty() && example.normLengths.empty());
        QVERIFY(example.contexts[0].find("Nina lent Olga her bicycle, so Nina had to walk home.\n\n")
                    != std::string::npos
                || example.contexts[0].find("so we had to wait for the soup first.\n\n") != std::string::npos);
        QVERIFY(example.contexts[0].ends_with("because the suitcase")
                && example.contexts[1].ends_with("because the locker"));
        QCOMPARE(example.continuations[0], std::string(" was too large."));
        QCOMPARE(example.continuations[0], example.continuations[1]);
    }

    void mmluSegmentsNameQuestionAndOptions()
    {
        TaskOptions options = samples();
        options.fewshot = 5;
        const TaskSet set = *makeTask("mmlu_astronomy", options);
        const Example& example = set.examples[1];
        const auto text = [&](const Segment& s) { return example.context.substr(s.begin, s.end - s.begin); };
        QCOMPARE(text(example.segments.front()), std::string("Which planet is closest to the Sun?"));
        std::vector<std::string> options4, letters;
        for (const Segment& segment : example.segments) {
            if (segment.role == Role::Option) {
                options4.push_back(text(segment));
                QCOMPARE(segment.target, segment.group == example.gold);
            }
            if (segment.role == Role::Key)
                letters.push_back(text(segment));
        }
        QCOMPARE(options4, (std::vector<std::string>{"Mercury", "Earth", "Jupiter", "Neptune"}));
        QCOMPARE(letters, (std::vector<std::string>{"A", "B", "C", "D"}));
        QCOMPARE(text(example.segments.back()), std::string("Answer:"));
    }

    void groupsHoldTheirLeaves()
    {
        const TaskSet mmlu = *makeTask("mmlu", samples());
        QCOMPARE(mmlu.groups.front().name, std::string("mmlu"));
        QCOMPARE(mmlu.groups.front().leaves.size(), std::size_t{4});
        QVERIFY(mmlu.groups.front().weighBySize);
        const TaskSet knowledge = *makeTask("knowledge", samples());
        QCOMPARE(knowledge.leaves.size(), std::size_t{6});
        QVERIFY(!knowledge.groups.front().weighBySize);
        QCOMPARE(knowledge.groups.front().name, std::string("knowledge"));
        const TaskSet bbh = *makeTask("bbh", samples());
        QCOMPARE(bbh.groups.front().filter, std::string("get-answer"));
        QCOMPARE(bbh.leafOf(bbh.examples.size() - 1).name, bbh.leaves.back().name);
    }

    void oneMissingTaskLeavesTheOthersOfKnowledge()
    {
        const QTemporaryDir data;
        const std::filesystem::path folder = data.path().toStdString();
        std::filesystem::copy(samples().dataFolder, folder, std::filesystem::copy_options::recursive);
        TaskOptions options = samples();
        options.dataFolder = folder;
        std::filesystem::remove_all(folder / "piqa");
        const auto five = makeTask("knowledge", options);
        QVERIFY2(five.has_value(), five.has_value() ? "" : five.error().message.c_str());
        QCOMPARE(five->leaves.size(), std::size_t{5});
        QCOMPARE(five->groups.front().leaves, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
        QCOMPARE(five->groups.front().name, std::string("knowledge without piqa")); // another mean, another name
        QVERIFY(std::ranges::any_of(five->notes, [](const std::string& note) {
            return note.find("5 of the six tasks of knowledge, without piqa") != std::string::npos;
        }));
        for (const char* part : {"winogrande", "openbookqa", "hellaswag", "arc_challenge"})
            std::filesystem::remove_all(folder / part);
        QVERIFY(!makeTask("knowledge", options).has_value()); // one task is no mean
    }

    void limitsRowsAndFractions()
    {
        TaskOptions options = samples();
        options.limit = 2;
        QCOMPARE(makeTask("gsm8k", options)->examples.size(), std::size_t{2});
        options.limit = 0.5; // of 3, rounded up
        QCOMPARE(makeTask("gsm8k", options)->examples.size(), std::size_t{2});
        options.limit = 0;
        QVERIFY(!makeTask("gsm8k", options).has_value());
    }

    void limitsGeneratedTasksByFractions_data()
    {
        QTest::addColumn<QString>("task");
        QTest::addColumn<double>("limit");
        QTest::addColumn<int>("rows");
        QTest::newRow("of 1000") << u"kv_retrieval:pairs=2"_s << 0.0021 << 3;
        QTest::newRow("a number") << u"kv_retrieval:pairs=2"_s << 1.0 << 1;
        QTest::newRow("of 256 toys") << u"toy_kv:pairs=2"_s << 0.01 << 3;
        QTest::newRow("of 300 toy facts") << u"toy_knowledge"_s << 0.01 << 3;
        QTest::newRow("half of 300 toy facts") << u"toy_knowledge"_s << 0.5 << 150;
        QTest::newRow("of 256 dictionaries") << u"word_kv:pairs=2"_s << 0.05 << 13;
        QTest::newRow("of 300 facts") << u"facts"_s << 0.05 << 15;
    }

    // The rows are the first ones, as of every limit.
    void limitsGeneratedTasksByFractions()
    {
        QFETCH(QString, task);
        QFETCH(double, limit);
        QFETCH(int, rows);
        TaskOptions options = samples();
        options.limit = limit;
        const auto some = makeTask(task.toStdString(), options);
        options.limit = {};
        const auto all = makeTask(task.toStdString(), options);
        QVERIFY(some.has_value() && all.has_value());
        QCOMPARE(static_cast<int>(some->examples.size()), rows);
        QVERIFY(some->examples.size() < all->examples.size());
        QCOMPARE(some->examples.back().context, all->examples[some->examples.size() - 1].context);
    }

    void fixedZeroShotTasksIgnoreTheShots()
    {
        TaskOptions options = samples();
        options.fewshot = 3;
        QCOMPARE(makeTask("bbh_zeroshot_word_sorting", options)->leaves.front().fewshot, 0);
        QCOMPARE(makeTask("arc_challenge_chat", options)->leaves.front().fewshot, 0);
        QCOMPARE(makeTask("gsm8k", samples())->leaves.front().fewshot, 5);
        QCOMPARE(
            makeTask("bbh_fewshot_word_sorting", samples())->examples.front().context,
            std::string("Sort words by the alphabet.\n\n"
                        "Q: Sort the following words alphabetically: List: river apple stone\nA: apple river stone\n\n"
                        "Q: Sort the following words alphabetically: List: moon cloud\nA: cloud moon\n\n"
                        "Q: Sort the following words alphabetically: List: table chair lamp\nA: chair lamp table\n\n"
                        "Q: Sort the following words alphabetically: List: window door roof\nA:"));
    }

    void kvRetrievalHasThePapersForm()
    {
        const WordList words{{"melt", "wet", "ATM", "oak"}, false, {}};
        const std::vector<Example> examples = *kvRetrieval(words, 3, 50, 7);
        for (const Example& example : examples) {
            QVERIFY(example.context.starts_with("Memorize the following dictionary:\n"));
            QCOMPARE(example.continuations.size(), std::size_t{3});
            std::string expected = "Memorize the following dictionary:\n", asked;
            for (std::size_t i = 0; i < 3; ++i) {
                const Segment& key = example.segments[2 * i];
                const Segment& value = example.segments[2 * i + 1];
                const std::string word = example.context.substr(key.begin, key.end - key.begin);
                QCOMPARE(example.context.substr(value.begin, value.end - value.begin), example.continuations[i]);
                QCOMPARE(value.target, static_cast<int>(i) == example.gold);
                expected += word + ":" + example.continuations[i] + "\n";
                asked = static_cast<int>(i) == example.gold ? word : asked;
            }
            QCOMPARE(example.context, expected + "The value of the key '" + asked + "' is");
        }
        // a longer run begins with the shorter one; another seed is another run
        const std::vector<Example> shorter = *kvRetrieval(words, 3, 5, 7);
        QVERIFY(std::equal(shorter.begin(), shorter.end(), examples.begin(),
                           [](const Example& a, const Example& b) { return contentHash(a) == contentHash(b); }));
        QVERIFY(contentHash(kvRetrieval(words, 3, 1, 8)->front()) != contentHash(examples.front()));
        QVERIFY(kvRetrieval(words, 5, 1, 1).error().message.find("5 pairs; expected 1 to 4") != std::string::npos);
        QVERIFY(!kvRetrieval(words, 0, 1, 1).has_value());
    }

    void kvRetrievalNamesItsWords()
    {
        const QTemporaryDir cache; // not the user's, which may hold wonderwords' lists
        qputenv("XDG_CACHE_HOME", cache.path().toUtf8());
        TaskOptions options = samples();
        options.limit = 3;
        const TaskSet own = *makeTask("kv_retrieval:pairs=10", options);
        QCOMPARE(own.leaves.front().name, std::string("kv_retrieval:pairs=10"));
        QVERIFY(own.notes.front().find("own 376 words") != std::string::npos);
        QCOMPARE(own.leaves.front().pairing, PairEncoding::KvRetrieval);
        // Three lists of 39, of which one word is in all three.
        const QTemporaryDir lists;
        for (const char* list : {"noun", "verb", "adjective"}) {
            std::ofstream out(lists.path().toStdString() + "/" + list + "list.txt");
            for (int i = 0; i < 38; ++i)
                out << list << i << '\n';
            out << "shared\n";
        }
        const auto says = [&](const char* words) {
            const TaskSet set = *makeTask("kv_retrieval", options);
            return set.notes.front().find(words) != std::string::npos;
        };
        options.wordsFolder = lists.path().toStdString();
        QVERIFY(says("wonderwords' 115 words"));
        // Found in the cache without being named.
        options.wordsFolder.clear();
        std::filesystem::create_directories(cache.path().toStdString() + "/headscope");
        std::filesystem::create_directory_symlink(lists.path().toStdString(),
                                                  cache.path().toStdString() + "/headscope/wonderwords");
        QVERIFY(says("wonderwords' 115 words"));
        if (const auto beside = goldens::beside("data/words"); !beside.empty()) {
            options.wordsFolder = beside;
            QVERIFY(says("wonderwords' 8169 words"));
        }
    }

    void namesAndSettingsAreChecked()
    {
        QVERIFY(makeTask("questions.csv", {}).error().message.find("questions.csv") != std::string::npos);
        QVERIFY(makeTask("mmlu_alchemy", samples()).error().message.find("no task 'mmlu_alchemy'")
                != std::string::npos);
        QVERIFY(makeTask("kv_retrieval:pears=3", samples()).error().message.find("no setting 'pears'")
                != std::string::npos);
        QVERIFY(makeTask("kv_retrieval:pairs=x", samples()).error().message.find("whole number") != std::string::npos);
        QVERIFY(makeTask("piqa:pairs=3", samples()).error().message.find("no setting 'pairs'") != std::string::npos);
        QVERIFY(makeTask("kv_retrieval:pairs", samples()).error().message.find("key=value") != std::string::npos);
    }

    void toyTasksAreRows()
    {
        TaskOptions options;
        options.limit = 4;
        const TaskSet set = *makeTask("toy_kv:pairs=4", options);
        QCOMPARE(set.examples.size(), std::size_t{4});
        QCOMPARE(set.leaves.front().scoring, set.examples.front().scoring);
        QVERIFY(!makeTask("toy_chess", options).has_value());
    }

    void ownTaskRunsFromItsFile()
    {
        const TaskSet set = *makeTask(HEADSCOPE_SOURCE_DIR "/resources/samples/own-task.json", {});
        QCOMPARE(set.examples.size(), std::size_t{3});
        QCOMPARE(set.examples[1].context,
                 std::string("Questions about capitals.\n\nQuestion: What is the capital of Italy?\nAnswer: Rome\n\n"
                             "Question: What is the capital of Japan?\nAnswer:"));
        QCOMPARE(set.examples[1].gold, 2);
        QCOMPARE(set.examples[2].continuations[2], std::string(" Troms\u00f8"));
        QCOMPARE(set.examples[2].normLengths[2], 6);
        QCOMPARE(set.leaves.front().metrics.size(), std::size_t{2});
        QCOMPARE(set.report.extent(), std::string("own"));
    }

    void ownTaskMistakesAreNamed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* text, const char* expected) {
            // with ' for ", which keeps the rows readable
            QTest::newRow(name) << QString::fromUtf8(text).replace(u'\'', u'"') << QString::fromUtf8(expected);
        };
        row("not JSON", "{", "is not JSON");
        row("missing", "{'task': 't'}", "'doc_to_text' is missing");
        row("unknown key",
            "{'task':'t','doc_to_txt':'','doc_to_text':'x','doc_to_target':'y','output_type':'generate_until','rows':[]"
            ",'metric_list':['contains']}",
            "'doc_to_txt' is not known");
        row("metric",
            "{'task':'t','doc_to_text':'x','doc_to_target':'y','output_type':'generate_until','rows':[{}],'metric_list'"
            ":['acc']}",
            "cannot be combined with generate_until");
        row("template",
            "{'task':'t','doc_to_text':'{{x','doc_to_target':'y','output_type':'generate_until','rows':[{}],'metric_"
            "list':['contains']}",
            "without '}}'");
        row("field",
            "{'task':'t','doc_to_text':'{{x}}','doc_to_target':'y','output_type':'generate_until','rows':[{}],'metric_"
            "list':['contains']}",
            "'x' is missing");
        row("regex",
            "{'task':'t','doc_to_text':'x','doc_to_target':'y','output_type':'generate_until','rows':[{}],'metric_list'"
            ":[{'metric':'exact_match','regex':'(a'}]}",
            "regular expression '(a'");
        row("answer",
            "{'task':'t','doc_to_text':'x','doc_to_choice':['a','b'],'doc_to_target':'c','rows':[{}],'metric_list':['"
            "acc']}",
            "'c' is not among the choices");
        row("bad shots",
            "{'task':'t','num_fewshot':1,'doc_to_text':'x','doc_to_choice':['a','b'],'doc_to_target':'{{t}}','rows':[{'"
            "t':'a'}],'fewshot_rows':[{'t':'c'}],'metric_list':['acc']}",
            "an example for the prompt cannot be used: ");
        row("shots",
            "{'task':'t','num_fewshot':2,'doc_to_text':'x','doc_to_choice':['a','b'],'doc_to_target':'a','rows':[{}],'"
            "metric_list':['acc']}",
            "neither fewshot_rows nor fewshot_file");
    }

    void ownTaskMistakesAreNamed()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QTemporaryDir dir;
        write(dir, "task.json", text.toStdString());
        const Result<TaskSet> set = makeTask((folderOf(dir) / "task.json").string(), {});
        QVERIFY(!set.has_value());
        QVERIFY2(QString::fromStdString(set.error().message).contains(expected), set.error().message.c_str());
    }

    void messagesDoNotRepeatTheFile()
    {
        QTemporaryDir dir;
        write(dir, "task.json", "{\"task\": \"" + std::string(1'000'000, 'x'));
        const Result<TaskSet> set = makeTask((folderOf(dir) / "task.json").string(), {});
        QVERIFY(!set.has_value());
        QVERIFY2(set.error().message.size() < 300
                     && set.error().message.find("missing closing quote") != std::string::npos,
                 set.error().message.substr(0, 300).c_str());
    }

    void requestJsonHasTheGoldenFields()
    {
        Example example;
        example.task = "t";
        example.file = "f.jsonl";
        example.row = 3;
        example.context = "caf\u00e9";
        example.continuations = {" a", " b"};
        example.normLengths = {1, 1};
        example.gold = 1;
        QCOMPARE(
            requestJson(example, {{{1, 2}, {3}}}),
            std::string(R"({"task":"t","file":"f.jsonl","row":3,"context":"caf\u00e9","continuations":[" a"," b"],)"
                        R"("norm_lengths":[1,1],"gold":1,"tokens":[{"context":[1,2],"continuation":[3]}]})"));
        example.scoring = Scoring::Generation;
        example.target = "x";
        example.until = {"\n"};
        example.maxNewTokens = 5;
        QCOMPARE(
            requestJson(example),
            std::string(
                R"({"task":"t","file":"f.jsonl","row":3,"context":"caf\u00e9","target":"x","until":["\n"],"max_gen_toks":5})"));
    }
};

QTEST_GUILESS_MAIN(TestTasks)
#include "tst_tasks.moc"
