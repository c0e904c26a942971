// SPDX-License-Identifier: GPL-3.0-or-later
// The answers of a class: all sessions handed in, counted question by question. Any thread.
#pragma once

#include "core/base/result.h"
#include "sessions/answers.h"
#include "sessions/exam.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace headscope::sessions {

struct QuestionTally {
    std::string id; ///< "one-head 3": lesson, and step from 1
    std::string question;
    AnswerKind kind = AnswerKind::Choice;
    int n = 0;
    int right = 0;                                    ///< 0 for an open question
    double seconds = 0;                               ///< median
    std::vector<std::pair<std::string, int>> answers; ///< with their counts, most frequent first
};

struct HandedIn {
    std::filesystem::path file;
    std::string name; ///< as handed in; empty: the session does not contain one
    int answers = 0;
    int right = 0;
    std::optional<Exam> exam; ///< none: ordinary exercises
};

struct ClassTally {
    std::vector<HandedIn> students; ///< by file name
    std::vector<QuestionTally> questions;
    std::vector<std::string> problems; ///< one sentence for each file that is left out
};

/// Returns the name under which a session was handed in; keepHandedInName() stores it.
[[nodiscard]] Result<std::string> handedInName(SessionStore& session);
[[nodiscard]] Result<void> keepHandedInName(SessionStore& session, const std::string& name);

/// Answers that were handed in as a file other than a session.
struct AnswerSheet {
    std::filesystem::path file;
    std::string name; ///< of the person; empty: the file does not contain one
    std::filesystem::file_time_type changed;
    std::vector<Answer> answers;
};

/// Reads every session file (*.headscope, *.session) of a folder, without subfolders, and counts them together with
/// `sheets`. Of two files handed in under one name, the one changed last counts, and the other is reported as a
/// problem. Fails if the folder cannot be read, or contains nothing readable that was handed in.
[[nodiscard]] Result<ClassTally> tallyClass(const std::filesystem::path& folder,
                                            const std::vector<AnswerSheet>& sheets = {});

} // namespace headscope::sessions
