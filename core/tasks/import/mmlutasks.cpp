// SPDX-License-Identifier: GPL-3.0-or-later
// MMLU: 57 subjects in four categories, as lm-evaluation-harness v0.4.7 asks them.
#include "core/tasks/import/harnesstasks.h"

#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace headscope::tasks {

using nlohmann::json;

namespace {

struct Subject {
    const char* name;
    const char* category;
    int test;
};

constexpr Subject kSubjects[] = {
    {"abstract_algebra", "stem", 100},
    {"anatomy", "stem", 135},
    {"astronomy", "stem", 152},
    {"college_biology", "stem", 144},
    {"college_chemistry", "stem", 100},
    {"college_computer_science", "stem", 100},
    {"college_mathematics", "stem", 100},
    {"college_physics", "stem", 102},
    {"computer_security", "stem", 100},
    {"conceptual_physics", "stem", 235},
    {"electrical_engineering", "stem", 145},
    {"elementary_mathematics", "stem", 378},
    {"high_school_biology", "stem", 310},
    {"high_school_chemistry", "stem", 203},
    {"high_school_computer_science", "stem", 100},
    {"high_school_mathematics", "stem", 270},
    {"high_school_physics", "stem", 151},
    {"high_school_statistics", "stem", 216},
    {"machine_learning", "stem", 112},
    {"formal_logic", "humanities", 126},
    {"high_school_european_history", "humanities", 165},
    {"high_school_us_history", "humanities", 204},
    {"high_school_world_history", "humanities", 237},
    {"international_law", "humanities", 121},
    {"jurisprudence", "humanities", 108},
    {"logical_fallacies", "humanities", 163},
    {"moral_disputes", "humanities", 346},
    {"moral_scenarios", "humanities", 895},
    {"philosophy", "humanities", 311},
    {"prehistory", "humanities", 324},
    {"professional_law", "humanities", 1534},
    {"world_religions", "humanities", 171},
    {"econometrics", "social_sciences", 114},
    {"high_school_geography", "social_sciences", 198},
    {"high_school_government_and_politics", "social_sciences", 193},
    {"high_school_macroeconomics", "social_sciences", 390},
    {"high_school_microeconomics", "social_sciences", 238},
    {"high_school_psychology", "social_sciences", 545},
    {"human_sexuality", "social_sciences", 131},
    {"professional_psychology", "social_sciences", 612},
    {"public_relations", "social_sciences", 110},
    {"security_studies", "social_sciences", 245},
    {"sociology", "social_sciences", 201},
    {"us_foreign_policy", "social_sciences", 100},
    {"business_ethics", "other", 100},
    {"clinical_knowledge", "other", 265},
    {"college_medicine", "other", 173},
    {"global_facts", "other", 100},
    {"human_aging", "other", 223},
    {"management", "other", 103},
    {"marketing", "other", 234},
    {"medical_genetics", "other", 100},
    {"miscellaneous", "other", 783},
    {"nutrition", "other", 306},
    {"professional_accounting", "other", 282},
    {"professional_medicine", "other", 272},
    {"virology", "other", 166},
};
constexpr const char* kCategories[] = {"stem", "humanities", "social_sciences", "other"};
constexpr const char* kOptionLetters[] = {"A", "B", "C", "D"};

const TaskInfo& info()
{
    return mmluTasks().front();
}

// The headerless original as objects; copies with a header are known only by the exact header.
void csvToObjects(Rows& rows, const std::string& file)
{
    static const std::vector<json> headers{
        json::array({"question", "choice0", "choice1", "choice2", "choice3", "answer"}),
        json::array({"question", "A", "B", "C", "D", "answer"})};
    std::vector<Row> converted;
    bool numeric = false;
    int shift = 0;
    for (Row& row : rows.rows) {
        if (row.record == 0 && std::find(headers.begin(), headers.end(), row.value) != headers.end()) {
            numeric = true;
            shift = 1;
            --rows.read;
            continue;
        }
        row.record -= shift;
        if (row.value.size() != 6) {
            rows.rejected.push_back({file,
                                     row.firstLine,
                                     row.lastLine,
                                     row.record,
                                     {},
                                     "bad_csv",
                                     {},
                                     "The record has " + std::to_string(row.value.size())
                                         + " columns; expected 6 (question, four choices, answer).",
                                     excerpt(row.value.dump())});
            continue;
        }
        json answer = row.value[5];
        const std::string text = answer;
        if (numeric && text.size() == 1 && text[0] >= '0' && text[0] <= '3')
            answer = text[0] - '0';
        row.value = {{"question", row.value[0]},
                     {"choices", json::array({row.value[1], row.value[2], row.value[3], row.value[4]})},
                     {"answer", answer}};
        converted.push_back(std::move(row));
    }
    rows.rows = std::move(converted);
    rows.csv = false;
}

// The segments of one rendered question; offsets as the text grows.
void addDocSegment(Doc& doc, Role role, std::string_view text, int group, bool target)
{
    doc.segments.push_back({role, doc.text.size(), doc.text.size() + text.size(), group, target});
    doc.text += text;
}

Doc mmluDoc(RowReader& reader)
{
    Doc doc;
    const std::string question = reader.filledText("question");
    const json choices = reader.row().value("choices", json());
    if (!choices.is_array() || choices.size() != 4) {
        reader.reject("choice_count", "choices", "The choices are not a list of 4.");
        return doc;
    }
    for (std::size_t i = 0; i < 4; ++i) {
        if (!choices[i].is_string())
            reader.reject("wrong_type", "choices", std::string("Choice ") + kOptionLetters[i] + " is not a string.");
        else if (choices[i].get_ref<const std::string&>().empty())
            reader.reject("empty_text", "choices", std::string("Choice ") + kOptionLetters[i] + " is empty.");
    }
    const json answer = reader.row().value("answer", json());
    int gold = -1;
    if (answer.is_number_integer() && answer >= 0 && answer <= 3)
        gold = answer;
    else if (answer.is_string() && answer.get<std::string>().size() == 1)
        gold = answer.get<std::string>()[0] - 'A';
    if (gold < 0 || gold > 3)
        reader.reject(answer.is_null() ? "missing_field" : "bad_label", "answer",
                      "The answer is " + excerpt(answer.dump(), 20) + "; expected A, B, C or D (or 0 to 3).");
    if (!reader.ok())
        return doc;
    if (std::set<json>(choices.begin(), choices.end()).size() != 4)
        reader.warn("choice_count", "choices", "Two choices are equal.");

    addDocSegment(doc, Role::Question, strip(question), -1, false);
    for (int i = 0; i < 4; ++i) {
        const auto at = static_cast<std::size_t>(i);
        doc.text += "\n";
        addDocSegment(doc, Role::Key, kOptionLetters[at], i, i == gold);
        doc.text += ". ";
        addDocSegment(doc, Role::Option, choices[at].get_ref<const std::string&>(), i, i == gold);
    }
    doc.text += "\n";
    addDocSegment(doc, Role::Answer, "Answer:", -1, false);
    doc.choices.assign(std::begin(kOptionLetters), std::end(kOptionLetters));
    doc.gold = gold;
    doc.shot = kOptionLetters[static_cast<std::size_t>(gold)];
    return doc;
}

std::vector<Candidate> candidates(const Subject& subject, const char* split, int official)
{
    const std::string name = subject.name;
    const std::string hub = std::string(split) == "val" ? "validation" : split;
    std::vector<Candidate> result{
        {"mmlu/" + std::string(split) + "/" + name + "_" + split + ".csv", split, official, Layout::Original},
        {"data/" + std::string(split) + "/" + name + "_" + split + ".csv", split, official, Layout::Original}};
    for (const char* suffix : {".jsonl", ".json", ".parquet"})
        result.push_back({"mmlu/" + name + "/" + hub + suffix, split, official, Layout::HuggingFace});
    return result;
}

void fill(Split& split, const Located& located, const DataFolder& folder)
{
    split.file = located.file;
    split.split = located.candidate.split;
    split.report.official = located.candidate.official;
    split.report.layout = located.candidate.layout;
    split.report.sample = folder.sample;
}

// In the hub's file of all subjects a row belongs to the subject it names.
void rejectUnknownSubjects(Rows& rows, const std::string& file)
{
    std::erase_if(rows.rows, [&](const Row& row) {
        const json named = row.value.value("subject", json());
        const bool known = std::any_of(std::begin(kSubjects), std::end(kSubjects),
                                       [&](const Subject& s) { return named == json(s.name); });
        if (!known)
            rows.rejected.push_back({file,
                                     row.firstLine,
                                     row.lastLine,
                                     row.record,
                                     {},
                                     named.is_null() ? "missing_field" : "unknown_subject",
                                     "subject",
                                     "The subject is " + excerpt(named.dump(), 30) + "; expected one of the 57.",
                                     excerpt(row.value.dump())});
        return !known;
    });
}

// The rows of one subject. Unreadable rows have no subject; they go with the first that has rows, so they are listed
// once.
Rows rowsOfSubject(Rows& all, const Subject& subject)
{
    Rows rows;
    for (const Row& row : all.rows) {
        if (row.value.value("subject", json()) == json(subject.name))
            rows.rows.push_back(row);
    }
    if (!rows.rows.empty())
        rows.rejected = std::exchange(all.rejected, {});
    rows.read = static_cast<int>(rows.rows.size() + rows.rejected.size());
    return rows;
}

// The hub's one file of all subjects is parsed once, not 57 times.
using SharedFiles = std::map<std::filesystem::path, Rows>;

// A subject's own file, or its rows in the hub's one file of all subjects.
Result<std::optional<Split>> readSubject(const Subject& subject, const char* splitName, int official,
                                         const DataFolder& folder, SharedFiles& shared)
{
    Split split;
    std::optional<Located> located = locate(folder.path, candidates(subject, splitName, official));
    const bool own = located.has_value();
    if (!own) {
        std::vector<Candidate> all;
        for (const char* place : {"mmlu/", "mmlu/all/"}) {
            for (const char* suffix : {".jsonl", ".json", ".parquet"})
                all.push_back({place + std::string(splitName) + suffix, splitName, official, Layout::HuggingFace});
        }
        located = locate(folder.path, all);
    }
    if (!located)
        return std::optional<Split>();
    Rows rows;
    if (const auto known = shared.find(located->path); !own && known != shared.end()) {
        rows = rowsOfSubject(known->second, subject);
    } else {
        Result<Rows> read = readRows(located->path, located->file);
        if (!read.has_value())
            return read.error();
        if (read->csv)
            csvToObjects(*read, located->file);
        else if (!own)
            rejectUnknownSubjects(*read, located->file);
        rows = own ? std::move(*read) : rowsOfSubject(shared[located->path] = std::move(*read), subject);
    }
    if (!own && rows.rows.empty())
        return std::optional<Split>();
    fill(split, *located, folder);
    split.docs = convertRows(std::move(rows), located->file, mmluDoc, split.report);
    return std::optional(std::move(split));
}

Result<bool> addSubject(TaskSet& set, const Subject& subject, const DataFolder& folder, const TaskOptions& options,
                        SharedFiles& shared)
{
    Result<std::optional<Split>> test = readSubject(subject, "test", subject.test, folder, shared);
    if (!test.has_value())
        return test.error();
    if (!test->has_value())
        return false;
    LeafTask leaf;
    leaf.name = std::string("mmlu_") + subject.name;
    leaf.version = "1.0";
    leaf.split = "test";
    leaf.fewshot = options.fewshot.value_or(0);
    leaf.metrics = {metric(Metric::Kind::Acc)};
    leaf.description = "The following are multiple choice questions (with answers) about "
                       + replaceAll(subject.name, "_", " ") + ".\n\n";
    leaf.report = (*test)->report;
    std::vector<Doc> shots;
    if (leaf.fewshot > 0) {
        Result<std::optional<Split>> dev = readSubject(subject, "dev", 5, folder, shared);
        if (!dev.has_value())
            return dev.error();
        if (!dev->has_value())
            return inputError("Task '" + leaf.name + "' needs its prompt examples from mmlu/dev/" + subject.name
                              + "_dev.csv, which is not in '" + folder.path.string() + "'.");
        shots = std::move((*dev)->docs);
    }
    Assembly assembly;
    assembly.shots = Shots::First;
    const std::string file = (*test)->file;
    const Result<void> added = append(set, std::move(leaf), (*test)->docs, shots, assembly, file, options);
    if (!added.has_value())
        return added.error();
    return true;
}

} // namespace

const std::vector<TaskInfo>& mmluTasks()
{
    static const std::vector<TaskInfo> infos = [] {
        const TaskInfo base{"mmlu",
                            "57 school and professional subjects, four options",
                            "mmlu/test/<subject>_test.csv and mmlu/dev/<subject>_dev.csv "
                            "(or the hub's mmlu/test.jsonl with the column subject)",
                            "github.com/hendrycks/test (data.tar), or the hub's cais/mmlu",
                            "MIT",
                            14042};
        std::vector<TaskInfo> result{base};
        const auto add = [&](std::string name, std::string title, int official) {
            TaskInfo info = base;
            info.name = std::move(name);
            info.title = std::move(title);
            info.official = official;
            result.push_back(std::move(info));
        };
        for (const char* category : kCategories) {
            int official = 0;
            for (const Subject& subject : kSubjects)
                official += std::string_view(subject.category) == category ? subject.test : 0;
            add(std::string("mmlu_") + category, "MMLU: " + replaceAll(category, "_", " "), official);
        }
        for (const Subject& subject : kSubjects)
            add(std::string("mmlu_") + subject.name, "MMLU: " + replaceAll(subject.name, "_", " "), subject.test);
        return result;
    }();
    return infos;
}

Result<void> addMmlu(TaskSet& set, std::string_view name, const DataFolder& folder, const TaskOptions& options)
{
    const std::string_view part = name == "mmlu" ? std::string_view() : name.substr(5);
    std::vector<const Subject*> wanted;
    bool single = false;
    for (const Subject& subject : kSubjects) {
        single = single || part == subject.name;
        if (part.empty() || part == subject.category || part == subject.name)
            wanted.push_back(&subject);
    }

    const std::size_t before = set.leaves.size();
    std::vector<std::pair<std::string, std::size_t>> added; // category, leaf
    int missing = 0;
    SharedFiles shared;
    for (const Subject* subject : wanted) {
        Result<bool> done = addSubject(set, *subject, folder, options, shared);
        if (!done.has_value())
            return done.error();
        if (*done)
            added.emplace_back(subject->category, set.leaves.size() - 1);
        else {
            ++missing;
            set.report.official += subject->test;
        }
    }
    for (const auto& [path, rows] : shared) {
        if (set.leaves.size() == before && !rows.rejected.empty())
            return inputError("'" + path.string() + "' has no usable row of " + std::string(name) + ": "
                              + toText(rows.rejected.front()));
    }
    if (set.leaves.size() == before) {
        TaskInfo asked = info();
        asked.name = "mmlu";
        return missingFiles(asked, folder.path);
    }
    if (missing > 0)
        set.notes.push_back("mmlu: " + std::to_string(missing) + " of " + std::to_string(wanted.size())
                            + " subjects have no file in the data folder.");
    if (single)
        return {};

    const auto addGroup = [&](std::string groupName, std::string_view category) {
        Group group;
        group.name = std::move(groupName);
        group.version = "2";
        for (const auto& [of, leaf] : added) {
            if (category.empty() || of == category)
                group.leaves.push_back(leaf);
        }
        if (!group.leaves.empty())
            set.groups.push_back(std::move(group));
    };
    addGroup(std::string(name), part);
    if (part.empty()) {
        for (const char* category : kCategories)
            addGroup(std::string("mmlu_") + category, category);
    }
    return {};
}

} // namespace headscope::tasks
