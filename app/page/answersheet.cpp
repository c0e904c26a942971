// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/page/answersheet.h"

#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace headscope::page {

namespace {

using nlohmann::json;
using sessions::AnswerKind;

constexpr std::uint64_t kLongestSheet = 1'000'000;
constexpr std::size_t kMostAnswers = 1000;
constexpr int kMostSteps = 1000;

std::optional<AnswerKind> kindNamed(const json& name)
{
    for (const AnswerKind kind : {AnswerKind::Choice, AnswerKind::Check, AnswerKind::Open})
        if (name == sessions::nameOf(kind))
            return kind;
    return std::nullopt;
}

bool isText(const json& object, const char* key)
{
    return object.contains(key) && object[key].is_string();
}

std::optional<sessions::Answer> givenAnswer(const json& object)
{
    if (!object.is_object() || !object.contains("kind") || !isText(object, "lesson") || !isText(object, "answer")
        || !object.contains("step") || !object["step"].is_number_integer())
        return std::nullopt;
    const auto kind = kindNamed(object["kind"]);
    const auto step = object["step"].get<std::int64_t>();
    if (!kind || step < 0 || step >= kMostSteps)
        return std::nullopt;
    sessions::Answer answer{
        .lesson = object["lesson"].get<std::string>(),
        .step = static_cast<int>(step),
        .question = isText(object, "question") ? object["question"].get<std::string>() : std::string(),
        .kind = *kind,
        .answer = object["answer"].get<std::string>(),
        .correct = {},
        .confidence = isText(object, "confidence") ? object["confidence"].get<std::string>() : std::string()};
    if (object.contains("correct") && object["correct"].is_boolean() && *kind != AnswerKind::Open)
        answer.correct = object["correct"].get<bool>();
    if (object.contains("seconds") && object["seconds"].is_number())
        answer.seconds = std::max(object["seconds"].get<double>(), 0.0);
    return answer;
}

} // namespace

Result<sessions::AnswerSheet> readAnswerSheet(const std::filesystem::path& file)
{
    const auto text = io::readTextFile(file, kLongestSheet);
    if (!text.has_value())
        return text.error();
    const std::string name = "'" + file.filename().string() + "'";
    const json object = json::parse(*text, nullptr, false);
    if (!object.is_object() || !object.contains("headscope_answers") || !object.contains("answers")
        || !object["answers"].is_array())
        return inputError(name + " does not contain answers saved from a page.");
    if (object["headscope_answers"] != 1)
        return inputError(name + " was saved by a page of a later version.");
    if (object["answers"].size() > kMostAnswers)
        return inputError(name + " contains " + std::to_string(object["answers"].size()) + " answers; expected at most "
                          + std::to_string(kMostAnswers) + ".");
    std::error_code ignored;
    sessions::AnswerSheet sheet{.file = file,
                                .name = isText(object, "name") ? object["name"].get<std::string>() : std::string(),
                                .changed = std::filesystem::last_write_time(file, ignored),
                                .answers = {}};
    for (const json& one : object["answers"]) {
        auto answer = givenAnswer(one);
        if (!answer)
            return inputError(name
                              + " has an answer that cannot be read: expected a lesson, a step, a kind and words.");
        sheet.answers.push_back(std::move(*answer));
    }
    return sheet;
}

AnswerSheets answerSheetsIn(const std::filesystem::path& folder)
{
    AnswerSheets found;
    std::vector<std::filesystem::path> files;
    std::error_code failed;
    for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
        if (std::error_code ignored; it->path().extension() == ".json" && it->is_regular_file(ignored))
            files.push_back(it->path());
    std::ranges::sort(files);
    for (const auto& file : files) {
        auto sheet = readAnswerSheet(file);
        if (sheet.has_value())
            found.sheets.push_back(std::move(*sheet));
        else
            found.problems.push_back(sheet.error().message);
    }
    return found;
}

} // namespace headscope::page
