// SPDX-License-Identifier: GPL-3.0-or-later
// LAMBADA, GSM8K, SWDE and ARC-Challenge in chat form, as lm-evaluation-harness v0.4.7 asks them.
#include "core/tasks/import/harnesstasks.h"

#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace headscope::tasks {

using nlohmann::json;

namespace {

Doc lambadaDoc(RowReader& reader)
{
    Doc doc;
    const std::string text = reader.filledText("text");
    const std::size_t space = text.rfind(' ');
    if (!reader.ok())
        return doc;
    if (space == std::string::npos || space == 0)
        reader.reject("empty_text", "text",
                      "The text has no space before its last word, so the context would be empty.");
    else if (space + 1 == text.size())
        reader.reject("empty_text", "text", "The text ends in a space, so the word to predict would be empty.");
    if (!reader.ok())
        return doc;
    doc.text = text.substr(0, space);
    doc.target = text.substr(space);
    doc.shot = doc.target;
    return doc;
}

Doc gsm8kDoc(RowReader& reader)
{
    Doc doc;
    const std::string question = reader.filledText("question");
    doc.target = reader.filledText("answer");
    if (!reader.ok())
        return doc;
    constexpr std::string_view kMark = "#### ";
    const std::size_t mark = doc.target.find(kMark);
    if (mark == std::string::npos)
        reader.reject("bad_label", "answer", "The answer has no line '#### <number>'.");
    else if (doc.target.find(kMark, mark + 1) != std::string::npos)
        reader.reject("bad_label", "answer", "The answer has more than one '#### '.");
    else if (strip(std::string_view(doc.target).substr(mark + kMark.size())).empty())
        reader.reject("bad_label", "answer", "Nothing follows '#### ' in the answer.");
    doc.text = "Question: " + question + "\nAnswer:";
    doc.shot = doc.target;
    return doc;
}

// Version 0 uses text and value as they are; version 1 strips both.
Doc swdeDoc(RowReader& reader, bool stripped)
{
    Doc doc;
    doc.text = reader.filledText("text");
    doc.target = reader.filledText("value");
    if (!reader.ok())
        return doc;
    if (stripped) {
        doc.text = std::string(strip(doc.text));
        doc.target = std::string(strip(doc.target));
    }
    if (reader.has("key") && reader.row()["key"].is_string()
        && !rstrip(doc.text).ends_with(reader.row()["key"].get<std::string>() + ":"))
        reader.warn("missing_field", "text", "The text does not end in the key and a colon.");
    if (lower(doc.text).find(lower(doc.target)) == std::string::npos)
        reader.warn("bad_label", "value", "The value does not occur in the text.");
    doc.shot = doc.target;
    return doc;
}

// The harness's file holds the template in single quotes, so its line breaks are a backslash and an n. `lineBreak` is
// that, or a real line feed for the corrected variant.
Doc arcChatDoc(RowReader& reader, std::string_view lineBreak)
{
    Doc doc;
    const json& row = reader.row();
    const bool nested = reader.has("question") && row["question"].is_object();
    const json question = nested ? row["question"] : row;
    const json stem = question.value(nested ? "stem" : "question", json());
    if (!stem.is_string() || strip(stem.get_ref<const std::string&>()).empty()) {
        reader.reject(stem.is_null() ? "missing_field" : "empty_text", "question",
                      "The question is missing, empty or not a string.");
        return doc;
    }
    const LabelledChoices choices = readLabelledChoices(reader, question.value("choices", json()));
    const std::string key = reader.text("answerKey");
    if (!reader.ok())
        return doc;
    if (std::find(choices.labels.begin(), choices.labels.end(), key) == choices.labels.end())
        reader.reject("label_not_in_choices", "answerKey",
                      "The answer key '" + excerpt(key, 10) + "' is not among the labels.");
    if (choices.texts.size() < 3)
        reader.reject("choice_count", "choices",
                      "There are " + std::to_string(choices.texts.size()) + " choices; the prompt needs 3 or more.");
    if (!reader.ok())
        return doc;

    const std::string br(lineBreak);
    doc.text = "Given the following question and four candidate answers (A, B, C and D), choose the best answer." + br
               + "Question: " + std::string(strip(stem.get_ref<const std::string&>()));
    for (std::size_t i = 0; i < std::min<std::size_t>(4, choices.texts.size()); ++i)
        doc.text.append(br).append(1, static_cast<char>('A' + i)).append(". ").append(choices.texts[i]);
    doc.text += br
                + "Your response should end with \"The best answer is [the_answer_letter]\" where the "
                  "[the_answer_letter] is one of A, B, C or D.";
    doc.target = key.size() == 1 && key[0] >= '1' && key[0] <= '4'
                     ? std::string(1, static_cast<char>('A' + (key[0] - '1')))
                     : key;
    if (choices.texts.size() > 4)
        reader.warn("choice_count", "choices", "There are more than four choices; the prompt shows the first four.");
    return doc;
}

struct OpenTask {
    TaskInfo info;
    std::vector<Candidate> evaluated;
    std::vector<Candidate> shots; // empty: the evaluated rows
    Converter convert;
    std::string version;
    int fewshot = 0;
    bool fixedShots = false;
    Assembly assembly;
    std::vector<Metric> metrics;
    Scoring scoring = Scoring::Generation;
};

Metric gsm8kMetric(std::string filter, std::string pattern, bool last)
{
    Metric result =
        metric(Metric::Kind::ExactMatch, std::move(filter), {Extraction::Kind::Regex, std::move(pattern), last, {}});
    result.ignoreCase = true;
    result.remove = {",", R"(\$)", R"((?s).*#### )", R"(\.$)"};
    return result;
}

OpenTask lambada()
{
    OpenTask task;
    task.info = {"lambada_openai",
                 "the last word of a passage",
                 "lambada/lambada_test.jsonl (or the hub's test.jsonl)",
                 "the hub's EleutherAI/lambada_openai",
                 "CC BY 4.0",
                 5153};
    task.evaluated = {{"lambada/lambada_test.jsonl", "test", 5153, Layout::Original},
                      {"lambada_openai/lambada_test.jsonl", "test", 5153, Layout::Original},
                      {"lambada_openai/test.jsonl", "test", 5153, Layout::HuggingFace},
                      {"lambada/test.jsonl", "test", 5153, Layout::HuggingFace},
                      {"lambada_openai/test.parquet", "test", 5153, Layout::HuggingFace}};
    task.convert = lambadaDoc;
    task.version = "1.0";
    task.scoring = Scoring::LogLikelihood;
    task.metrics = {metric(Metric::Kind::Perplexity), metric(Metric::Kind::Acc)};
    return task;
}

OpenTask gsm8k()
{
    OpenTask task;
    task.info = {"gsm8k",
                 "grade-school arithmetic in words",
                 "gsm8k/test.jsonl, and gsm8k/train.jsonl for the prompt's examples",
                 "github.com/openai/grade-school-math, or the hub's gsm8k (main)",
                 "MIT",
                 1319};
    for (const char* suffix : {".jsonl", ".json", ".csv", ".parquet"}) {
        task.evaluated.push_back({std::string("gsm8k/test") + suffix, "test", 1319, Layout::Original});
        task.shots.push_back({std::string("gsm8k/train") + suffix, "train", 7473, Layout::Original});
    }
    task.convert = gsm8kDoc;
    task.version = "3.0";
    task.fewshot = 5;
    task.assembly.until = {"Question:", "</s>", "<|im_end|>"};
    task.metrics = {gsm8kMetric("strict-match", R"(#### (\-?[0-9\.\,]+))", false),
                    gsm8kMetric("flexible-extract", R"((-?[$0-9.,]{2,})|(-?[0-9]+))", true)};
    return task;
}

OpenTask swde(bool stripped)
{
    OpenTask task;
    task.info = {stripped ? "swde_v1" : "swde",
                 stripped ? "a value out of a web page; version 1 strips text and value"
                          : "a value out of a web page (version 0)",
                 "swde/validation.jsonl with the columns text and value",
                 "the hub's hazyresearch/based-swde-v2",
                 "not stated",
                 1111};
    task.evaluated = {{"swde/validation.jsonl", "validation", 1111, Layout::HuggingFace},
                      {"swde/validation.json", "validation", 1111, Layout::HuggingFace},
                      {"swde/validation.csv", "validation", 1111, Layout::HuggingFace},
                      {"swde/validation.parquet", "validation", 1111, Layout::HuggingFace}};
    task.convert = [stripped](RowReader& reader) { return swdeDoc(reader, stripped); };
    task.version = stripped ? "1" : "0";
    task.assembly.until = {"\n"};
    task.assembly.maxNewTokens = 48;
    task.assembly.shots = Shots::SampledOne;
    task.metrics = {metric(Metric::Kind::Contains)};
    return task;
}

OpenTask arcChat(bool corrected)
{
    OpenTask task;
    task.info = {corrected ? "arc_challenge_chat_newlines" : "arc_challenge_chat",
                 corrected ? "ARC-Challenge answered by letter, with real line breaks in the prompt"
                           : "ARC-Challenge answered by letter, as harness v0.4.8 asks it",
                 "arc_challenge/ARC-Challenge-Test.jsonl (or -Dev.jsonl, or the hub's test.jsonl)",
                 "allenai.org/data/arc, or the hub's allenai/ai2_arc",
                 "CC BY-SA 4.0",
                 1172};
    // Dev stands in where Test is missing; against Test's row count, so it never counts as complete.
    for (const auto& [original, hub, rows] :
         {std::tuple{"Test", "test", 1172}, std::tuple{"Dev", "validation", 1172}}) {
        for (const char* folder : {"arc_challenge/", "ARC-V1-Feb2018-2/ARC-Challenge/", "ARC-Challenge/"})
            task.evaluated.push_back(
                {std::string(folder) + "ARC-Challenge-" + original + ".jsonl", hub, rows, Layout::Original});
        for (const char* suffix : {".jsonl", ".parquet"})
            task.evaluated.push_back({std::string("arc_challenge/") + hub + suffix, hub, rows, Layout::HuggingFace});
    }
    const std::string lineBreak = corrected ? "\n" : "\\n";
    task.convert = [lineBreak](RowReader& reader) { return arcChatDoc(reader, lineBreak); };
    task.version = "1.0";
    task.fixedShots = true;
    task.assembly.suffix = " The best answer is";
    task.assembly.until = {"\n\n", "."};
    task.assembly.maxNewTokens = 100;
    Metric exact = metric(Metric::Kind::ExactMatch, "remove_whitespace", {Extraction::Kind::StripLeft, {}, false, {}});
    exact.ignoreCase = exact.ignorePunctuation = true;
    task.metrics = {exact};
    return task;
}

const std::vector<OpenTask>& knownOpenTasks()
{
    static const std::vector<OpenTask> tasks{lambada(),  gsm8k(),        swde(false),
                                             swde(true), arcChat(false), arcChat(true)};
    return tasks;
}

} // namespace

const std::vector<TaskInfo>& openTasks()
{
    static const std::vector<TaskInfo> infos = [] {
        std::vector<TaskInfo> result;
        for (const OpenTask& task : knownOpenTasks())
            result.push_back(task.info);
        return result;
    }();
    return infos;
}

Result<void> addOpenTask(TaskSet& set, std::string_view name, const DataFolder& folder, const TaskOptions& options)
{
    const OpenTask& task = *std::find_if(knownOpenTasks().begin(), knownOpenTasks().end(),
                                         [&](const OpenTask& t) { return t.info.name == name; });
    Result<Split> evaluated = readSplit({task.info, task.evaluated, task.convert, {}}, folder);
    if (!evaluated.has_value())
        return evaluated.error();

    LeafTask leaf;
    leaf.name = task.info.name;
    leaf.version = task.version;
    leaf.split = evaluated->split;
    leaf.fewshot = task.fixedShots ? 0 : options.fewshot.value_or(task.fewshot);
    leaf.scoring = task.scoring;
    leaf.metrics = task.metrics;
    leaf.report = evaluated->report;
    std::vector<Doc> shots;
    if (leaf.fewshot > 0 && !task.shots.empty()) {
        Result<Split> train = readShots({task.info, task.shots, task.convert, {}}, folder);
        if (!train.has_value())
            return train.error();
        noteTruncated(set, leaf.name, *train);
        shots = std::move(train->docs);
    } else if (leaf.fewshot > 0) {
        shots = evaluated->docs;
    }
    return append(set, std::move(leaf), evaluated->docs, shots, task.assembly, evaluated->file, options);
}

} // namespace headscope::tasks
