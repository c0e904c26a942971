// SPDX-License-Identifier: GPL-3.0-or-later
// What a class answered: the sessions that were handed in, counted question by question. Any thread.
#pragma once

#include "core/base/result.h"
#include "sessions/answers.h"

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
    int right = 0;                                    ///< of an open question 0
    double seconds = 0;                               ///< the middle one
    std::vector<std::pair<std::string, int>> answers; ///< and how often; the most frequent first
};

struct HandedIn {
    std::filesystem::path file;
    std::string name; ///< as it was handed in; empty: the session does not say
    int answers = 0;
    int right = 0;
};

struct ClassTally {
    std::vector<HandedIn> students; ///< by file name
    std::vector<QuestionTally> questions;
    std::vector<std::string> problems; ///< one sentence for each file that is left out
};

/// The name under which a session was handed in; `keep` stores it.
[[nodiscard]] Result<std::string> handedInName(SessionStore& session);
[[nodiscard]] Result<void> keepHandedInName(SessionStore& session, const std::string& name);

/// Answers that were handed in as another file than a session.
struct AnswerSheet {
    std::filesystem::path file;
    std::string name; ///< of the person; empty: the file does not say
    std::filesystem::file_time_type changed;
    std::vector<Answer> answers;
};

/// Reads every session file (*.headscope, *.session) of a folder, none of its folders, and counts `sheets` with them.
/// Of two files that were handed in under one name the one that was changed last counts, and the other is a problem.
/// Fails where the folder cannot be read, or nothing was handed in that can be read.
[[nodiscard]] Result<ClassTally> tallyClass(const std::filesystem::path& folder,
                                            const std::vector<AnswerSheet>& sheets = {});

} // namespace headscope::sessions
