// SPDX-License-Identifier: GPL-3.0-or-later
// A student's hand-in as printable pages: answers, own figures, and scored states, all from the
// session.
#pragma once

#include "core/base/result.h"
#include "sessions/answers.h"
#include "sessions/exam.h"
#include "widgets/figures/figure.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace headscope::sessions {
class SessionStore;
}

namespace headscope::figures {

struct HandInRun {
    std::string name;
    std::string task;
    double accuracy = 0;
    std::int64_t n = 0;
};

struct HandInFigure {
    QString name;
    widgets::Figure figure;
    widgets::FigureStyle style;
};

struct HandIn {
    QString name; ///< of the student
    QString uid;  ///< of the session
    std::optional<sessions::Exam> exam;
    std::vector<sessions::Answer> answers;
    std::vector<HandInRun> runs;
    std::vector<HandInFigure> figures;
    QStringList problems; ///< figures that could not be drawn, with the reason
};

/// On the thread of the session. Fails where the session cannot be read, and where it holds no answer and is of no
/// exam.
[[nodiscard]] Result<HandIn> readHandIn(sessions::SessionStore& session, const QString& name);

/// Writes A4 pages as PDF; if the disk is full, an existing file is kept. GUI thread.
[[nodiscard]] Result<void> writeHandIn(const HandIn& handIn, const QString& path);

/// Returns the same as HTML without scripts; figure k is the picture "figure:k".
[[nodiscard]] QString handInHtml(const HandIn& handIn);

} // namespace headscope::figures
