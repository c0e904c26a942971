// SPDX-License-Identifier: GPL-3.0-or-later
// Data files as they come: both layouts, and every kind of bad input, each with line, code and one sentence.

#include "core/tasks/registry.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::tasks;

namespace {

const char* const kArcRow =
    R"({"id":"1","question":{"stem":"Q?","choices":[{"text":"x","label":"A"},{"text":"y","label":"B"},{"text":"z","label":"C"}]},"answerKey":"B"})";

void write(const QTemporaryDir& dir, const char* name, const std::string& text)
{
    const QString path = dir.filePath(QString::fromUtf8(name));
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text.data(), static_cast<qint64>(text.size())), static_cast<qint64>(text.size()));
}

Result<TaskSet> run(const QTemporaryDir& dir, const char* task, int fewshot = 0)
{
    TaskOptions options;
    options.dataFolder = dir.path().toStdString();
    options.fewshot = fewshot;
    return makeTask(task, options);
}

} // namespace

class TestTasksImport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void badRowsAreRejectedByLineAndCode_data()
    {
        QTest::addColumn<QByteArray>("task");
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("good"); // one row that is accepted
        QTest::addColumn<QByteArray>("bad");
        QTest::addColumn<QByteArray>("code");
        const auto row = [](const char* label, const char* task, const char* file, const char* good, const char* bad,
                            const char* code) {
            QTest::newRow(label) << QByteArray(task) << QByteArray(file) << QByteArray(good) << QByteArray(bad)
                                 << QByteArray(code);
        };
        const char* arc = "arc_easy/ARC-Easy-Test.jsonl";
        row("not JSON", "arc_easy", arc, kArcRow, "{\"id\": ", "bad_json");
        row("lone surrogate", "arc_easy", arc, kArcRow, R"({"id":"\ud800"})", "bad_json");
        row("not an object", "arc_easy", arc, kArcRow, "[1]", "wrong_type");
        row("invalid UTF-8", "arc_easy", arc, kArcRow, "{\"id\":\"\xff\"}", "bad_utf8");
        row("no question", "arc_easy", arc, kArcRow, R"({"id":"2","answerKey":"A"})", "missing_field");
        row("key not a label", "arc_easy", arc, kArcRow,
            R"({"id":"2","question":"Q?","choices":{"text":["x","y"],"label":["A","B"]},"answerKey":"C"})",
            "label_not_in_choices");
        row("twice a label", "arc_easy", arc, kArcRow,
            R"({"id":"2","question":"Q?","choices":{"text":["x","y"],"label":["A","A"]},"answerKey":"A"})",
            "bad_label");
        row("one choice", "arc_easy", arc, kArcRow,
            R"({"id":"2","question":"Q?","choices":{"text":["x"],"label":["A"]},"answerKey":"A"})", "choice_count");
        row("unequal lists", "arc_easy", arc, kArcRow,
            R"({"id":"2","question":"Q?","choices":{"text":["x","y"],"label":["A"]},"answerKey":"A"})",
            "count_mismatch");
        row("empty choice", "arc_easy", arc, kArcRow,
            R"({"id":"2","question":"Q?","choices":{"text":["x"," "],"label":["A","B"]},"answerKey":"A"})",
            "empty_text");
        row("empty stem", "openbookqa", "openbookqa/test.jsonl", kArcRow,
            R"({"id":"2","question_stem":" ","choices":{"text":["x","y"],"label":["A","B"]},"answerKey":"A"})",
            "empty_text");
        row("two choices in chat", "arc_challenge_chat", "arc_challenge/ARC-Challenge-Test.jsonl", kArcRow,
            R"({"id":"2","question":"Q?","choices":{"text":["x","y"],"label":["A","B"]},"answerKey":"A"})",
            "choice_count");
        const char* piqa = R"({"goal":"g","sol1":"a","sol2":"b","label":1})";
        row("label 2", "piqa", "piqa/validation.jsonl", piqa, R"({"goal":"g","sol1":"a","sol2":"b","label":2})",
            "bad_label");
        row("label -1", "piqa", "piqa/validation.jsonl", piqa, R"({"goal":"g","sol1":"a","sol2":"b","label":-1})",
            "unlabelled");
        row("empty solution", "piqa", "piqa/validation.jsonl", piqa, R"({"goal":"g","sol1":"a","sol2":"","label":0})",
            "empty_text");
        row("wrong type", "piqa", "piqa/validation.jsonl", piqa, R"({"goal":3,"sol1":"a","sol2":"b","label":0})",
            "wrong_type");
        const char* wino = R"({"qID":"1","sentence":"a _ b","option1":"x","option2":"y","answer":"1"})";
        row("no blank", "winogrande", "winogrande/dev.jsonl", wino,
            R"({"sentence":"a b","option1":"x","option2":"y","answer":"1"})", "missing_field");
        row("nothing after the blank", "winogrande", "winogrande/dev.jsonl", wino,
            R"({"sentence":"a _ ","option1":"x","option2":"y","answer":"1"})", "empty_text");
        row("answer 3", "winogrande", "winogrande/dev.jsonl", wino,
            R"({"sentence":"a _ b","option1":"x","option2":"y","answer":"3"})", "bad_label");
        row("no answer", "winogrande", "winogrande/dev.jsonl", wino,
            R"({"sentence":"a _ b","option1":"x","option2":"y","answer":""})", "unlabelled");
        row("equal options", "winogrande", "winogrande/dev.jsonl", wino,
            R"({"sentence":"a _ b","option1":"x","option2":"x","answer":"1"})", "bad_label");
        const char* swag =
            R"({"activity_label":"A","ctx_a":"b.","ctx_b":"c","ctx":"b. c","endings":["d","e","f","g"],"label":"2"})";
        row("three endings", "hellaswag", "hellaswag/hellaswag_val.jsonl", swag,
            R"({"activity_label":"A","ctx_a":"b","ctx_b":"","endings":["d","e","f"],"label":0})", "choice_count");
        row("ending of a tag", "hellaswag", "hellaswag/hellaswag_val.jsonl", swag,
            R"({"activity_label":"A","ctx_a":"b","ctx_b":"","endings":["d","e","f","[step]"],"label":0})",
            "empty_text");
        row("label 4", "hellaswag", "hellaswag/hellaswag_val.jsonl", swag,
            R"({"activity_label":"A","ctx_a":"b","ctx_b":"","endings":["d","e","f","g"],"label":4})", "bad_label");
        row("test row", "hellaswag", "hellaswag/validation.jsonl", swag,
            R"({"activity_label":"A","ctx_a":"b","ctx_b":"","endings":["d","e","f","g"],"label":""})", "unlabelled");
        const char* lambada = R"({"text":"one two"})";
        row("no space", "lambada_openai", "lambada/lambada_test.jsonl", lambada, R"({"text":"one"})", "empty_text");
        row("space at the end", "lambada_openai", "lambada/lambada_test.jsonl", lambada, R"({"text":"one two "})",
            "empty_text");
        const char* gsm = R"({"question":"q","answer":"a\n#### 1"})";
        row("no mark", "gsm8k", "gsm8k/test.jsonl", gsm, R"({"question":"q","answer":"1"})", "bad_label");
        row("two marks", "gsm8k", "gsm8k/test.jsonl", gsm, R"({"question":"q","answer":"#### 1\n#### 2"})",
            "bad_label");
        row("nothing after the mark", "gsm8k", "gsm8k/test.jsonl", gsm, R"({"question":"q","answer":"#### "})",
            "bad_label");
        const char* swde = R"({"text":"a v key:","key":"key","value":"v"})";
        row("empty value", "swde", "swde/validation.jsonl", swde, R"({"text":"a","value":""})", "empty_text");
        const char* csv = "Q,a,b,c,d,B";
        row("five columns", "mmlu_anatomy", "mmlu/test/anatomy_test.csv", csv, "Q,a,b,c,B", "bad_csv");
        row("answer E", "mmlu_anatomy", "mmlu/test/anatomy_test.csv", csv, "Q,a,b,c,d,E", "bad_label");
        row("numeric without header", "mmlu_anatomy", "mmlu/test/anatomy_test.csv", csv, "Q,a,b,c,d,1", "bad_label");
        row("empty option", "mmlu_anatomy", "mmlu/test/anatomy_test.csv", csv, "Q,a,,c,d,A", "empty_text");
        row("blank question", "mmlu_anatomy", "mmlu/test/anatomy_test.csv", csv, "\" \",a,b,c,d,A", "empty_text");
        row("open quote", "mmlu_anatomy", "mmlu/test/anatomy_test.csv", csv, "\"Q,a,b,c,d,A", "bad_csv");
        row("bytes", "mmlu_anatomy", "mmlu/test/anatomy_test.csv", csv, "Q\xc3(,a,b,c,d,A", "bad_utf8");
    }

    void badRowsAreRejectedByLineAndCode()
    {
        QFETCH(QByteArray, task);
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, good);
        QFETCH(QByteArray, bad);
        QFETCH(QByteArray, code);
        QTemporaryDir dir;
        write(dir, file, (good + "\n\n" + bad + "\n").toStdString());
        const Result<TaskSet> set = run(dir, task);
        QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
        QCOMPARE(set->report.read, 2);
        QCOMPARE(set->report.accepted, 1);
        QCOMPARE(set->report.blankLines, 1);
        QCOMPARE(set->report.rejected.size(), std::size_t{1});
        const RowIssue& issue = set->report.rejected.front();
        QCOMPARE(QByteArray::fromStdString(issue.code), code);
        QCOMPARE(issue.firstLine, 3);
        QCOMPARE(issue.record, 1);
        QCOMPARE(issue.file, file.toStdString());
        QVERIFY2(issue.reason.ends_with('.'), issue.reason.c_str());
        QCOMPARE(set->report.extent(), std::string("subset"));

        // Nothing usable at all is an error that names the first reason.
        write(dir, file, (bad + "\n").toStdString());
        const Result<TaskSet> none = run(dir, task);
        QVERIFY(!none.has_value());
        QVERIFY2(none.error().message.find("no usable row") != std::string::npos, none.error().message.c_str());
    }

    void csvKeepsQuotesAndLineBreaks()
    {
        QTemporaryDir dir;
        write(dir, "mmlu/test/anatomy_test.csv", "\xEF\xBB\xBF\"a \"\"b\"\"\r\nc, d\",1,None,TRUE,3 ,A\r\nq,a,b,c,d,D");
        const TaskSet set = *run(dir, "mmlu_anatomy");
        QCOMPARE(set.examples.size(), std::size_t{2});
        QVERIFY(set.examples[0].context.ends_with("a \"b\"\r\nc, d\nA. 1\nB. None\nC. TRUE\nD. 3 \nAnswer:"));
        QCOMPARE(set.examples[1].row, 1);
        QCOMPARE(set.examples[1].gold, 3);
        QCOMPARE(set.report.layout, Layout::Original);
    }

    void rowsOfAWholeDocumentHaveTheirLines_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<int>("shift"); // lines before the list's first element
        QTest::newRow("array") << QByteArray("[\n") << QByteArray("\n]\n") << 1;
        QTest::newRow("array on one line") << QByteArray("[") << QByteArray("]") << 0;
        QTest::newRow("examples") << QByteArray(
            "{\"canary\": [{\"x\": 1},\n{}, {}],\n\"note\": \"examples\", \"examples\":\n[\n")
                                  << QByteArray("\n]}") << 4;
    }

    void rowsOfAWholeDocumentHaveTheirLines()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QFETCH(int, shift);
        QTemporaryDir dir;
        write(dir, "bbh/cot-prompts/snarks.txt", "x\n-----\nD.\n\nQ: i\nA: a is b.\n");
        const QByteArray good =
            QByteArray("{'input':'Which, \\'[{\\\\\\'?\\nOptions:\\n(A) a\\n(B) b','target':'(B)'}").replace('\'', '"');
        write(dir, "bbh/snarks.json",
              (before + good + ",\n{\n\"input\": [1, 2]\n}\n,\n[], " + good + after).toStdString());
        const auto set = run(dir, "bbh_cot_fewshot_snarks");
        QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
        QCOMPARE(set->report.read, 4);
        QCOMPARE(set->report.accepted, 2);
        QCOMPARE(set->report.rejected.size(), std::size_t{2});
        std::vector<std::pair<int, int>> lines;
        for (const RowIssue& issue : set->report.rejected)
            lines.emplace_back(issue.firstLine - shift, issue.lastLine - shift);
        std::sort(lines.begin(), lines.end());
        QCOMPARE(lines, (std::vector<std::pair<int, int>>{{2, 4}, {6, 6}}));
    }

    // The mark is stepped over, but offsets count it: they are those an editor shows.
    void offsetsCountTheByteOrderMark_data()
    {
        QTest::addColumn<QByteArray>("task");
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("lines") << QByteArray("arc_easy") << QByteArray("arc_easy/ARC-Easy-Test.jsonl")
                               << QByteArray("{}\n{\"id\":\"\xff\"}\n") << QByteArray("at byte 13 ");
        QTest::newRow("document") << QByteArray("bbh_cot_fewshot_snarks") << QByteArray("bbh/snarks.json")
                                  << QByteArray("[\n\n\"\xff\"]")
                                  << QByteArray("line 3: The text is not valid UTF-8 at byte 7 ");
        QTest::newRow("csv") << QByteArray("mmlu_anatomy") << QByteArray("mmlu/test/anatomy_test.csv")
                             << QByteArray("q,a,b,c,d,A\nq\xff,a,b,c,d,A\n") << QByteArray("at byte 16 ");
    }

    void offsetsCountTheByteOrderMark()
    {
        QFETCH(QByteArray, task);
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        QTemporaryDir dir;
        write(dir, "bbh/cot-prompts/snarks.txt", "x\n-----\nD.\n\nQ: i\nA: a is b.\n");
        write(dir, file, ("\xEF\xBB\xBF" + text).toStdString());
        const auto set = run(dir, task);
        QByteArray said;
        if (set.has_value())
            for (const RowIssue& issue : set->report.rejected)
                said += QByteArray::fromStdString(issue.reason);
        else
            said = QByteArray::fromStdString(set.error().message + set.error().detail);
        QVERIFY2(said.contains(says), said);
    }

    void csvHeadersAreKnownOnlyExactly()
    {
        QTemporaryDir dir;
        write(dir, "mmlu/test/anatomy_test.csv", "question,A,B,C,D,answer\nq,a,b,c,d,2\n");
        const TaskSet set = *run(dir, "mmlu_anatomy");
        QCOMPARE(set.examples.size(), std::size_t{1});
        QCOMPARE(set.examples[0].gold, 2);
        QCOMPARE(set.examples[0].row, 0);
    }

    void hubLayoutsGiveTheSameRequests()
    {
        QTemporaryDir original, hub;
        write(original, "arc_easy/ARC-Easy-Test.jsonl", kArcRow);
        write(hub, "arc_easy/test.jsonl",
              R"({"id":"1","question":"Q?","choices":{"text":["x","y","z"],"label":["A","B","C"]},"answerKey":"B"})");
        QCOMPARE(contentHash(run(original, "arc_easy")->examples[0]), contentHash(run(hub, "arc_easy")->examples[0]));
        QCOMPARE(run(hub, "arc_easy")->report.layout, Layout::HuggingFace);

        write(original, "piqa/valid.jsonl", R"({"goal":"g","sol1":"a","sol2":"b"})");
        write(original, "piqa/valid-labels.lst", "1\n");
        write(hub, "piqa/validation.csv", "goal,sol1,sol2,label\ng,a,b,1\n");
        QCOMPARE(contentHash(run(original, "piqa")->examples[0]), contentHash(run(hub, "piqa")->examples[0]));

        write(original, "mmlu/test/anatomy_test.csv", "q,a,b,c,d,C\n");
        write(hub, "mmlu/test.jsonl",
              R"({"question":"q","subject":"anatomy","choices":["a","b","c","d"],"answer":2})"
              "\n"
              R"({"question":"r","subject":"virology","choices":["a","b","c","d"],"answer":0})");
        QCOMPARE(contentHash(run(original, "mmlu_anatomy")->examples[0]),
                 contentHash(run(hub, "mmlu_anatomy")->examples[0]));
        QCOMPARE(run(hub, "mmlu")->leaves.size(), std::size_t{2});

        write(original, "bbh/snarks.json",
              R"j({"canary":"x","examples":[{"input":"Which?\nOptions:\n(A) a\n(B) b","target":"(B)"}]})j");
        write(hub, "bbh/snarks.jsonl", R"j({"input":"Which?\nOptions:\n(A) a\n(B) b","target":"(B)"})j");
        for (const QTemporaryDir* dir : {&original, &hub})
            write(*dir, "bbh/cot-prompts/snarks.txt", "x\n-----\nD.\n\nQ: i\nA: a is b.\n");
        QCOMPARE(contentHash(run(original, "bbh_cot_fewshot_snarks")->examples[0]),
                 contentHash(run(hub, "bbh_cot_fewshot_snarks")->examples[0]));

        write(
            hub, "hellaswag/validation.json",
            R"([{"activity_label":"A","ctx_a":"b.","ctx_b":"then, the NBA","endings":["[title] d","e","f","g"],"label":"3"}])");
        const Example swag = run(hub, "hellaswag")->examples[0];
        QCOMPARE(swag.context, std::string("A: b. Then, the nba"));
        QCOMPARE(swag.continuations[0], std::string("  d"));
        QCOMPARE(swag.normLengths[0], 2);
    }

    void subjectsMustBeKnown()
    {
        QTemporaryDir dir;
        const std::string row = R"({"question":"q","choices":["a","b","c","d"],"answer":2,"subject":"SUBJECT"})";
        const auto of = [&](const char* subject) {
            return std::string(row).replace(row.find("SUBJECT"), 7, subject) + "\n";
        };
        write(dir, "mmlu/test.jsonl", of("virology") + of("alchemy"));
        QCOMPARE(run(dir, "mmlu")->report.rejected.front().code, std::string("unknown_subject"));
        write(dir, "mmlu/test.jsonl", of("alchemy"));
        QVERIFY(run(dir, "mmlu").error().message.find("alchemy") != std::string::npos);
    }

    void deepNestingIsRefused()
    {
        QTemporaryDir dir;
        write(dir, "gsm8k/test.jsonl",
              std::string("{\"question\":\"q [[[\",\"answer\":\"#### 1\"}\n{\"question\":") + std::string(200000, '['));
        const TaskSet set = *run(dir, "gsm8k");
        QCOMPARE(set.examples.size(), std::size_t{1});
        QVERIFY(set.report.rejected.front().reason.find("nested") != std::string::npos);
    }

    void labelFilesMustFit()
    {
        QTemporaryDir dir;
        write(dir, "piqa/valid.jsonl", R"({"goal":"g","sol1":"a","sol2":"b"})");
        QVERIFY(run(dir, "piqa").error().message.find("unlabelled") != std::string::npos);
        write(dir, "piqa/valid-labels.lst", "1\n0\n");
        QVERIFY(run(dir, "piqa").error().message.find("count_mismatch") != std::string::npos);
        write(dir, "winogrande/dev.jsonl",
              R"({"sentence":"a _ b","option1":"x","option2":"y","answer":"1"})"
              "\n"
              R"({"sentence":"a _ c","option1":"x","option2":"y","answer":"1"})");
        write(dir, "winogrande/dev-labels.lst", "1\n2\n");
        QCOMPARE(run(dir, "winogrande")->report.rejected.front().code, std::string("bad_label"));
    }

    void linesEndAtLineFeedsOnly()
    {
        QTemporaryDir dir;
        write(dir, "lambada/lambada_test.jsonl", "{\"text\":\"a\u2028b c\u0085d\"}\r\n{\"text\":\"e \\n f\"}");
        const TaskSet set = *run(dir, "lambada_openai");
        QCOMPARE(set.examples.size(), std::size_t{2});
        QCOMPARE(set.examples[0].continuations[0], std::string(" c\u0085d"));
        QCOMPARE(set.examples[1].context, std::string("e \n"));
    }

    void filesThatAreNotData()
    {
        QTemporaryDir dir;
        write(dir, "gsm8k/test.jsonl", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
        QVERIFY(run(dir, "gsm8k").error().message.find("Git LFS pointer") != std::string::npos);
        write(dir, "openbookqa/test-00000-of-00001.parquet", "PAR1");
        const std::string parquet = run(dir, "openbookqa").error().message;
        QCOMPARE(QString::fromStdString(parquet),
                 QStringLiteral("'openbookqa/test-00000-of-00001.parquet' is not a Parquet file, or is truncated."));
        const std::string missing = run(dir, "piqa").error().message;
        QVERIFY2(missing.find("piqa/valid.jsonl") != std::string::npos && missing.find("AFL 3.0") != std::string::npos,
                 missing.c_str());
        write(dir, "bbh/snarks.json", R"({"canary":"x"})");
        write(dir, "bbh/cot-prompts/snarks.txt", "x\n-----\nD.\n\nQ: i\nA: a\n");
        QVERIFY(run(dir, "bbh_zeroshot_snarks").error().message.find("'examples'") != std::string::npos);
        TaskOptions nowhere;
        nowhere.dataFolder = "/nonexistent";
        QVERIFY(makeTask("piqa", nowhere).error().message.find("does not exist") != std::string::npos);
    }

    void shotsThatAreMissingAreAnError()
    {
        QTemporaryDir dir;
        write(dir, "mmlu/test/anatomy_test.csv", "q,a,b,c,d,C\n");
        QVERIFY(run(dir, "mmlu_anatomy", 5).error().message.find("anatomy_dev.csv") != std::string::npos);
        write(dir, "mmlu/dev/anatomy_dev.csv", "q,a,b,c,d,C\n");
        QVERIFY(run(dir, "mmlu_anatomy", 5).error().message.find("needs 5 rows") != std::string::npos);
        write(dir, "bbh/navigate.json", R"({"examples":[{"input":"i","target":"Yes"}]})");
        QVERIFY(run(dir, "bbh_fewshot_navigate", 3).error().message.find("cot-prompts/navigate.txt")
                != std::string::npos);
        write(dir, "bbh/cot-prompts/navigate.txt", "no rule");
        QVERIFY(run(dir, "bbh_fewshot_navigate", 3).error().message.find("-----") != std::string::npos);
        write(dir, "gsm8k/test.jsonl", R"({"question":"q","answer":"#### 1"})");
        QVERIFY(run(dir, "gsm8k", 5).error().message.find("train split") != std::string::npos);
    }

    void warnsAndKeeps()
    {
        QTemporaryDir dir;
        write(dir, "mmlu/test/anatomy_test.csv", "q,a,a,c,d,C\n");
        QVERIFY(run(dir, "mmlu_anatomy")->report.warnings.front().reason.find("equal") != std::string::npos);
        write(dir, "arc_easy/ARC-Easy-Test.jsonl", std::string(kArcRow) + "\n" + kArcRow);
        const TaskSet twice = *run(dir, "arc_easy");
        QCOMPARE(twice.examples.size(), std::size_t{2});
        QCOMPARE(twice.report.warnings.front().code, std::string("duplicate_id"));
        write(dir, "swde/validation.jsonl", R"({"text":"page price:","key":"price","value":"9"})");
        QVERIFY(run(dir, "swde")->report.warnings.front().reason.find("does not occur") != std::string::npos);
        write(dir, "winogrande/dev.jsonl", R"({"sentence":"a _ b _","option1":"x","option2":"y","answer":"1"})");
        QVERIFY(run(dir, "winogrande")->report.warnings.front().reason.find("more than one blank")
                != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestTasksImport)
#include "tst_tasksimport.moc"
