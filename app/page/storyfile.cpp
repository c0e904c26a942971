// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/page/storyfile.h"

#include "core/base/samplesource.h"
#include "core/base/words/suggestion.h"
#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace headscope::page {

namespace {

using nlohmann::json;
using Names = std::map<std::string, std::string>;

std::string stringOf(const json& object, const char* key)
{
    return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
}

std::vector<std::string> stringsOf(const json& object, const char* key)
{
    std::vector<std::string> found;
    if (object.contains(key) && object[key].is_array())
        for (const json& one : object[key])
            if (one.is_string())
                found.push_back(one.get<std::string>());
    return found;
}

/// Paragraphs are lines, as tours have them.
std::string linesOf(const json& object, const char* key)
{
    std::string text;
    for (const std::string& line : stringsOf(object, key))
        text += (text.empty() ? "" : "\n") + line;
    return text;
}

void readRange(const json& range, Condition& condition)
{
    if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number())
        return;
    condition.low = range[0].get<double>();
    condition.high = range[1].get<double>();
}

Condition conditionOf(const json& object)
{
    Condition condition{.kind = {}, .task = stringOf(object, "score"), .high = 1e300};
    condition.side = stringOf(object, "side") == "B" ? 1 : 0;
    if (!condition.task.empty()) {
        condition.kind = "score";
        condition.high = 1;
        condition.low = object.contains("low") && object["low"].is_number() ? object["low"].get<double>() : 0;
        if (object.contains("high") && object["high"].is_number())
            condition.high = object["high"].get<double>();
    }
    for (const char* kind : {"heads", "target", "effective"})
        if (object.contains(kind)) {
            condition.kind = kind;
            readRange(object[kind], condition);
        }
    if (object.contains("of layer") && object["of layer"].is_number_integer())
        condition.layer = object["of layer"].get<int>();
    return condition;
}

/// "toy_kv:pairs=8 5" as sessions name it; any other text as it is.
std::string sourceOf(const std::string& sample)
{
    const auto blank = sample.rfind(' ');
    const char* const end = sample.data() + sample.size();
    int index = 0;
    if (blank == std::string::npos || std::from_chars(sample.data() + blank + 1, end, index).ptr != end)
        return sample;
    return sampleSource(sample.substr(0, blank), index);
}

void readSides(const json& object, const char* key, const char* keyB, std::string (&sides)[2])
{
    sides[0] = stringOf(object, key);
    sides[1] = stringOf(object, keyB);
}

Scene sceneOf(const json& step)
{
    Scene scene;
    const json show = step.value("show", json::object());
    if (!show.is_object())
        return scene;
    scene.sample = sourceOf(stringOf(show, "sample"));
    readSides(show, "head", "headB", scene.heads);
    readSides(show, "off", "offB", scene.off);
    if (step.contains("reveal") && step["reveal"].is_object()) {
        scene.reveals = true;
        readSides(step["reveal"], "off", "offB", scene.revealOff);
    }
    return scene;
}

Step stepOf(const json& object)
{
    Step step{.title = stringOf(object, "title"),
              .text = linesOf(object, "text"),
              .question = stringOf(object, "question"),
              .explanation = linesOf(object, "explanation"),
              .choices = stringsOf(object, "answers"),
              .why = stringsOf(object, "why"),
              .cover = stringsOf(object, "cover"),
              .conditions = {},
              .scene = sceneOf(object)};
    if (object.contains("right") && object["right"].is_number_integer())
        step.right = object["right"].get<int>();
    if (object.contains("solution") && object["solution"].is_object())
        readSides(object["solution"], "off", "offB", step.solution);
    step.write = object.contains("write") && object["write"] == true;
    if (object.contains("check") && object["check"].is_array())
        for (const json& condition : object["check"])
            if (condition.is_object())
                step.conditions.push_back(conditionOf(condition));
    return step;
}

void replaceNames(const Names& names, std::string& text)
{
    for (const auto& [name, head] : names)
        for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + head.size()))
            text.replace(at, name.size(), head);
}

Names namesOf(const Data& data)
{
    Names names;
    for (std::size_t side = 0; side < std::min<std::size_t>(data.models.size(), 2); ++side)
        for (const auto& [head, role] : data.models[side].roles)
            names.try_emplace((role == "G" ? "{gather" : "{aggregate") + std::string(side == 0 ? "}" : "B}"), head);
    return names;
}

} // namespace

Result<Story> readStory(const std::filesystem::path& file)
{
    const auto text = io::readTextFile(file);
    if (!text.has_value())
        return text.error();
    const json object = json::parse(*text, nullptr, false);
    if (!object.is_object() || !object.contains("steps") || !object["steps"].is_array())
        return inputError("'" + file.filename().string()
                          + "' is not a tour or a set of exercises; expected a JSON object with \"steps\".");
    const std::string name = file.filename().string();
    Story story{.id = name.substr(0, name.find('.')),
                .title = stringOf(object, "title"),
                .summary = stringOf(object, "summary"),
                .models = stringsOf(object, "models"),
                .steps = {}};
    for (const json& step : object["steps"]) {
        if (!step.is_object())
            return inputError("'" + name + "' has a step that is not a JSON object.");
        story.steps.push_back(stepOf(step));
    }
    if (story.steps.empty())
        return inputError("'" + name + "' has no steps.");
    return story;
}

Result<std::filesystem::path> findStory(const std::filesystem::path& resources, const std::string& name)
{
    std::error_code ignored;
    if (std::filesystem::is_regular_file(name, ignored))
        return std::filesystem::path(name);
    std::set<std::string> known;
    for (const char* folder : {"tours", "exercises"}) {
        if (auto file = resources / folder / (name + ".json"); std::filesystem::is_regular_file(file, ignored))
            return file;
        for (const auto& entry : std::filesystem::directory_iterator(resources / folder, ignored))
            known.insert(entry.path().stem().stem().string());
    }
    std::string names;
    for (const std::string& one : known)
        names += (names.empty() ? "" : ", ") + one;
    return inputError("There is no story '" + name + "'" + didYouMean(name, {known.begin(), known.end()})
                      + "; expected a file or one of " + names + ".");
}

std::filesystem::path germanOf(const std::filesystem::path& file)
{
    std::filesystem::path german = file;
    german.replace_extension(".de.json");
    std::error_code ignored;
    return std::filesystem::is_regular_file(german, ignored) ? german : std::filesystem::path();
}

std::vector<std::string> sourcesOf(const Story& story)
{
    std::vector<std::string> sources;
    for (const Step& step : story.steps)
        if (!step.scene.sample.empty() && std::ranges::find(sources, step.scene.sample) == sources.end())
            sources.push_back(step.scene.sample);
    return sources;
}

std::vector<std::string> ablationsOf(const Story& story, int side)
{
    std::set<std::string> ablations;
    for (const Step& step : story.steps)
        for (const std::string& off : {step.scene.off[side], step.scene.revealOff[side], step.solution[side]})
            if (!off.empty() && off.find('{') == std::string::npos)
                ablations.insert(off);
    return {ablations.begin(), ablations.end()};
}

void nameHeads(const Data& data, Story& story)
{
    const Names names = namesOf(data);
    for (Step& step : story.steps) {
        for (std::string* text : {&step.title, &step.text, &step.question, &step.explanation})
            replaceNames(names, *text);
        for (std::vector<std::string>* list : {&step.choices, &step.why})
            for (std::string& text : *list)
                replaceNames(names, text);
        for (std::string(*sides)[2] : {&step.scene.heads, &step.scene.off, &step.scene.revealOff})
            for (std::string& text : *sides)
                replaceNames(names, text);
    }
}

} // namespace headscope::page
