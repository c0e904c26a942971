// SPDX-License-Identifier: GPL-3.0-or-later
// Task files in the reference harness's YAML: what is plain asks the same as its JSON, and what is code is refused with
// its line.
#include "core/tasks/import/yaml.h"
#include "core/tasks/registry.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

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
    Result<TaskSet> made(const QByteArray& yaml) { return makeTask(write(u"task.yaml"_s, yaml).toStdString(), {}); }

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
