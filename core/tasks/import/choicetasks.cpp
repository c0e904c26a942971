// SPDX-License-Identifier: GPL-3.0-or-later
// ARC, PIQA, WinoGrande, HellaSwag, OpenBookQA as lm-evaluation-harness v0.4.7 asks them.
#include "core/tasks/import/harnesstasks.h"

#include "core/tasks/python/pyregex.h"
#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace headscope::tasks {

using nlohmann::json;

LabelledChoices readLabelledChoices(RowReader& reader, const json& choices)
{
    LabelledChoices result;
    const auto add = [&](const json& text, const json& label) {
        if (!text.is_string() || !label.is_string()) {
            reader.reject("wrong_type", "choices", "A choice's text or label is not a string.");
            return;
        }
        result.texts.push_back(text);
        result.labels.push_back(label);
    };
    if (choices.is_array()) {
        for (const json& choice : choices)
            add(choice.is_object() ? choice.value("text", json()) : json(),
                choice.is_object() ? choice.value("label", json()) : json());
    } else if (choices.is_object() && choices.contains("text") && choices.contains("label")
               && choices["text"].is_array() && choices["label"].is_array()) {
        if (choices["text"].size() != choices["label"].size())
            reader.reject("count_mismatch", "choices",
                          "There are " + std::to_string(choices["text"].size()) + " choice texts and "
                              + std::to_string(choices["label"].size()) + " labels; expected as many.");
        else
            for (std::size_t i = 0; i < choices["text"].size(); ++i)
                add(choices["text"][i], choices["label"][i]);
    } else {
        reader.reject("wrong_type", "choices",
                      "The choices are neither a list of {text, label} nor {text: [...], label: [...]}.");
    }
    if (!reader.ok())
        return {};
    if (result.texts.size() < 2)
        reader.reject("choice_count", "choices",
                      "There are " + std::to_string(result.texts.size()) + " choices; at least 2 are needed.");
    if (std::set<std::string>(result.labels.begin(), result.labels.end()).size() != result.labels.size())
        reader.reject("bad_label", "choices", "Two choices have the same label.");
    if (std::any_of(result.texts.begin(), result.texts.end(),
                    [](const std::string& text) { return strip(text).empty(); }))
        reader.reject("empty_text", "choices", "A choice is empty.");
    return result;
}

namespace {

int labelledGold(RowReader& reader, const LabelledChoices& choices, const std::string& key)
{
    const auto found = std::find(choices.labels.begin(), choices.labels.end(), key);
    if (found == choices.labels.end()) {
        reader.reject("label_not_in_choices", "answerKey",
                      "The answer key '" + excerpt(key, 10) + "' is not among the labels.");
        return -1;
    }
    return static_cast<int>(found - choices.labels.begin());
}

void setChoices(Doc& doc, std::vector<std::string> choices, int gold)
{
    doc.choices = std::move(choices);
    doc.gold = gold;
    if (gold >= 0 && gold < static_cast<int>(doc.choices.size()))
        doc.shot = doc.choices[static_cast<std::size_t>(gold)];
}

Doc arcDoc(RowReader& reader)
{
    Doc doc;
    const json& row = reader.row();
    const bool nested = reader.has("question") && row["question"].is_object();
    const json question = nested ? row["question"] : row;
    const char* const stem = nested ? "stem" : "question";
    if (!question.contains(stem) || !question[stem].is_string()) {
        reader.reject(question.contains(stem) ? "wrong_type" : "missing_field", stem,
                      "The question text is missing or not a string.");
        return doc;
    }
    const std::string text = question[stem];
    if (strip(text).empty())
        reader.reject("empty_text", stem, "The question is empty.");
    const LabelledChoices choices = readLabelledChoices(reader, question.value("choices", json()));
    const std::string key = reader.text("answerKey");
    if (!reader.ok())
        return doc;
    doc.text = "Question: " + text + "\nAnswer:";
    setChoices(doc, choices.texts, labelledGold(reader, choices, key));
    return doc;
}

Doc openBookDoc(RowReader& reader)
{
    Doc doc;
    const json& row = reader.row();
    const bool nested = reader.has("question") && row["question"].is_object();
    const json question = nested ? row["question"] : row;
    const char* const stem = nested ? "stem" : "question_stem";
    if (!question.contains(stem) || !question[stem].is_string()) {
        reader.reject(question.contains(stem) ? "wrong_type" : "missing_field", stem,
                      "The question stem is missing or not a string.");
        return doc;
    }
    doc.text = question[stem];
    if (strip(doc.text).empty())
        reader.reject("empty_text", stem, "The question stem is empty, so the context would be empty.");
    const LabelledChoices choices = readLabelledChoices(reader, question.value("choices", json()));
    const std::string key = reader.text("answerKey");
    if (reader.ok())
        setChoices(doc, choices.texts, labelledGold(reader, choices, std::string(lstrip(key))));
    return doc;
}

Doc piqaDoc(RowReader& reader)
{
    Doc doc;
    const std::string goal = reader.filledText("goal");
    const std::string first = reader.filledText("sol1");
    const std::string second = reader.filledText("sol2");
    const std::optional<int> label = reader.ok() ? reader.integer("label") : std::nullopt;
    if (!label)
        return doc;
    if (*label == -1)
        reader.reject("unlabelled", "label", "The label is -1, as in the test split without answers.");
    else if (*label != 0 && *label != 1)
        reader.reject("bad_label", "label", "The label is " + std::to_string(*label) + "; expected 0 or 1.");
    doc.text = "Question: " + goal + "\nAnswer:";
    setChoices(doc, {first, second}, *label);
    return doc;
}

Doc winograndeDoc(RowReader& reader)
{
    Doc doc;
    const std::string sentence = reader.filledText("sentence");
    const std::string one = reader.filledText("option1");
    const std::string two = reader.filledText("option2");
    const std::string answer = reader.text("answer");
    if (!reader.ok())
        return doc;
    const std::size_t blank = sentence.find('_');
    if (blank == std::string::npos) {
        reader.reject("missing_field", "sentence", "The sentence has no blank '_'.");
        return doc;
    }
    const std::string rest(strip(std::string_view(sentence).substr(blank + 1)));
    if (rest.empty())
        reader.reject("empty_text", "sentence", "No text follows the blank, so there is nothing to score.");
    if (one == two)
        reader.reject("bad_label", "option2", "The two options are equal.");
    if (answer.empty())
        reader.reject("unlabelled", "answer", "The answer is empty, as in the test split.");
    else if (answer != "1" && answer != "2")
        reader.reject("bad_label", "answer", "The answer is '" + excerpt(answer, 10) + "'; expected 1 or 2.");
    if (sentence.find('_', blank + 1) != std::string::npos)
        reader.warn("missing_field", "sentence", "The sentence has more than one blank; the first is used.");
    const std::string before = sentence.substr(0, blank);
    doc.contexts = {before + one, before + two};
    doc.gold = answer == "2" ? 1 : 0;
    doc.text = doc.contexts[static_cast<std::size_t>(doc.gold)];
    doc.choices = {rest, rest};
    doc.shot = rest;
    return doc;
}

// The harness's preprocess(): strip, " [title]" to ". ", tags deleted, double spaces halved once.
std::string hellaswagText(const std::string& text)
{
    static const PyRegex tag = *PyRegex::compile(R"(\[.*?\])");
    const std::string titled = replaceAll(strip(text), " [title]", ". ");
    Result<std::string> untagged = tag.removed(titled);
    return replaceAll(untagged.has_value() ? *untagged : titled, "  ", " ");
}

Doc hellaswagDoc(RowReader& reader)
{
    Doc doc;
    const std::string activity = reader.text("activity_label");
    const std::string a = reader.text("ctx_a");
    const std::string b = reader.text("ctx_b");
    if (!reader.ok())
        return doc;
    const json endings = reader.row().value("endings", json());
    std::vector<std::string> choices;
    if (!endings.is_array() || endings.size() != 4) {
        reader.reject("choice_count", "endings", "The endings are not a list of 4.");
        return doc;
    }
    for (const json& ending : endings) {
        if (!ending.is_string())
            reader.reject("wrong_type", "endings", "An ending is not a string.");
        choices.push_back(ending.is_string() ? hellaswagText(ending) : std::string());
        if (reader.ok() && strip(choices.back()).empty())
            reader.reject("empty_text", "endings", "An ending is empty once its tags are deleted.");
    }
    const std::optional<int> label = reader.ok() ? reader.integer("label") : std::nullopt;
    if (!label)
        return doc;
    if (*label < 0 || *label > 3)
        reader.reject("bad_label", "label", "The label is " + std::to_string(*label) + "; expected 0 to 3.");
    if (reader.has("ctx") && reader.row()["ctx"].is_string()) {
        const std::string whole = reader.row()["ctx"];
        if (whole != a && whole != a + " " + b)
            reader.warn("count_mismatch", "ctx", "The field 'ctx' is not ctx_a and ctx_b joined; it is not used.");
    }
    doc.text = hellaswagText(activity + ": " + a + " " + capitalize(b));
    if (strip(doc.text).empty())
        reader.reject("empty_text", "ctx_a", "The context is empty.");
    setChoices(doc, std::move(choices), *label);
    return doc;
}

struct ChoiceTask {
    TaskInfo info;
    std::vector<Candidate> evaluated;
    std::vector<Candidate> train;
    Converter convert;
    bool normalised = true; // acc_norm too
    Shots shots = Shots::Sampled;
};

std::vector<Candidate> arcFiles(const std::string& folder, const std::string& set, const char* split, const char* hub,
                                int official)
{
    const std::string original = set + "-" + split + ".jsonl";
    const std::string label = hub;
    return {{folder + "/" + original, label, official, Layout::Original},
            {"ARC-V1-Feb2018-2/" + set + "/" + original, label, official, Layout::Original},
            {set + "/" + original, label, official, Layout::Original},
            {folder + "/" + hub + ".jsonl", label, official, Layout::HuggingFace},
            {folder + "/" + hub + ".json", label, official, Layout::HuggingFace},
            {folder + "/" + hub + ".parquet", label, official, Layout::HuggingFace},
            {"ai2_arc/" + set + "/" + hub + ".jsonl", label, official, Layout::HuggingFace}};
}

std::vector<Candidate> join(std::vector<Candidate> first, const std::vector<Candidate>& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// <folder>/<original...> then the hub's name with .jsonl, .json, .csv.
std::vector<Candidate> files(const std::vector<std::string>& originals, const std::string& hub, const char* split,
                             int official)
{
    std::vector<Candidate> result;
    for (const std::string& path : originals)
        result.push_back({path, split, official, Layout::Original});
    for (const char* suffix : {".jsonl", ".json", ".csv", ".parquet"})
        result.push_back({hub + suffix, split, official, Layout::HuggingFace});
    return result;
}

// The Dev file stands in where the Test file is missing; against Test's row count, so it never counts as complete.
ChoiceTask arcTask(const std::string& name, const std::string& set, const char* title, int test, int train)
{
    return {{name, title, name + "/" + set + "-Test.jsonl (or -Dev.jsonl, or the hub's test.jsonl)",
             "allenai.org/data/arc, or the hub's allenai/ai2_arc", "CC BY-SA 4.0", test},
            join(arcFiles(name, set, "Test", "test", test), arcFiles(name, set, "Dev", "validation", test)),
            arcFiles(name, set, "Train", "train", train),
            arcDoc};
}

const std::vector<ChoiceTask>& knownChoiceTasks()
{
    static const std::vector<ChoiceTask> tasks{
        arcTask("arc_challenge", "ARC-Challenge", "grade-school science questions, hard for simple methods", 1172,
                1119),
        arcTask("arc_easy", "ARC-Easy", "grade-school science questions", 2376, 2251),
        {{"piqa", "the better of two ways to reach a goal",
          "piqa/valid.jsonl with valid-labels.lst (or the hub's validation.jsonl)",
          "yonatanbisk.com/piqa, or the hub's piqa", "AFL 3.0", 1838},
         files({"piqa/valid.jsonl", "piqa/dev.jsonl", "physicaliqa-train-dev/dev.jsonl"}, "piqa/validation",
               "validation", 1838),
         files({"piqa/train.jsonl", "physicaliqa-train-dev/train.jsonl"}, "piqa/train", "train", 16113),
         piqaDoc,
         true,
         Shots::SampledOne},
        {{"winogrande", "whom a pronoun means, by the likelihood of the rest of the sentence",
          "winogrande/dev.jsonl (or the hub's validation.jsonl)",
          "winogrande.allenai.org, or the hub's winogrande (winogrande_xl)", "CC BY", 1267},
         files({"winogrande/dev.jsonl", "winogrande_1.1/dev.jsonl"}, "winogrande/validation", "validation", 1267),
         files({"winogrande/train_xl.jsonl", "winogrande_1.1/train_xl.jsonl", "winogrande/train_l.jsonl",
                "winogrande/train_m.jsonl", "winogrande/train_s.jsonl", "winogrande/train_xs.jsonl"},
               "winogrande/train", "train", 40398),
         winograndeDoc,
         false,
         Shots::SampledOne},
        {{"hellaswag", "which ending continues a scene",
          "hellaswag/hellaswag_val.jsonl (or the hub's validation.jsonl)",
          "rowanzellers.com/hellaswag, or the hub's hellaswag", "MIT", 10042},
         files({"hellaswag/hellaswag_val.jsonl"}, "hellaswag/validation", "validation", 10042),
         files({"hellaswag/hellaswag_train.jsonl"}, "hellaswag/train", "train", 39905),
         hellaswagDoc,
         true,
         Shots::SampledOne},
        {{"openbookqa", "elementary science facts applied", "openbookqa/test.jsonl",
          "allenai.org/data/open-book-qa, or the hub's openbookqa", "Apache-2.0", 500},
         files({"openbookqa/test.jsonl", "OpenBookQA-V1-Sep2018/Data/Main/test.jsonl"}, "openbookqa/test", "test", 500),
         files({"openbookqa/train.jsonl", "OpenBookQA-V1-Sep2018/Data/Main/train.jsonl"}, "openbookqa/train", "train",
               4957),
         openBookDoc},
    };
    return tasks;
}

// Lines of a .lst file beside the rows: one label each.
Result<std::optional<std::vector<std::string>>> labelLines(const Located& located)
{
    std::filesystem::path path = located.path;
    path.replace_filename(path.stem().string() + "-labels.lst");
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return std::optional<std::vector<std::string>>();
    Result<std::string> bytes = readBytes(path);
    if (!bytes.has_value())
        return bytes.error();
    return std::optional(splitWhitespace(std::string_view(*bytes).substr(markSize(*bytes))));
}

// PIQA's answers, or WinoGrande's second copy of them, from the labels file. A wrong count refuses the pair.
Result<void> joinLabels(Rows& rows, const Located& located, bool winogrande)
{
    Result<std::optional<std::vector<std::string>>> labels = labelLines(located);
    if (!labels.has_value())
        return labels.error();
    const bool inside = !rows.rows.empty() && rows.rows.front().value.contains(winogrande ? "answer" : "label");
    if (!labels->has_value()) {
        if (!inside)
            return inputError("'" + located.file + "' has no labels of its own and no file "
                              + located.path.stem().string() + "-labels.lst beside it (unlabelled).");
        return {};
    }
    const std::vector<std::string>& lines = **labels;
    if (std::ssize(lines) != rows.read)
        return inputError(
            "'" + located.file + "' has " + std::to_string(rows.read) + " rows and its labels file "
            + std::to_string(lines.size())
            + " labels (count_mismatch); the pair is refused, because every later label would be suspect.");
    std::vector<Row> kept;
    for (Row& row : rows.rows) {
        const std::string& label = lines[static_cast<std::size_t>(row.record)];
        if (!winogrande) {
            row.value["label"] = label;
        } else if (inside && row.value.value("answer", json()) != json(label)) {
            rows.rejected.push_back(
                {located.file,
                 row.firstLine,
                 row.lastLine,
                 row.record,
                 {},
                 "bad_label",
                 "answer",
                 "The labels file says '" + excerpt(label, 10) + "', which is not the row's own answer.",
                 excerpt(row.value.dump())});
            continue;
        } else {
            row.value["answer"] = label;
        }
        kept.push_back(std::move(row));
    }
    rows.rows = std::move(kept);
    return {};
}

} // namespace

const std::vector<TaskInfo>& choiceTasks()
{
    static const std::vector<TaskInfo> infos = [] {
        std::vector<TaskInfo> result;
        for (const ChoiceTask& task : knownChoiceTasks())
            result.push_back(task.info);
        return result;
    }();
    return infos;
}

Result<void> addChoiceTask(TaskSet& set, std::string_view name, const DataFolder& folder, const TaskOptions& options)
{
    const auto found = std::find_if(knownChoiceTasks().begin(), knownChoiceTasks().end(),
                                    [&](const ChoiceTask& task) { return task.info.name == name; });
    const ChoiceTask& task = *found;
    const bool labelFile = name == "piqa" || name == "winogrande";

    LeafTask leaf;
    leaf.name = task.info.name;
    leaf.version = "1.0";
    leaf.fewshot = options.fewshot.value_or(0);
    leaf.metrics = {metric(Metric::Kind::Acc)};
    if (task.normalised)
        leaf.metrics.push_back(metric(Metric::Kind::AccNorm));

    const auto adjust = [&](Rows& rows, const Located& located) -> Result<void> {
        return labelFile && !rows.csv ? joinLabels(rows, located, name == "winogrande") : Result<void>();
    };
    Result<Split> evaluated = readSplit({task.info, task.evaluated, task.convert, adjust}, folder);
    if (!evaluated.has_value())
        return evaluated.error();
    leaf.split = evaluated->split;
    leaf.report = evaluated->report;
    std::vector<Doc> shots;
    if (leaf.fewshot > 0) {
        Result<Split> train = readShots({task.info, task.train, task.convert, adjust}, folder);
        if (!train.has_value())
            return train.error();
        noteTruncated(set, leaf.name, *train);
        shots = std::move(train->docs);
    }
    Assembly assembly;
    assembly.shots = task.shots;
    return append(set, std::move(leaf), evaluated->docs, shots, assembly, evaluated->file, options);
}

} // namespace headscope::tasks
