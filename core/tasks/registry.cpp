// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/registry.h"

#include "core/base/hash.h"
#include "core/base/words/suggestion.h"
#include "core/io/pathlist.h"
#include "core/io/resources.h"
#include "core/tasks/english/english.h"
#include "core/tasks/import/assembly.h"
#include "core/tasks/import/harnesstasks.h"
#include "core/tasks/import/owntask.h"
#include "core/tasks/import/questiontable.h"
#include "core/tasks/kvretrieval.h"
#include "core/tasks/ownmodels.h"
#include "core/tasks/python/pytext.h"
#include "core/tasks/toy/toy.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace headscope::tasks {

namespace fs = std::filesystem;

namespace {

constexpr int kGenerated = 1000;        // examples of a generated task without a limit, as in the paper's notebook
constexpr const char* kStartless = "2"; // of prompts that version 1 began with the text "<s>" for every model
constexpr const char* kKnowledge[] = {"winogrande", "openbookqa", "piqa", "hellaswag", "arc_challenge", "arc_easy"};

struct TaskName {
    std::string base;
    std::map<std::string, std::string> settings;
};

// "kv_retrieval:pairs=16" to its parts.
Result<TaskName> parse(std::string_view text)
{
    TaskName result;
    const std::size_t colon = text.find(':');
    result.base = std::string(text.substr(0, colon));
    std::string_view rest = colon == text.npos ? std::string_view() : text.substr(colon + 1);
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view setting = rest.substr(0, comma);
        rest.remove_prefix(std::min(rest.size(), comma + 1));
        const std::size_t equals = setting.find('=');
        if (equals == setting.npos || equals == 0)
            return inputError("The task name '" + std::string(text) + "' has the setting '" + std::string(setting)
                              + "'; expected key=value.");
        result.settings[std::string(setting.substr(0, equals))] = std::string(setting.substr(equals + 1));
    }
    return result;
}

// Takes the integer setting out of the map.
Result<int> takeInteger(std::map<std::string, std::string>& settings, const std::string& key, int otherwise)
{
    const auto found = settings.find(key);
    if (found == settings.end())
        return otherwise;
    int value = 0;
    const std::string& digits = found->second;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
        return inputError("The setting '" + key + "' is '" + digits + "'; expected a whole number.");
    settings.erase(found);
    return value;
}

bool knows(const std::vector<TaskInfo>& infos, std::string_view name)
{
    return std::any_of(infos.begin(), infos.end(), [&](const TaskInfo& info) { return info.name == name; });
}

// Where packaging puts wonderwords' lists: <cache>/headscope/wonderwords. Empty where no cache folder is known.
fs::path cachedWords()
{
    const fs::path folder = io::cacheFolder();
    return folder.empty() ? folder : folder / "wonderwords";
}

Result<WordList> wordList(const TaskOptions& options)
{
    std::error_code ignored;
    if (!options.wordsFolder.empty())
        return readWonderwords(options.wordsFolder);
    if (!options.dataFolder.empty() && fs::exists(options.dataFolder / "words" / "nounlist.txt", ignored))
        return readWonderwords(options.dataFolder / "words");
    if (const fs::path cached = cachedWords(); !cached.empty() && fs::exists(cached / "nounlist.txt", ignored))
        return readWonderwords(cached);
    Result<fs::path> samples =
        options.samplesFolder.empty() ? samplesFolder() : Result<fs::path>(options.samplesFolder);
    if (!samples.has_value())
        return samples.error();
    return readOwnWords(samples->parent_path() / "words" / "words.txt");
}

// What rows that are made from words depend on.
std::string sourceOf(const WordList& words, std::uint64_t seed)
{
    Sha256 source;
    source.add("generated with seed " + std::to_string(seed));
    for (const std::string& word : words.words)
        source.add("\n" + word);
    return source.hex();
}

// How many examples to make; a fraction is one of the number `without` a limit.
int generatedCount(const std::optional<double>& limit, int without)
{
    if (limit && *limit >= 1)
        return static_cast<int>(std::min(*limit, static_cast<double>(std::numeric_limits<int>::max())));
    return static_cast<int>(limited(static_cast<std::size_t>(without), limit));
}

// Adds generated examples as one leaf.
void addGenerated(TaskSet& set, LeafTask leaf, std::vector<Example> examples)
{
    leaf.split = "generated";
    leaf.report.layout = Layout::Generated;
    leaf.report.read = leaf.report.accepted = static_cast<int>(examples.size());
    leaf.begin = set.examples.size();
    set.examples.insert(set.examples.end(), std::make_move_iterator(examples.begin()),
                        std::make_move_iterator(examples.end()));
    leaf.end = set.examples.size();
    set.report.add(leaf.report);
    set.leaves.push_back(std::move(leaf));
}

Result<void> addKvRetrieval(TaskSet& set, TaskName& name, const TaskOptions& options)
{
    const Result<int> pairs = takeInteger(name.settings, "pairs", 16);
    if (!pairs.has_value())
        return pairs.error();
    Result<WordList> words = wordList(options);
    if (!words.has_value())
        return words.error();
    Result<std::vector<Example>> examples =
        kvRetrieval(*words, *pairs, generatedCount(options.limit, kGenerated), options.seed);
    if (!examples.has_value())
        return examples.error();
    LeafTask leaf;
    leaf.name = "kv_retrieval:pairs=" + std::to_string(*pairs);
    leaf.rowSource = sourceOf(*words, options.seed);
    leaf.version = "1";
    leaf.pairing = PairEncoding::KvRetrieval;
    leaf.metrics = {metric(Metric::Kind::Acc)};
    set.notes.push_back("kv_retrieval: keys from " + words->origin + ", seed " + std::to_string(options.seed) + ".");
    addGenerated(set, std::move(leaf), std::move(*examples));
    return {};
}

Result<void> addToy(TaskSet& set, const TaskOptions& options)
{
    const Result<ToyTask> toy = parseToyTask(set.name);
    if (!toy.has_value())
        return toy.error();
    ToyOptions toyOptions;
    toyOptions.limit = generatedCount(options.limit, defaultCount(*toy));
    toyOptions.seed = options.seed;
    Result<std::vector<Example>> examples = toyExamples(set.name, toyOptions);
    if (!examples.has_value())
        return examples.error();
    LeafTask leaf;
    leaf.name = toy->name;
    leaf.rowSource = sha256Hex("generated with seed " + std::to_string(options.seed));
    leaf.version = kStartless;
    leaf.scoring = Scoring::LogLikelihood;
    leaf.pairing = PairEncoding::ModelStart;
    leaf.afterStart = " ";
    leaf.metrics = {metric(Metric::Kind::Acc)};
    addGenerated(set, std::move(leaf), std::move(*examples));
    return {};
}

// Always over Headscope's own words: the small English models never met them where something was asked.
Result<void> addEnglish(TaskSet& set, const TaskOptions& options)
{
    const Result<EnglishTask> task = parseEnglishTask(set.name);
    if (!task.has_value())
        return task.error();
    const Result<fs::path> samples =
        options.samplesFolder.empty() ? samplesFolder() : Result<fs::path>(options.samplesFolder);
    if (!samples.has_value())
        return samples.error();
    const Result<WordList> words = readOwnWords(samples->parent_path() / "words" / "words.txt");
    if (!words.has_value())
        return words.error();
    Result<std::vector<Example>> examples =
        englishExamples(set.name, words->words, generatedCount(options.limit, defaultCount(*task)), options.seed);
    if (!examples.has_value())
        return examples.error();
    LeafTask leaf;
    leaf.name = task->name;
    leaf.rowSource = sourceOf(*words, options.seed);
    leaf.version = kStartless;
    leaf.scoring = Scoring::LogLikelihood;
    leaf.pairing = PairEncoding::ModelStart;
    leaf.metrics = {metric(Metric::Kind::Acc)};
    addGenerated(set, std::move(leaf), std::move(*examples));
    return {};
}

Result<void> addKnowledge(TaskSet& set, const DataFolder& folder, const TaskOptions& options)
{
    // The mean of fewer tasks is another number and has another name: "knowledge without piqa".
    Group group;
    group.weighBySize = false;
    group.version = "1";
    std::string without, why;
    for (const char* part : kKnowledge) {
        if (const Result<void> added = addChoiceTask(set, part, folder, options); !added.has_value()) {
            without += (without.empty() ? "" : ", ") + std::string(part);
            why = why.empty() ? added.error().message : why;
        } else {
            group.leaves.push_back(set.leaves.size() - 1);
        }
    }
    if (group.leaves.size() < 2)
        return inputError("Task 'knowledge' is the mean of six: " + why);
    group.name = without.empty() ? "knowledge" : "knowledge without " + without;
    if (!without.empty())
        set.notes.push_back("The mean of " + std::to_string(group.leaves.size()) + " of the six tasks of knowledge, "
                            + "without " + without + ": " + why);
    set.groups.push_back(std::move(group));
    return {};
}

Error unknownTask(const std::string& name)
{
    std::vector<std::string> known;
    for (TaskInfo& info : listTasks())
        known.push_back(std::move(info.name));
    return inputError("There is no task '" + excerpt(name, 60) + "'" + didYouMean(name, known)
                      + "; expected one of mmlu, mmlu_<subject>, lambada_openai, gsm8k, swde, "
                        "bbh, bbh_cot_fewshot_<task>, arc_challenge, arc_easy, arc_challenge_chat, piqa, winogrande, "
                        "hellaswag, openbookqa, knowledge, kv_retrieval, toy_kv, toy_mc, toy_knowledge, word_kv, "
                        "passage_mc, ioi, induction, facts, cloze, or the path of a task file.");
}

Result<void> addTask(TaskSet& set, TaskName& name, const TaskOptions& options)
{
    const std::string& base = name.base;
    if (base == "kv_retrieval")
        return addKvRetrieval(set, name, options);
    if (base.starts_with("toy_")) {
        name.settings.clear(); // read, and refused where wrong, by the toy tasks themselves
        return addToy(set, options);
    }
    if (isEnglishTask(base)) {
        name.settings.clear(); // likewise
        return addEnglish(set, options);
    }

    const bool known = base == "knowledge" || base == clozeTask().name || knows(choiceTasks(), base)
                       || knows(openTasks(), base) || knows(mmluTasks(), base) || knows(bbhTasks(), base);
    if (!known)
        return unknownTask(base);
    Result<DataFolder> folder = dataFolder(options);
    if (!folder.has_value())
        return folder.error();
    if (base == "knowledge")
        return addKnowledge(set, *folder, options);
    if (base == clozeTask().name)
        return addCloze(set, *folder, options);
    if (knows(choiceTasks(), base))
        return addChoiceTask(set, base, *folder, options);
    if (knows(openTasks(), base))
        return addOpenTask(set, base, *folder, options);
    if (knows(mmluTasks(), base))
        return addMmlu(set, base, *folder, options);
    return addBbh(set, base, *folder, options);
}

} // namespace

bool isDictionaryTask(std::string_view name)
{
    return name.starts_with("toy_kv") || name.starts_with("word_kv") || name.starts_with("kv_retrieval");
}

bool isTaskFile(std::string_view name)
{
    return name.ends_with(".json") || name.ends_with(".yaml") || name.ends_with(".yml")
           || Table::isTable(fs::path(name));
}

Result<TaskSet> makeTask(std::string_view name, const TaskOptions& options)
{
    if (options.fewshot && *options.fewshot < 0)
        return inputError("The number of examples in the prompt is " + std::to_string(*options.fewshot)
                          + "; expected 0 or more.");
    if (options.limit && !(*options.limit > 0))
        return inputError("The limit is not a positive number of rows.");
    TaskSet set;
    set.name = std::string(name);
    if (isTaskFile(name)) {
        const bool table = Table::isTable(fs::path(name));
        const Result<void> added =
            table ? addTable(set, fs::path(name), options) : addOwnTask(set, fs::path(name), options);
        return added.has_value() ? Result<TaskSet>(std::move(set)) : added.error();
    }
    Result<TaskName> parsed = parse(name);
    if (!parsed.has_value())
        return parsed.error();
    if (const Result<void> added = addTask(set, *parsed, options); !added.has_value())
        return added.error();
    if (!parsed->settings.empty())
        return inputError("Task '" + parsed->base + "' has no setting '" + parsed->settings.begin()->first + "'.");
    if (set.report.sample)
        set.notes.push_back("These are the few sample rows that ship with Headscope, not the benchmark.");
    return set;
}

Result<TaskSet> makeTask(std::string_view name, const TaskOptions& options, const text::Tokenizer& tokenizer)
{
    Result<TaskSet> set = makeTask(name, options);
    if (set.has_value())
        fitTo(*set, tokenizer);
    return set;
}

std::vector<TaskInfo> listTasks()
{
    std::vector<TaskInfo> result;
    result.push_back({"knowledge", "the paper's mean of six multiple-choice tasks (acc)",
                      "the files of winogrande, openbookqa, piqa, hellaswag, "
                      "arc_challenge and arc_easy",
                      "", "", 0}); // of each its own
    for (const std::vector<TaskInfo>* infos : {&choiceTasks(), &openTasks(), &mmluTasks(), &bbhTasks()})
        result.insert(result.end(), infos->begin(), infos->end());
    result.push_back({"kv_retrieval", "the value of a key in a list; kv_retrieval:pairs=16",
                      "none; words/nounlist.txt, verblist.txt, "
                      "adjectivelist.txt of wonderwords if there",
                      "", "", 0});
    result.push_back({"toy_kv", "the tiny models' dictionary task; toy_kv:pairs=8", "none", "", "", 0});
    result.push_back({"toy_mc", "the tiny models' multiple-choice task", "none", "", "", 0});
    result.push_back({"toy_knowledge", "the tiny models' facts", "none", "", "", 0});
    result.push_back(
        {"word_kv", "a dictionary of any words; word_kv:pairs=8, word_kv_plain, word_kv_short", "none", "", "", 0});
    result.push_back({"passage_mc", "facts in a passage, answered by the letter of an option", "none", "", "", 0});
    result.push_back({"ioi", "the one of two people who receives something", "none", "", "", 0});
    result.push_back({"induction", "the next word of a list that is repeated", "none", "", "", 0});
    result.push_back({"facts", "the small English models' made-up facts", "none", "", "", 0});
    result.push_back(clozeTask());
    return result;
}

Result<fs::path> samplesFolder()
{
    const fs::path folder = io::resourcesFolder() / "samples";
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return ioError(
            "The folder with the sample rows was not found; set HEADSCOPE_RESOURCES to Headscope's resources folder.");
    return folder;
}

} // namespace headscope::tasks
