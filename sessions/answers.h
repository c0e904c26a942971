// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The user's answers in tours and exercises, stored in the session so that they can be handed in. On the thread of the
// store.

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::sessions {

class SessionStore;

enum class AnswerKind { Choice, Check, Open };

struct Answer {
    std::string lesson; ///< tour or exercises: the file's name without suffixes
    int step = 0;       ///< from 0
    std::string question;
    AnswerKind kind = AnswerKind::Choice;
    std::string answer;          ///< text chosen or written, or the measured value
    std::optional<bool> correct; ///< none: an open question
    std::string confidence;      ///< "guess", "think" or "know"; empty except for a choice
    double seconds = 0;          ///< from the question to the answer
    std::string created{};       ///< set when it is stored

    bool operator==(const Answer&) const = default;
};

/// Returns "choice", "check" or "open".
[[nodiscard]] std::string_view nameOf(AnswerKind kind);

/// Stores an answer in place of an earlier one to the same question; of a choice the first one stays, except in an
/// exam.
[[nodiscard]] Result<void> putAnswer(SessionStore& session, const Answer& answer, bool exam = false);
/// Every answer, by lesson and step.
[[nodiscard]] Result<std::vector<Answer>> answers(SessionStore& session);

} // namespace headscope::sessions
