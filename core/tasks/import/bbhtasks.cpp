// SPDX-License-Identifier: GPL-3.0-or-later
// BIG-Bench Hard in the four forms of lm-evaluation-harness v0.4.7. Descriptions and worked examples are read from the
// data folder's cot-prompts, none are in this program.
#include "core/tasks/import/harnesstasks.h"

#include "core/tasks/python/pyregex.h"
#include "core/tasks/python/pytext.h"

#include <algorithm>

namespace headscope::tasks {

namespace {

enum class Answer { Boolean, YesNo, Validity, Brackets, Option, Number, Plausible, Truth, Words };

struct BbhTask {
    const char* name;
    int rows;
    Answer answer;
};

constexpr BbhTask kTasks[] = {
    {"boolean_expressions", 250, Answer::Boolean},
    {"causal_judgement", 187, Answer::YesNo},
    {"date_understanding", 250, Answer::Option},
    {"disambiguation_qa", 250, Answer::Option},
    {"dyck_languages", 250, Answer::Brackets},
    {"formal_fallacies", 250, Answer::Validity},
    {"geometric_shapes", 250, Answer::Option},
    {"hyperbaton", 250, Answer::Option},
    {"logical_deduction_five_objects", 250, Answer::Option},
    {"logical_deduction_seven_objects", 250, Answer::Option},
    {"logical_deduction_three_objects", 250, Answer::Option},
    {"movie_recommendation", 250, Answer::Option},
    {"multistep_arithmetic_two", 250, Answer::Number},
    {"navigate", 250, Answer::YesNo},
    {"object_counting", 250, Answer::Number},
    {"penguins_in_a_table", 146, Answer::Option},
    {"reasoning_about_colored_objects", 250, Answer::Option},
    {"ruin_names", 250, Answer::Option},
    {"salient_translation_error_detection", 250, Answer::Option},
    {"snarks", 178, Answer::Option},
    {"sports_understanding", 250, Answer::Plausible},
    {"temporal_sequences", 250, Answer::Option},
    {"tracking_shuffled_objects_five_objects", 250, Answer::Option},
    {"tracking_shuffled_objects_seven_objects", 250, Answer::Option},
    {"tracking_shuffled_objects_three_objects", 250, Answer::Option},
    {"web_of_lies", 250, Answer::Truth},
    {"word_sorting", 250, Answer::Words},
};

struct Variant {
    const char* name;
    const char* tail; // after "Q: <input>\nA:"
    int fewshot;
    bool fixedShots;
    const char* version;
    const char* groupVersion;
    const char* groupFilter;
};

constexpr Variant kVariants[] = {
    {"bbh_cot_fewshot", " Let's think step by step.\n", 3, false, "3.0", "3.0", "get-answer"},
    {"bbh_fewshot", "", 3, false, "2.0", "3.0", "none"},
    {"bbh_zeroshot", "", 0, true, "3.0", "3.0", "flexible-extract"},
    {"bbh_cot_zeroshot", " Let's think step by step.", 0, true, "3.0", "3.0", "flexible-extract"},
};

constexpr const char* kGetAnswer = "(?<=the answer is )(.*)(?=.)";
constexpr std::string_view kThink = "Let's think step by step.";

struct Prompts {
    std::string description;
    std::vector<std::pair<std::string, std::string>> examples; // input, worked answer
};

// The rule that reproduces all 27 configs of the harness from the authors' files.
Result<Prompts> readPrompts(const BbhTask& task, const std::filesystem::path& path)
{
    Result<std::string> bytes = readBytes(path);
    if (!bytes.has_value())
        return bytes.error();
    const auto broken = [&](const char* what) {
        return inputError("The prompt file '" + path.string() + "' " + what + ".");
    };
    if (findInvalidUtf8(*bytes) != std::string_view::npos)
        return broken("is not valid UTF-8");
    constexpr std::string_view kRule = "\n-----\n";
    constexpr std::string_view kQuestion = "\n\nQ: ";
    constexpr std::string_view kAnswer = "\nA: ";
    const std::size_t rule = bytes->find(kRule);
    if (rule == std::string::npos)
        return broken("has no line '-----' that ends its first part");
    std::string_view rest = std::string_view(*bytes).substr(rule + kRule.size());

    Prompts prompts;
    std::size_t cut = rest.find(kQuestion);
    prompts.description = std::string(rest.substr(0, cut)) + "\n\n";
    while (cut != rest.npos) {
        rest = rest.substr(cut + kQuestion.size());
        cut = rest.find(kQuestion);
        const std::string_view part = rest.substr(0, cut);
        const std::size_t answer = part.find(kAnswer);
        if (answer == part.npos)
            return broken("has a question without a line 'A: '");
        std::string_view worked = part.substr(answer + kAnswer.size());
        while (worked.ends_with('\n'))
            worked.remove_suffix(1);
        if (std::string_view(task.name) == "boolean_expressions" && worked.starts_with(kThink))
            worked.remove_prefix(std::min(worked.size(), kThink.size() + 1));
        prompts.examples.emplace_back(part.substr(0, answer), worked);
    }
    return prompts;
}

Doc bbhDoc(RowReader& reader, const BbhTask& task, const Variant& variant)
{
    Doc doc;
    const std::string input = reader.filledText("input");
    doc.target = reader.filledText("target");
    if (!reader.ok())
        return doc;
    if (task.answer == Answer::Option && input.find(doc.target) == std::string::npos)
        reader.reject("label_not_in_choices", "target",
                      "The target '" + excerpt(doc.target, 10) + "' is not among the options of the input.");
    doc.text = "Q: " + input + "\nA:" + variant.tail;
    return doc;
}

Extraction flexible(Answer answer, bool last)
{
    using Kind = Extraction::Kind;
    switch (answer) {
    case Answer::Boolean: return {Kind::Regex, R"(\b(True|False)\b)", last, {}};
    case Answer::YesNo: return {Kind::Regex, R"(\b(Yes|No|yes|no)\b)", last, {}};
    case Answer::Validity: return {Kind::Regex, R"(\b(valid|invalid)\b)", last, {}};
    case Answer::Brackets: return {Kind::Regex, R"re((?<= )([" \[\(<{}>\)\]]+)|([" \[\(<{}>\)\]]+))re", last, {}};
    case Answer::Option: return {Kind::BbhChoice, R"((\([A-Z]\)))", last, {}};
    case Answer::Number: return {Kind::BbhNumber, "([-0-9]+)", last, {}};
    case Answer::Plausible:
        return {Kind::BbhMap, {}, last, {{R"(\b(no|not plausible)\b)", "no"}, {R"(\b(yes|plausible)\b)", "yes"}}};
    case Answer::Truth:
        return {Kind::BbhMap,
                {},
                last,
                {{R"(\b(no|does not tell the truth|is not telling the truth)\b)", "no"},
                 {R"(\b(yes|tells the truth|is telling the truth)\b)", "yes"}}};
    case Answer::Words: return {Kind::BbhWordSort, {}, last, {}};
    }
    return {};
}

std::vector<Metric> metricsOf(const BbhTask& task, const Variant& variant)
{
    const std::string_view name = variant.name;
    if (name == "bbh_cot_fewshot")
        return {metric(Metric::Kind::ExactMatch, "get-answer", {Extraction::Kind::Regex, kGetAnswer, false, {}})};
    if (name == "bbh_fewshot")
        return {metric(Metric::Kind::ExactMatch)};
    const bool cot = name == "bbh_cot_zeroshot";
    Metric flexibleMetric = metric(Metric::Kind::ExactMatch, "flexible-extract", flexible(task.answer, cot));
    flexibleMetric.ignoreCase = true;
    flexibleMetric.remove = cot ? std::vector<std::string>{R"(\.$)", ",", R"(\\)", "\n", "\""}
                                : std::vector<std::string>{R"(\.$)", ",", "\n", R"(\\)", "\""};
    Metric strict = flexibleMetric;
    strict.filter = "strict-match";
    strict.extraction = {};
    if (cot)
        strict.extraction = {Extraction::Kind::Regex,
                             "((?<=The answer is )(.*)(?=.)|(?<=the answer is )(.*)(?=.)|(?<=The answer: )(.*)(?=.)|"
                             "(?<=The final answer: )(.*)(?=.))",
                             false,
                             {}};
    return {flexibleMetric, strict};
}

// Shots as docs: the inputs in the variant's form, the worked answers or what get-answer takes out of them.
Result<std::vector<Doc>> shotDocs(const Prompts& prompts, const Variant& variant, const std::string& file)
{
    std::vector<Doc> docs;
    const Result<PyRegex> getAnswer = PyRegex::compile(kGetAnswer);
    for (const auto& [input, worked] : prompts.examples) {
        Doc doc;
        doc.text = "Q: " + input + "\nA:" + variant.tail;
        doc.shot = worked;
        if (std::string_view(variant.name) == "bbh_fewshot") {
            Result<std::vector<PyRegex::Groups>> found = getAnswer->findAll(worked);
            if (!found.has_value())
                return found.error();
            if (found->empty())
                return inputError("A worked answer in '" + file + "' does not say 'the answer is ...'.");
            doc.shot = std::string(strip(found->front()[1]));
        }
        docs.push_back(std::move(doc));
    }
    return docs;
}

const TaskInfo& baseInfo()
{
    static const TaskInfo info{"bbh",
                               "BIG-Bench Hard: 27 tasks that need steps",
                               "bbh/<task>.json and bbh/cot-prompts/<task>.txt",
                               "github.com/suzgunmirac/BIG-Bench-Hard",
                               "MIT",
                               6511};
    return info;
}

// False when the task's file is not in the folder.
Result<bool> addOne(TaskSet& set, const BbhTask& task, const Variant& variant, const DataFolder& folder,
                    const TaskOptions& options)
{
    const std::string name = task.name;
    const std::vector<Candidate> files{{"bbh/" + name + ".json", "test", task.rows, Layout::Original},
                                       {"BIG-Bench-Hard/bbh/" + name + ".json", "test", task.rows, Layout::Original},
                                       {"bbh/" + name + "/test.jsonl", "test", task.rows, Layout::HuggingFace},
                                       {"bbh/" + name + ".jsonl", "test", task.rows, Layout::HuggingFace}};
    if (!locate(folder.path, files))
        return false;
    const std::vector<Candidate> promptFiles{{"bbh/cot-prompts/" + name + ".txt", {}, 0, Layout::Original},
                                             {"BIG-Bench-Hard/cot-prompts/" + name + ".txt", {}, 0, Layout::Original},
                                             {"cot-prompts/" + name + ".txt", {}, 0, Layout::Original}};
    const std::optional<Located> promptFile = locate(folder.path, promptFiles);
    if (!promptFile)
        return inputError(std::string("Task '") + variant.name + "_" + name
                          + "' needs its description and examples from "
                            "bbh/cot-prompts/"
                          + name + ".txt, which is not in '" + folder.path.string() + "'; it is available from "
                          + baseInfo().source + ".");
    Result<Prompts> prompts = readPrompts(task, promptFile->path);
    if (!prompts.has_value())
        return prompts.error();

    TaskInfo info = baseInfo();
    const Converter convert = [&](RowReader& reader) { return bbhDoc(reader, task, variant); };
    Result<Split> split = readSplit({info, files, convert, {}}, folder);
    if (!split.has_value())
        return split.error();
    Result<std::vector<Doc>> shots = shotDocs(*prompts, variant, promptFile->file);
    if (!shots.has_value())
        return shots.error();

    LeafTask leaf;
    leaf.name = std::string(variant.name) + "_" + name;
    leaf.version = variant.version;
    leaf.split = split->split;
    leaf.fewshot = variant.fixedShots ? 0 : options.fewshot.value_or(variant.fewshot);
    leaf.scoring = Scoring::Generation;
    leaf.metrics = metricsOf(task, variant);
    leaf.description = prompts->description;
    leaf.report = split->report;
    Assembly assembly;
    assembly.shots = Shots::First;
    assembly.maxNewTokens = std::string_view(variant.name) == "bbh_cot_fewshot" ? 1024 : 256;
    assembly.until = variant.fixedShots ? std::vector<std::string>{"</s>", "Q:", "<|im_end|>"}
                                        : std::vector<std::string>{"</s>", "Q", "\n\n"};
    const Result<void> added = append(set, std::move(leaf), split->docs, *shots, assembly, split->file, options);
    if (!added.has_value())
        return added.error();
    return true;
}

} // namespace

const std::vector<TaskInfo>& bbhTasks()
{
    static const std::vector<TaskInfo> infos = [] {
        std::vector<TaskInfo> result{baseInfo()};
        for (const Variant& variant : kVariants) {
            TaskInfo info = baseInfo();
            info.name = variant.name;
            result.push_back(info);
            for (const BbhTask& task : kTasks) {
                info.name = std::string(variant.name) + "_" + task.name;
                info.title = "BIG-Bench Hard: " + replaceAll(task.name, "_", " ");
                info.official = task.rows;
                result.push_back(info);
            }
        }
        return result;
    }();
    return infos;
}

Result<void> addBbh(TaskSet& set, std::string_view name, const DataFolder& folder, const TaskOptions& options)
{
    const std::string_view full = name == "bbh" ? "bbh_cot_fewshot" : name;
    const auto variant = std::find_if(std::begin(kVariants), std::end(kVariants),
                                      [&](const Variant& v) { return full.starts_with(v.name); });
    const std::string_view own = variant->name;
    const std::string_view part = full.size() > own.size() ? full.substr(own.size() + 1) : std::string_view();

    Group group;
    group.name = std::string(name);
    group.metric = Metric::Kind::ExactMatch;
    group.filter = variant->groupFilter;
    group.version = variant->groupVersion;
    int missing = 0;
    for (const BbhTask& task : kTasks) {
        if (!part.empty() && part != task.name)
            continue;
        Result<bool> added = addOne(set, task, *variant, folder, options);
        if (!added.has_value())
            return added.error();
        if (*added)
            group.leaves.push_back(set.leaves.size() - 1);
        else {
            ++missing;
            set.report.official += task.rows;
        }
    }
    if (group.leaves.empty())
        return missingFiles(baseInfo(), folder.path);
    if (missing > 0)
        set.notes.push_back("bbh: " + std::to_string(missing) + " of 27 tasks have no file in the data folder.");
    if (part.empty())
        set.groups.push_back(std::move(group));
    return {};
}

} // namespace headscope::tasks
