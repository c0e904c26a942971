// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/results/classtally.h"

#include "sessions/sessionstore.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace headscope::sessions {

namespace {

constexpr const char* kNameKey = "handed-in";

/// A question while it is counted.
struct Counted {
    QuestionTally tally;
    std::map<std::string, int> answers;
    std::vector<double> seconds;
};

using Questions = std::map<std::pair<std::string, int>, Counted>;

/// Choices are the same one in every language: they are told apart by their letter, and shown in the words first seen.
std::string keyOf(const Answer& answer)
{
    return answer.kind == AnswerKind::Choice ? answer.answer.substr(0, 2) : answer.answer;
}

void count(Questions& questions, std::map<std::string, std::string>& words, const Answer& answer)
{
    Counted& counted = questions[{answer.lesson, answer.step}];
    QuestionTally& tally = counted.tally;
    if (tally.n++ == 0) {
        tally.id = answer.lesson + " " + std::to_string(answer.step + 1);
        tally.question = answer.question;
        tally.kind = answer.kind;
    }
    if (answer.correct.value_or(false))
        ++tally.right;
    counted.seconds.push_back(answer.seconds);
    const std::string key = answer.kind == AnswerKind::Check ? std::string("done") : keyOf(answer);
    ++counted.answers[key];
    words.try_emplace(tally.id + key, answer.kind == AnswerKind::Choice ? answer.answer : key);
}

QuestionTally finished(Counted counted, const std::map<std::string, std::string>& words)
{
    QuestionTally tally = std::move(counted.tally);
    auto middle = counted.seconds.begin() + static_cast<std::ptrdiff_t>(counted.seconds.size() / 2);
    std::nth_element(counted.seconds.begin(), middle, counted.seconds.end());
    tally.seconds = *middle;
    for (const auto& [key, times] : counted.answers)
        tally.answers.emplace_back(words.at(tally.id + key), times);
    std::stable_sort(tally.answers.begin(), tally.answers.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return tally;
}

std::vector<std::filesystem::path> sessionsIn(const std::filesystem::path& folder, std::error_code& failed)
{
    std::vector<std::filesystem::path> files;
    for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
        const std::string suffix = it->path().extension().string();
        if (std::error_code ignored; (suffix == ".headscope" || suffix == ".session") && it->is_regular_file(ignored))
            files.push_back(it->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// One file of the class, read.
struct Read {
    std::string who; ///< the name it was handed in under; without one, the session
    std::filesystem::file_time_type changed;
    HandedIn student;
    std::vector<Answer> answers;
};

/// `otherwise`: who it is where the sheet has no name.
Read readOf(AnswerSheet sheet, const std::string& otherwise)
{
    HandedIn student{sheet.file, sheet.name, static_cast<int>(sheet.answers.size()), 0, {}};
    for (const Answer& answer : sheet.answers)
        student.right += answer.correct.value_or(false) ? 1 : 0;
    return {sheet.name.empty() ? otherwise : sheet.name, sheet.changed, std::move(student), std::move(sheet.answers)};
}

Result<Read> readFile(const std::filesystem::path& file)
{
    auto session = SessionStore::open(file, {.create = false, .readOnly = true});
    if (!session.has_value())
        return session.error();
    const auto uid = session->uid();
    const auto name = uid.has_value() ? handedInName(*session) : Result<std::string>(uid.error());
    if (!name.has_value())
        return name.error();
    auto given = answers(*session);
    if (!given.has_value())
        return given.error();
    auto exam = examOf(*session);
    if (!exam.has_value())
        return exam.error();
    std::error_code ignored;
    Read read = readOf({file, *name, std::filesystem::last_write_time(file, ignored), std::move(*given)}, *uid);
    read.student.exam = std::move(*exam);
    return read;
}

/// Counts what was read of a person. Of two files under one name the one that was changed last stays.
void addRead(Read read, std::map<std::string, Read>& byName, ClassTally& tally)
{
    const auto [there, fresh] = byName.try_emplace(read.who, read);
    if (fresh)
        return;
    if (read.changed > there->second.changed)
        std::swap(there->second, read);
    tally.problems.push_back("'" + read.student.file.string() + "' is an earlier hand-in of the same name as '"
                             + there->second.student.file.string() + "' and is not counted.");
}

} // namespace

Result<std::string> handedInName(SessionStore& session)
{
    const auto name = session.uiState(kNameKey);
    if (!name.has_value())
        return name.error();
    const auto json = nlohmann::json::parse(name->value_or("{}"), nullptr, false);
    return json.is_object() && json.contains("name") && json["name"].is_string() ? json["name"].get<std::string>()
                                                                                 : std::string();
}

Result<void> keepHandedInName(SessionStore& session, const std::string& name)
{
    return session.setUiState(kNameKey, nlohmann::json{{"name", name}}.dump());
}

Result<ClassTally> tallyClass(const std::filesystem::path& folder, const std::vector<AnswerSheet>& sheets)
{
    std::error_code failed;
    const auto files = sessionsIn(folder, failed);
    if (failed)
        return inputError("The folder '" + folder.string() + "' cannot be read: " + failed.message() + ".");
    if (files.empty() && sheets.empty())
        return inputError("The folder '" + folder.string() + "' contains no session; expected files *.headscope.");
    ClassTally tally;
    std::map<std::string, Read> byName;
    for (const auto& file : files) {
        auto read = readFile(file);
        if (!read.has_value()) {
            tally.problems.push_back(read.error().message);
            continue;
        }
        addRead(std::move(*read), byName, tally);
    }
    for (const AnswerSheet& sheet : sheets)
        addRead(readOf(sheet, sheet.file.string()), byName, tally);
    if (byName.empty())
        return inputError("None of the sessions in '" + folder.string() + "' (" + std::to_string(files.size())
                          + ") can be read; the first: " + tally.problems.front());
    Questions questions;
    std::map<std::string, std::string> words;
    for (const auto& [who, read] : byName) {
        tally.students.push_back(read.student);
        for (const Answer& answer : read.answers)
            count(questions, words, answer);
    }
    std::sort(tally.students.begin(), tally.students.end(),
              [](const HandedIn& a, const HandedIn& b) { return a.file < b.file; });
    for (auto& [place, counted] : questions)
        tally.questions.push_back(finished(std::move(counted), words));
    return tally;
}

} // namespace headscope::sessions
