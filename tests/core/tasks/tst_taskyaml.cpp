// SPDX-License-Identifier: GPL-3.0-or-later
// Task files in the reference harness's YAML: what is plain asks the same as its JSON, and what is code is refused with
// its line.
#include "core/tasks/filters.h"
#include "core/tasks/import/yaml.h"
#include "core/tasks/python/pyrandom.h"
#include "core/tasks/registry.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <numeric>

using namespace headscope;
using namespace headscope::tasks;
using namespace Qt::StringLiterals;

class TestTaskYaml : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        write(u"rows.jsonl"_s, R"({"question": "One?", "choices": {"text": ["a", "b"]}, "label": 1}
{"question": "Two?", "choices": {"text": ["c", "d"]}, "label": 0}
)");
    }
    void asksLikeTheJsonFile();
    void readsFoldedTextAndLists();
    void readsTextsThatAreGenerated();
    void scoresATargetAsItIs();
    void stopsWhereTheHarnessDoes_data();
    void stopsWhereTheHarnessDoes();
    void typesOfTargetsDecide_data();
    void typesOfTargetsDecide();
    void numbersOfChoicesAreGeneratedAsTheirText();
    void columnsHaveNamesOfAnyScript();
    void shotsOfTheEvaluatedSplitLeaveTheRowOut_data();
    void shotsOfTheEvaluatedSplitLeaveTheRowOut();
    void noShotsStayNone();
    void answersWithoutAMatchAreTheFallback();
    void typesAsPyYamlDoes_data();
    void typesAsPyYamlDoes();
    void refusesWhatIsCode_data();
    void refusesWhatIsCode();

private:
    QString write(const QString& name, const QByteArray& text)
    {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName() : QString();
    }
    Result<TaskSet> made(const QByteArray& yaml, const TaskOptions& options = {})
    {
        return makeTask(write(u"task.yaml"_s, yaml).toStdString(), options);
    }

    QTemporaryDir m_folder;
};

void TestTaskYaml::asksLikeTheJsonFile()
{
    const auto yaml = made(R"(# A config as the harness has them.
task: own
tag:
  - a_group
dataset_path: json
dataset_kwargs:
  data_files: {validation: rows.jsonl}
output_type: multiple_choice
validation_split: validation
description: "Questions.\n\n"   # with line ends
doc_to_text: "Question: {{question | strip}}\nAnswer:"
doc_to_choice: "{{choices.text}}"
doc_to_target: label
should_decontaminate: true
doc_to_decontamination_query: question
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
)");
    QVERIFY2(yaml.has_value(), yaml.has_value() ? "" : yaml.error().message.c_str());
    const QString json = write(u"task.json"_s, R"({"task": "own", "version": "1.0", "data_file": "rows.jsonl",
        "description": "Questions.\n\n", "doc_to_text": "Question: {{question | strip}}\nAnswer:",
        "doc_to_choice": "{{choices.text}}", "doc_to_target": "{{label}}", "metric_list": ["acc", "acc_norm"]})");
    const auto plain = makeTask(json.toStdString(), {});
    QVERIFY(plain.has_value());
    QCOMPARE(yaml->examples.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(yaml->examples[i].context, plain->examples[i].context);
        QCOMPARE(yaml->examples[i].continuations, plain->examples[i].continuations);
        QCOMPARE(yaml->examples[i].gold, plain->examples[i].gold);
    }
    QCOMPARE(yaml->examples[0].gold, 1);
    QCOMPARE(yaml->leaves.front().name, std::string("own"));
    QCOMPARE(yaml->leaves.front().version, std::string("1.0"));
    QCOMPARE(yaml->leaves.front().metrics.size(), std::size_t{2});
}

void TestTaskYaml::readsFoldedTextAndLists()
{
    const auto set = made(R"(---
task: 'it''s'
data_file: rows.jsonl
doc_to_text: |-
  First line.
    {{question}}

  Last line:
doc_to_choice: [ "yes",
  'no' ]
doc_to_target: 0
target_delimiter: ""
description: >
  One sentence
  on two lines.

  Another.
metric_list:
- metric: acc
)");
    QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
    QCOMPARE(set->leaves.front().name, std::string("it's"));
    QCOMPARE(set->examples[0].context,
             std::string("One sentence on two lines.\nAnother.\nFirst line.\n  One?\n\nLast line:"));
    QCOMPARE(set->examples[0].continuations, (std::vector<std::string>{"yes", "no"}));
    QCOMPARE(set->examples[1].gold, 0);
}

void TestTaskYaml::readsTextsThatAreGenerated()
{
    const auto set = made(R"y(task: numbers
data_file: rows.jsonl
output_type: generate_until
doc_to_text: question
doc_to_target: "{{label}}"
generation_kwargs:
  until:
    - "\n\n"
    - "Q:"
  do_sample: false
  temperature: 0.0
  max_gen_toks: 7
filter_list:
  - name: strict
    filter:
      - function: regex
        regex_pattern: "(-?[0-9]+)"
        group_select: -1
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
    ignore_case: true
)y");
    QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
    QCOMPARE(set->examples[0].context, std::string("One?"));
    QCOMPARE(set->examples[0].until, (std::vector<std::string>{"\n\n", "Q:"}));
    QCOMPARE(set->examples[0].maxNewTokens, 7);
    const Metric& metric = set->leaves.front().metrics.front();
    QCOMPARE(metric.filter, std::string("strict"));
    QCOMPARE(metric.extraction.pattern, std::string("(-?[0-9]+)"));
    QVERIFY(metric.extraction.last && metric.ignoreCase);
}

void TestTaskYaml::scoresATargetAsItIs()
{
    write(u"words.jsonl"_s, R"({"q": "Two and three are", "word": "five", "flag": true})");
    const QByteArray head =
        "task: t\noutput_type: loglikelihood\ndata_file: words.jsonl\nmetric_list: [{metric: acc}]\n";
    const auto continuation = [&](const QByteArray& lines) {
        const auto set = made(head + lines);
        return set.has_value() ? set->examples.front().continuations.front() : set.error().message;
    };
    QCOMPARE(continuation("doc_to_text: q\ndoc_to_target: word\n"), std::string("five"));
    QCOMPARE(continuation("doc_to_text: q\ndoc_to_target: ' {{word}}'\n"), std::string(" five"));
    const auto shots = made(head
                            + "doc_to_text: q\ndoc_to_target: word\nnum_fewshot: 1\n"
                              "fewshot_rows: [{q: One and one are, word: two}]\n");
    QVERIFY2(shots.has_value(), shots.has_value() ? "" : shots.error().message.c_str());
    QCOMPARE(shots->examples.front().context, std::string("One and one are two\n\nTwo and three are"));
    QCOMPARE(made(head + "doc_to_text: 'It is {{flag}}:'\ndoc_to_target: word\n")->examples.front().context,
             std::string("It is True:"));

    const QString json = write(u"task.json"_s, R"({"task": "t", "output_type": "loglikelihood", "doc_to_text": "{{q}}",
        "data_file": "words.jsonl", "doc_to_target": "{{word}}", "metric_list": ["acc"]})");
    QCOMPARE(makeTask(json.toStdString(), {})->examples.front().continuations.front(), std::string(" five"));
}

void TestTaskYaml::stopsWhereTheHarnessDoes_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("nothing said") << QByteArray();
    QTest::newRow("another setting") << QByteArray("generation_kwargs: {max_gen_toks: 256}\n");
}

void TestTaskYaml::stopsWhereTheHarnessDoes()
{
    QFETCH(QByteArray, line);
    const QByteArray head = "task: t\noutput_type: generate_until\ndata_file: rows.jsonl\ndoc_to_text: question\n"
                            "doc_to_target: label\nmetric_list: [{metric: exact_match}]\n";
    const auto set = made(head + line), endless = made(head + "generation_kwargs: {until: []}\n");
    QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
    QCOMPARE(set->examples.front().until, std::vector<std::string>{"\n\n"});
    QVERIFY(endless->examples.front().until.empty());
    QVERIFY(contentHash(set->examples.front()) != contentHash(endless->examples.front()));
    QVERIFY(set->leaves.front().rowSource != endless->leaves.front().rowSource);
}

void TestTaskYaml::typesOfTargetsDecide_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("rows");
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<int>("gold"); // of the choices 3, 2, 1, 0
    const QString lines = u"typed.jsonl"_s, csv = u"typed.csv"_s;
    QTest::newRow("text of digits") << lines << QByteArray(R"({"answer": "2"})") << QByteArray("answer") << 1;
    QTest::newRow("number") << lines << QByteArray(R"({"answer": 2})") << QByteArray("answer") << 2;
    QTest::newRow("truth") << lines << QByteArray(R"({"answer": true})") << QByteArray("answer") << 1;
    QTest::newRow("digits of a template")
        << lines << QByteArray(R"({"answer": "2"})") << QByteArray("'{{answer}}'") << 2;
    QTest::newRow("number in the config") << lines << QByteArray(R"({"answer": "2"})") << QByteArray("3") << 3;
    QTest::newRow("table of numbers") << csv << QByteArray("x,answer\n,2\n,3\n") << QByteArray("answer") << 2;
    QTest::newRow("table of texts") << csv << QByteArray("x,answer\n,2\n,three\n") << QByteArray("answer") << 1;
}

void TestTaskYaml::typesOfTargetsDecide()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, rows);
    QFETCH(QByteArray, target);
    QFETCH(int, gold);
    write(name, rows);
    const QByteArray text = "task: t\ndoc_to_text: 'Q:'\ndoc_to_target: " + target
                            + "\ndoc_to_choice: ['3', '2', '1', '0']\nmetric_list: [{metric: acc}]\n";
    const auto set = made(text + "data_file: " + name.toUtf8() + '\n');
    QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
    QCOMPARE(set->examples.front().gold, gold);
    if (name.endsWith(u"csv")) // an example's column has the type of the evaluated one, here of the config's rows
        return;
    const auto shots = made(text + "rows: [{answer: 0}]\nnum_fewshot: 1\nfewshot_file: " + name.toUtf8() + '\n');
    QVERIFY2(shots.has_value(), shots.has_value() ? "" : shots.error().message.c_str());
    QCOMPARE(shots->examples.front().context, "Q: " + std::to_string(3 - gold) + "\n\nQ:");
}

void TestTaskYaml::numbersOfChoicesAreGeneratedAsTheirText()
{
    write(u"gold.jsonl"_s, "{\"q\": \"2+3?\", \"gold\": 1}\n{\"q\": \"1+1?\", \"gold\": \"B\"}\n");
    const auto set = made("task: t\noutput_type: generate_until\ndata_file: gold.jsonl\ndoc_to_text: q\n"
                          "doc_to_target: gold\ndoc_to_choice: [A, B, C]\nnum_fewshot: 1\n"
                          "fewshot_rows: [{q: '0+0?', gold: 2}]\nmetric_list: [{metric: exact_match}]\n");
    QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
    QCOMPARE(set->examples.size(), std::size_t{1});
    QCOMPARE(set->examples.front().target, std::string("B"));
    QCOMPARE(set->examples.front().context, std::string("0+0? C\n\n2+3?"));
    QCOMPARE(set->report.rejected.front().reason, std::string("The answer 'B' is not the number of a choice."));
}

void TestTaskYaml::columnsHaveNamesOfAnyScript()
{
    write(u"named.jsonl"_s, R"({"質問": "Two?", "All Options": ["c", "d"], "Answer.Key": "d"})");
    const auto set = made("task: t\ndata_file: named.jsonl\ndoc_to_text: 質問\ndoc_to_choice: All Options\n"
                          "doc_to_target: Answer.Key\nmetric_list: [{metric: acc}]\n");
    QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
    QCOMPARE(set->examples.front().context, std::string("Two?"));
    QCOMPARE(set->examples.front().continuations, (std::vector<std::string>{" c", " d"}));
    QCOMPARE(set->examples.front().gold, 1);
    const auto place = made("task: t\ndata_file: named.jsonl\ndoc_to_text: 'Q: {{質問}}'\ndoc_to_choice: [c, d]\n"
                            "doc_to_target: The answer\nmetric_list: [{metric: acc}]\n");
    QVERIFY(!place.has_value()); // a text, as no column has this name
    QVERIFY2(place.error().message.find("'The answer' is not among") != std::string::npos,
             place.error().message.c_str());
}

void TestTaskYaml::shotsOfTheEvaluatedSplitLeaveTheRowOut_data()
{
    QTest::addColumn<QByteArray>("splits");
    QTest::addColumn<bool>("drawn");
    QTest::addColumn<int>("candidates");
    QTest::addColumn<QByteArray>("questions"); // of the rows that examples are taken from
    QTest::newRow("drawn") << QByteArray("test_split: test\nfewshot_split: test\n") << true << 3 << QByteArray("0123");
    QTest::newRow("first") << QByteArray("test_split: test\nfewshot_split: test\nfewshot_config: {sampler: first_n}\n")
                           << false << 3 << QByteArray("0123");
    QTest::newRow("neither named") << QByteArray("validation_split: test\ntraining_split: train\n") << true << 3
                                   << QByteArray("210");
    QTest::newRow("other split") << QByteArray("test_split: test\nfewshot_split: train\n") << true << 2
                                 << QByteArray("210");
    QTest::newRow("first of another split")
        << QByteArray("test_split: test\nfewshot_split: train\nfewshot_config: {sampler: first_n}\n") << false << 2
        << QByteArray("210");
}

// Two examples for each of four rows, as the harness's samplers choose them.
void TestTaskYaml::shotsOfTheEvaluatedSplitLeaveTheRowOut()
{
    QFETCH(QByteArray, splits);
    QFETCH(bool, drawn);
    QFETCH(int, candidates);
    QFETCH(QByteArray, questions);
    const auto rows = [](const QByteArray& names) {
        QByteArray text;
        for (const char name : names)
            text += QByteArray("{\"q\": \"Q") + name + "\", \"label\": 0}\n";
        return text;
    };
    write(u"four.jsonl"_s, rows("0123"));
    write(u"train.jsonl"_s, rows("210"));
    const auto set = made("task: t\ndataset_path: json\n"
                          "dataset_kwargs: {data_files: {test: four.jsonl, train: train.jsonl}}\n"
                          + splits
                          + "num_fewshot: 2\ndoc_to_text: q\ndoc_to_choice: [a, b]\ndoc_to_target: label\n"
                            "metric_list: [{metric: acc}]\n");
    QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
    PyRandom random(1234);
    for (std::size_t row = 0; row < 4; ++row) {
        std::vector<std::size_t> indices(static_cast<std::size_t>(candidates));
        std::iota(indices.begin(), indices.end(), std::size_t{0});
        if (drawn)
            indices = random.sample(static_cast<std::size_t>(questions.size()), indices.size());
        QByteArray context;
        int taken = 0;
        for (const std::size_t index : indices)
            if (const char name = questions[static_cast<qsizetype>(index)];
                name != static_cast<char>('0' + row) && taken++ < 2)
                context += QByteArray("Q") + name + " a\n\n";
        context += "Q" + QByteArray::number(static_cast<int>(row));
        QCOMPARE(QByteArray::fromStdString(set->examples[row].context), context);
    }
}

void TestTaskYaml::noShotsStayNone()
{
    TaskOptions options;
    options.fewshot = 1;
    const QByteArray text = "task: t\ndata_file: rows.jsonl\ndoc_to_text: question\ndoc_to_choice: [a, b]\n"
                            "doc_to_target: label\nmetric_list: [{metric: acc}]\n";
    QCOMPARE(made(text, options)->leaves.front().fewshot, 1);
    const auto fixed = made(text + "num_fewshot: 0\n", options);
    QCOMPARE(fixed->leaves.front().fewshot, 0);
    QCOMPARE(fixed->examples.front().context, std::string("One?"));
    QCOMPARE(fixed->notes.front(), std::string("'task.yaml' fixes the number of examples in the prompt at 0."));
}

void TestTaskYaml::answersWithoutAMatchAreTheFallback()
{
    const auto of = [&](const QByteArray& fallback) {
        return made("task: t\noutput_type: generate_until\ndata_file: rows.jsonl\ndoc_to_text: question\n"
                    "doc_to_target: label\nmetric_list: [{metric: exact_match}]\nfilter_list: [{name: get, filter: "
                    "[{function: regex, regex_pattern: 'is ([0-9])'"
                    + fallback + "}, {function: take_first}]}]\n");
    };
    const auto set = of(", fallback: five"), plain = of("");
    QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
    const auto filter = Filter::make(set->leaves.front().metrics.front().extraction);
    QCOMPARE(*filter->apply("it is 7", ""), std::string("7"));
    QCOMPARE(*filter->apply("none", ""), std::string("five"));
    QCOMPARE(*Filter::make(plain->leaves.front().metrics.front().extraction)->apply("none", ""),
             std::string("[invalid]"));
    QVERIFY(set->leaves.front().rowSource != plain->leaves.front().rowSource);
}

// Each value as PyYAML 6.0.3's safe loader reads it.
void TestTaskYaml::typesAsPyYamlDoes_data()
{
    QTest::addColumn<QString>("json");
    for (const auto& [yaml, json] : std::initializer_list<std::pair<const char*, const char*>>{
             {"yes", "true"},
             {"Off", "false"},
             {"y", "\"y\""},
             {"~", "null"},
             {"012", "10"},
             {"08", "\"08\""},
             {"0o7", "\"0o7\""},
             {"0x1F", "31"},
             {"0b101", "5"},
             {"1_000", "1000"},
             {"1e5", "\"1e5\""},
             {"1.5e+3", "1500.0"},
             {".5", "0.5"},
             {"-.5", "\"-.5\""},
             {"1:30", "90"},
             {"1:30.5", "90.5"},
             {"999999999999999999999:00", "\"999999999999999999999:00\""},
             {"-1.0e-320", "-1e-320"},
             {"1.0e-999", "0.0"},
             {"-1.0e+999", "null"}, // infinite, which JSON lacks
             {"'5'", "\"5\""}})
        QTest::newRow(yaml) << QString::fromUtf8(json);
}

void TestTaskYaml::typesAsPyYamlDoes()
{
    QFETCH(QString, json);
    const auto read = readYaml(std::string("a: ") + QTest::currentDataTag() + "\n");
    QVERIFY2(read.has_value(), read.has_value() ? "" : read.error().message.c_str());
    QCOMPARE(QString::fromStdString(read->value.at("a").dump()), json);
}

void TestTaskYaml::refusesWhatIsCode_data()
{
    QTest::addColumn<QByteArray>("lines"); // behind the first two, which are sound
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const QByteArray& lines, const char* expected) {
        QTest::newRow(name) << lines << QString::fromUtf8(expected);
    };
    row("function", "process_docs: !function utils.process", "line 3: the tag '!function' is code");
    row("block", "doc_to_text: \"{% if x %}a{% endif %}\"",
        "line 3: doc_to_text contains code ('{% if x %}a{% endif %}')");
    row("call", "\ndoc_to_target: \"{{choices.label.index(answer)}}\"",
        "line 4: doc_to_target contains code ('{{choices.label.index(answer)}}')");
    row("list of code", "doc_to_choice: \"{{[a, b]}}\"", "line 3: doc_to_choice contains code");
    row("include", "include: other.yaml", "line 3: the key 'include'");
    row("unknown key", "doc_to_txt: x", "line 3: the key 'doc_to_txt'");
    row("data set of the hub", "dataset_path: allenai/ai2_arc\ntask2: x", "line 4: the key 'task2'");
    row("sampling", "generation_kwargs: {do_sample: true}", "line 3: 'do_sample: true' is not supported");
    row("alias", "tag: *other", "line 3: the referenced anchor is not defined");
    row("anchor", "tag: &x a", "line 3: an anchor is used elsewhere");
    row("merge key", "<<: {tag: a}", "line 3: the merge key '<<'");
    row("tag", "tag: !!str 5", "line 3: the tag 'tag:yaml.org,2002:str' is code");
    row("two documents", "---\ntask: b", "there are several documents");
    row("key of a list", "[a]: b", "line 3: a key must be a string");
    row("quotation mark", "tag: \"a", "line 4: illegal document indicator in scalar");
    row("zero byte", QByteArray("tag: a\0b", 8), "the file contains NUL bytes");
    row("Latin-1", "description: \xe9t\xe9", "line 3: the file is not UTF-8");
    row("twice", "task: again", "line 3: the key 'task' occurs twice");
    row("tab", "tag:\n\t- a", "line 4: illegal block entry");
    row("not closed", "tag: [a, b\n", "end of sequence flow not found");
    row("no key", "just words", "line 3: the key 'just words'");
    row("filter", "filter_list: [{name: x, filter: [{function: map}]}]", "the filter \"map\" is not supported");
    row("setting of a filter",
        "filter_list: [{name: x, filter: [{function: regex, regex_pattern: a, ignore_case: true}]}]",
        "the key 'ignore_case' of the filter \"regex\" is not supported");
    row("two filters", "filter_list: [{name: x, filter: [{function: remove_whitespace}, {function: regex}]}]",
        "regex and remove_whitespace in one filter are not supported");
    row("description", "description: 'About {{subject}}.'", "line 3: the description is a template ('{{subject}}.')");
    row("aggregation", "metric_list: [{metric: acc, aggregation: f1}]", "the aggregation \"f1\" is not supported");
    row("deep", "tag: " + QByteArray(40, '[') + QByteArray(40, ']'), "nested too deeply");
}

void TestTaskYaml::refusesWhatIsCode()
{
    QFETCH(QByteArray, lines);
    QFETCH(QString, expected);
    const auto set = made("task: t\ndata_file: rows.jsonl\n" + lines + '\n');
    QVERIFY(!set.has_value());
    const QString message = QString::fromStdString(set.error().message);
    QVERIFY2(message.contains(expected) && message.contains(u"task.yaml"_s), qPrintable(message));
    QVERIFY2(message.endsWith(u'.'), qPrintable(message));
}

QTEST_APPLESS_MAIN(TestTaskYaml)
#include "tst_taskyaml.moc"
