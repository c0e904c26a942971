// SPDX-License-Identifier: GPL-3.0-or-later
// A person's table becomes a task: what columns mean is guessed, a row is read so, and the task file runs.

#include "core/tasks/import/questiontable.h"
#include "core/tasks/registry.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::tasks;
using namespace Qt::StringLiterals;

namespace {

constexpr const char* kCsv = "question,A,B,C,answer\n"
                             "\"Which is red, or\nnearly?\",grass,blood,sky,B\n"
                             "Which is a bird?,owl,cow,cod,A\n"
                             "Which swims?,owl,cow,cod,E\n";
constexpr const char* kLists = R"({"q": "2+2", "options": ["3", "4"], "label": 2}
{"q": "1+2", "options": ["3", "5"], "label": 1}
)";
constexpr const char* kArc = R"({"stem": "Hot?", "choices": {"text": ["ice", "fire"], "label": ["A", "B"]}, "key": "B"}
)";

/// Of columns q, A, B, right.
TableMeaning questionsOf(const Table& table)
{
    return {.name = "t",
            .prompt = "{{q}}",
            .choices = {"A", "B"},
            .answer = "right",
            .form = table.guess("right", {"A", "B"})};
}

} // namespace

class TestTables : public QObject
{
    Q_OBJECT

private:
    [[nodiscard]] std::filesystem::path file(const char* name, const QByteArray& text) const
    {
        QFile out(m_folder.filePath(QString::fromUtf8(name)));
        if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size())
            return {};
        out.close();
        return out.fileName().toStdString();
    }
    [[nodiscard]] Result<TaskSet> run(const TableTask& task) const
    {
        return makeTask(file("made.json", QByteArray::fromStdString(task.json)).string(), {});
    }
    QTemporaryDir m_folder;

private Q_SLOTS:
    void csvWithLetters()
    {
        const auto table = Table::read(file("a.csv", kCsv));
        QVERIFY2(table.has_value(), table.has_value() ? "" : table.error().message.c_str());
        QCOMPARE(table->columns(), (std::vector<std::string>{"question", "A", "B", "C", "answer"}));
        QCOMPARE(table->rowCount(), 3);
        const TableMeaning meaning{.name = "mine",
                                   .prompt = "Q: {{question}}\nA:",
                                   .choices = {"A", "B", "C"},
                                   .answer = "answer",
                                   .form = table->guess("answer", {"A", "B", "C"})};
        QCOMPARE(meaning.form, AnswerForm::Letter);
        const auto row = table->row(0, meaning);
        QCOMPARE(row->prompt, std::string("Q: Which is red, or\nnearly?\nA:"));
        QCOMPARE(row->gold, 1);
        QCOMPARE(row->answer, std::string("blood"));
        const auto task = table->task(meaning);
        QCOMPARE(task->rows, 2);
        QCOMPARE(task->refused, 1); // there is no option E
        QCOMPARE(task->firstRefusal, std::string("Row 3: the answer 'E' names none of its 3 options."));
        const auto set = run(*task);
        QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
        QCOMPARE(set->leaves.front().name, std::string("mine"));
        QCOMPARE(set->chanceOf(set->leaves.front()), 1.0 / 3);
        QCOMPARE(set->examples[1].gold, 0);
        QCOMPARE(set->examples[1].continuations, (std::vector<std::string>{" owl", " cow", " cod"}));
    }

    // As the window proposes it and the command line reads it.
    void theLikelyMeaningIsATask_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("prompt");
        QTest::addColumn<QByteArray>("answer");
        QTest::newRow("letters") << QByteArray("own.csv") << QByteArray(kCsv)
                                 << QByteArray("Question: {{question}}\nAnswer:") << QByteArray("answer");
        QTest::newRow("a list") << QByteArray("own.jsonl") << QByteArray(kLists)
                                << QByteArray("Question: {{q}}\nAnswer:") << QByteArray("label");
        QTest::newRow("ARC") << QByteArray("own.jsonl") << QByteArray(kArc) << QByteArray("Question: {{stem}}\nAnswer:")
                             << QByteArray("key");
        QTest::newRow("a list called answers")
            << QByteArray("own.jsonl") << QByteArray(R"({"answers": ["x", "y"], "gold": 1, "input": "?"})")
            << QByteArray("Question: {{input}}\nAnswer:") << QByteArray("gold");
        QTest::newRow("no options") << QByteArray("own.tsv") << QByteArray("text\tlast\nThe dog chased the\tcat\n")
                                    << QByteArray("{{text}}") << QByteArray("last");
        QTest::newRow("other words") << QByteArray("own.csv") << QByteArray("a1;b1\nuno;due\n") << QByteArray("{{a1}}")
                                     << QByteArray("b1");
        QTest::newRow("upper case") << QByteArray("own.CSV") << QByteArray("Prompt,Target\nHello,you\n")
                                    << QByteArray("{{Prompt}}") << QByteArray("Target");
    }
    void theLikelyMeaningIsATask()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, prompt);
        QFETCH(QByteArray, answer);
        const auto path = file(name.constData(), text);
        const auto table = Table::read(path);
        QVERIFY2(table.has_value(), table.has_value() ? "" : table.error().message.c_str());
        const TableMeaning meaning = table->likelyMeaning("own");
        QCOMPARE(QByteArray::fromStdString(meaning.prompt), prompt);
        QCOMPARE(QByteArray::fromStdString(meaning.answer), answer);
        const auto task = table->task(meaning);
        QVERIFY2(task.has_value(), task.has_value() ? "" : task.error().message.c_str());
        const auto kept = run(*task), read = makeTask(path.string(), {});
        QVERIFY2(kept.has_value(), kept.has_value() ? "" : kept.error().message.c_str());
        QVERIFY2(read.has_value(), read.has_value() ? "" : read.error().message.c_str());
        QVERIFY(isTaskFile(path.string()));
        // What the window keeps and what the command line reads are one task.
        QCOMPARE(read->leaves.front().name, std::string("own"));
        QCOMPARE(read->leaves.front().rowSource, kept->leaves.front().rowSource);
        QCOMPARE(read->examples.size(), kept->examples.size());
        for (std::size_t i = 0; i < kept->examples.size(); ++i)
            QCOMPARE(contentHash(read->examples[i]), contentHash(kept->examples[i]));
        QVERIFY(QString::fromStdString(read->notes.front()).contains(QString::fromUtf8(answer)));
    }

    void aTableThatFitsNothingIsASentence()
    {
        const auto read = makeTask(file("own.csv", "question,A,B,answer\nWhich?,x,y,Z\n").string(), {});
        QVERIFY(!read.has_value());
        const QString said = QString::fromStdString(read.error().message);
        QVERIFY2(said.contains(u"'own.csv' was read as a table"_s) && said.contains(u"the options are in 'A', 'B'"_s)
                     && said.contains(u"'Z' names none"_s),
                 qPrintable(said));
    }

    void formsOfAnswers_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("options");
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<int>("form");
        QTest::addColumn<int>("gold");
        const auto row = [](const char* name, const char* text, const char* options, const char* answer,
                            AnswerForm form, int gold) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(options) << QByteArray(answer)
                                << static_cast<int>(form) << gold;
        };
        row("a list, counted from one", kLists, "options", "label", AnswerForm::FromOne, 1);
        row("an object with a list", kArc, "choices", "key", AnswerForm::Letter, 1);
        row("from zero", R"({"q":"x","o":["a","b"],"k":0})", "o", "k", AnswerForm::FromZero, 0);
        row("numbers that are options", R"({"q":"x","o":["7","12"],"k":12})", "o", "k", AnswerForm::Text, 1);
        row("text", R"({"q":"x","o":["a","b"],"k":"b"})", "o", "k", AnswerForm::Text, 1);
        row("options that are small numbers", R"({"q":"x","o":["1","0"],"k":0})", "o", "k", AnswerForm::Text, 1);
    }

    void formsOfAnswers()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, options);
        QFETCH(QByteArray, answer);
        QFETCH(int, form);
        QFETCH(int, gold);
        const auto table = Table::read(file("a.jsonl", text));
        QVERIFY(table.has_value());
        QVERIFY(table->isList(options.toStdString()));
        const AnswerForm guessed = table->guess(answer.toStdString(), {options.toStdString()});
        QCOMPARE(static_cast<int>(guessed), form);
        const auto row = table->row(0, {.name = "t",
                                        .prompt = "?",
                                        .choices = {options.toStdString()},
                                        .answer = answer.toStdString(),
                                        .form = guessed});
        QVERIFY2(row.has_value(), row.has_value() ? "" : row.error().message.c_str());
        QCOMPARE(row->gold, gold);
    }

    // As spreadsheets of other countries write it, with a line in it that was emptied.
    void separatorsAndEmptyLines_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("commas") << QByteArray("a.csv") << QByteArray("q,A,B,right\n,,,\nx,1,2,B\ny,3,\"4,5\",b\n");
        QTest::newRow("semicolons") << QByteArray("a.csv")
                                    << QByteArray("\xEF\xBB\xBFq;A;B;right\r\nx;1;2;B\r\n;;;\r\ny;3;4,5;b\r\n");
        QTest::newRow("tabs") << QByteArray("a.tsv")
                              << QByteArray("q\tA\tB\tright\nx\t1\t2\tB\ny\t3\t4,5\tb\n\t\t\t\n");
    }

    void separatorsAndEmptyLines()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, text);
        const auto table = Table::read(file(name.constData(), text));
        QVERIFY2(table.has_value(), table.has_value() ? "" : table.error().message.c_str());
        QCOMPARE(table->columns(), (std::vector<std::string>{"q", "A", "B", "right"}));
        QCOMPARE(table->rowCount(), 2);
        const TableMeaning meaning = questionsOf(*table);
        QCOMPARE(meaning.form, AnswerForm::Letter);
        const TableFit fit = table->fit(meaning, 100);
        QCOMPARE(fit.usable, 2);
        QCOMPARE(fit.refusal, std::string());
        QCOMPARE(table->row(1, meaning)->answer, std::string("4,5"));
    }

    // An answer counts the columns, whether a cell is empty or not.
    void emptyOptionsKeepTheirPlaces_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("answers"); // of the rows; empty: the row is refused
        QTest::newRow("letters") << QByteArray("a.csv")
                                 << QByteArray("question,A,B,C,D,answer\nred?,sky,,rose,grass,C\n"
                                               "none?,sky,,rose,grass,B\ngreen?,sky,coal,rose,grass,D\n")
                                 << QByteArray("rose,,grass");
        QTest::newRow("a list") << QByteArray("a.jsonl")
                                << QByteArray(R"({"question": "1", "choices": ["x", "", "y", "z"], "answer": 2}
{"question": "2", "choices": ["x", "w", "y", "z"], "answer": 0}
)") << QByteArray("y,x");
        QByteArray many;
        for (const char* answer : {"2", "9", "10", "1"})
            many +=
                QByteArray(R"({"question": "?", "option1": "t1", "option2": "t2", "option3": "t3", "option4": "t4",)")
                + R"("option5": "t5", "option6": "t6", "option7": "t7", "option8": "t8", "option9": "t9",)"
                + R"("option10": "t10", "answer": )" + answer + "}\n";
        QTest::newRow("ten options") << QByteArray("a.jsonl") << many << QByteArray("t2,t9,t10,t1");
        QTest::newRow("an option of a later row")
            << QByteArray("a.jsonl") << QByteArray(R"({"question": "1", "A": "x", "C": "z", "answer": "C"}
{"question": "2", "A": "x", "B": "y", "C": "z", "answer": "B"}
)") << QByteArray("z,y");
    }

    void emptyOptionsKeepTheirPlaces()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, answers);
        const auto table = Table::read(file(name.constData(), text));
        QVERIFY(table.has_value());
        const TableMeaning meaning = table->likelyMeaning("t");
        const QList<QByteArray> expected = answers.split(',');
        QCOMPARE(static_cast<qsizetype>(table->rowCount()), expected.size());
        for (int i = 0; i < table->rowCount(); ++i) {
            const auto row = table->row(i, meaning);
            QCOMPARE(QByteArray::fromStdString(row.has_value() ? row->answer : std::string()), expected[i]);
            if (row.has_value())
                QCOMPARE(row->choices[static_cast<std::size_t>(row->gold)], row->answer);
        }
    }

    // What cannot be read is counted and named, and the guess is made from what can.
    void rowsThatAreLeftOutAreCounted()
    {
        const auto table = Table::read(file("a.csv", "q,A,B,right\n,1,2,none of them\nx,1,2,B\ny,3,4,5,B\nz,1,2,A\n"));
        QCOMPARE(table->rowCount(), 3); // one has too many cells
        const TableMeaning meaning = questionsOf(*table);
        QCOMPARE(meaning.form, AnswerForm::Letter);
        const TableFit fit = table->fit(meaning, 100);
        QCOMPARE(fit.looked, 3);
        QCOMPARE(fit.usable, 2);
        QCOMPARE(fit.first, 1);
        QVERIFY2(fit.refusal.starts_with("Line 4 has 5 cells"), fit.refusal.c_str());
        const auto task = table->task(meaning);
        QCOMPARE(task->rows, 2);
        QCOMPARE(task->refused, 2);
        const auto lines = Table::read(file("a.jsonl", "{\"q\": 1}\n{broken\n{\"q\": 2, \"late\": 3}\n"));
        QCOMPARE(lines->columns(), (std::vector<std::string>{"q", "late"}));
        QVERIFY(lines->fit({.prompt = "{{q}}", .answer = "q"}, 10).refusal.find("line 2") != std::string::npos);
    }

    void eachColumnHasANameThatATemplateTakes()
    {
        const auto table = Table::read(file("a.csv", "No.,option,option,,a {{b}}|c,right answer?\nx,1,2,3,4,5\n"));
        QCOMPARE(table->columns(),
                 (std::vector<std::string>{"No_", "option", "option (2)", "column 4", "a __b___c", "right answer?"}));
        for (const std::string& column : table->columns())
            QVERIFY(table->row(0, {.scoring = Scoring::LogLikelihood, .prompt = "{{" + column + "}}", .answer = "No_"})
                        .has_value());
        QCOMPARE(
            table->row(0, {.scoring = Scoring::LogLikelihood, .prompt = "{{option (2)}}", .answer = "No_"})->prompt,
            std::string("2"));
    }

    void answersWithoutOptions_data()
    {
        QTest::addColumn<int>("scoring");
        QTest::newRow("continued") << static_cast<int>(Scoring::LogLikelihood);
        QTest::newRow("written") << static_cast<int>(Scoring::Generation);
    }

    void answersWithoutOptions()
    {
        QFETCH(int, scoring);
        const auto table = Table::read(file("a.csv", "text,last\nThe dog chased the,cat\n"));
        const auto task = table->task(
            {.name = "words", .scoring = static_cast<Scoring>(scoring), .prompt = "{{text}}", .answer = "last"});
        const auto set = run(*task);
        QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
        QCOMPARE(set->examples.front().context, std::string("The dog chased the"));
        QCOMPARE(static_cast<int>(set->leaves.front().scoring), scoring);
    }

    void everyEncodingOfSpreadsheets_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("encoding");
        const QString table = u"Wort;Antwort\nGrün – 5 €;ja\n"_s;
        QTest::newRow("UTF-8") << table.toUtf8() << static_cast<int>(Encoding::Utf8);
        QTest::newRow("UTF-8 with a mark") << "\xEF\xBB\xBF" + table.toUtf8() << static_cast<int>(Encoding::Utf8);
        QByteArray little("\xFF\xFE"), big("\xFE\xFF"), western;
        for (const QChar c : table) {
            little += static_cast<char>(c.cell());
            little += static_cast<char>(c.row());
            big += static_cast<char>(c.row());
            big += static_cast<char>(c.cell());
            western += c == u'–' ? '\x96' : c == u'€' ? '\x80' : static_cast<char>(c.cell());
        }
        QTest::newRow("UTF-16") << little << static_cast<int>(Encoding::Utf16);
        QTest::newRow("UTF-16, other order") << big << static_cast<int>(Encoding::Utf16);
        QTest::newRow("Windows-1252") << western << static_cast<int>(Encoding::Windows1252);
    }

    void everyEncodingOfSpreadsheets()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, encoding);
        const auto table = Table::read(file("a.csv", text));
        QVERIFY2(table.has_value(), table.has_value() ? "" : table.error().message.c_str());
        QCOMPARE(static_cast<int>(table->encoding()), encoding);
        QCOMPARE(table->columns(), (std::vector<std::string>{"Wort", "Antwort"}));
        const auto row =
            table->row(0, {.name = "t", .scoring = Scoring::LogLikelihood, .prompt = "{{Wort}}", .answer = "Antwort"});
        QVERIFY(row.has_value());
        QCOMPARE(QString::fromStdString(row->prompt), u"Grün – 5 €"_s);
    }

    void mistakesAreSentences_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("empty") << QByteArray("a.csv") << QByteArray() << QByteArray("has no row");
        QTest::newRow("header alone") << QByteArray("a.csv") << QByteArray("a,b\n") << QByteArray("has no row");
        QTest::newRow("not JSON") << QByteArray("a.jsonl") << QByteArray("hello\n") << QByteArray("has no row");
        QTest::newRow("other form") << QByteArray("a.txt") << QByteArray("a,b\n1,2\n") << QByteArray("expected .csv");
        QTest::newRow("UTF-16, cut") << QByteArray("a.csv")
                                     << QByteArray("\xFF\xFE"
                                                   "a\0,\0b",
                                                   7)
                                     << QByteArray("Not a text in the encoding");
        QTest::newRow("UTF-16, half a pair") << QByteArray("a.csv")
                                             << QByteArray("\xFF\xFE"
                                                           "a\0\0\xD8\n\0",
                                                           8)
                                             << QByteArray("Not a text in the encoding");
        QTest::newRow("UTF-16 without a mark")
            << QByteArray("a.csv") << QByteArray("a\0,\0b\0\n\0", 8) << QByteArray("contains NUL bytes");
        QTest::newRow("a picture") << QByteArray("a.csv") << QByteArray("\x89PNG\r\n\x1a\n\0\0\0\x0d", 12)
                                   << QByteArray("contains NUL bytes");
        QTest::newRow("too many columns") << QByteArray("a.csv") << QByteArray(1500, ',') + "x\ny\n"
                                          << QByteArray("more than 1000 columns");
    }

    void mistakesAreSentences()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, expected);
        const auto table = Table::read(file(name.constData(), text));
        QVERIFY(!table.has_value());
        QVERIFY2(table.error().message.find(expected.toStdString()) != std::string::npos,
                 table.error().message.c_str());
    }

    void meaningsThatDoNotFit_data()
    {
        QTest::addColumn<QByteArray>("prompt");
        QTest::addColumn<QByteArray>("choice");
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("expected");
        const QByteArray prompt = "{{question}}", options = "A", answer = "answer";
        QTest::newRow("no such column") << QByteArray("{{queston}}") << options << answer << QByteArray("queston");
        QTest::newRow("open place") << QByteArray("{{question") << options << answer << QByteArray("}}");
        QTest::newRow("nothing") << QByteArray(" ") << options << answer << QByteArray("prompt is empty");
        QTest::newRow("one option") << prompt << options << answer << QByteArray("fewer than two options");
        QTest::newRow("no answer") << prompt << options << QByteArray("none") << QByteArray("no answer");
    }

    void meaningsThatDoNotFit()
    {
        QFETCH(QByteArray, prompt);
        QFETCH(QByteArray, choice);
        QFETCH(QByteArray, answer);
        QFETCH(QByteArray, expected);
        const auto table = Table::read(file("a.csv", kCsv));
        const auto row = table->row(0, {.name = "t",
                                        .prompt = prompt.toStdString(),
                                        .choices = {choice.toStdString()},
                                        .answer = answer.toStdString()});
        QVERIFY(!row.has_value());
        QVERIFY2(row.error().message.find(expected.toStdString()) != std::string::npos, row.error().message.c_str());
    }
};

QTEST_APPLESS_MAIN(TestTables)
#include "tst_tables.moc"
