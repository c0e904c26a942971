// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Exercises that are answered as an exam: their file is checked, and each exam has a session of its own, which
// continues after a crash until it is handed in. GUI thread.

#include "app/window/tours/tour.h"
#include "sessions/exam.h"

#include <QDateTime>

namespace headscope::gui {

struct OpenedExam {
    Tour tour;
    sessions::Exam record;
    QString session; ///< file
};

/// Begins an exam, or continues the one that was begun with the same content of `file` and not handed in. `file`: of
/// exercises, or the name of some that come with the program. `folder`: where sessions of exams are kept. The
/// translation beside the file in the language of `locale` is shown. Fails, before it writes anything, for a file that
/// asks nothing or that needs heads to be ranked.
[[nodiscard]] Result<OpenedExam> openExam(const QString& file, const QString& resources, const QString& folder,
                                          const QString& locale);

/// Seconds that are used at `now`, at most what the exam may take.
[[nodiscard]] double secondsUsed(const sessions::Exam& exam, const QDateTime& now);
/// "2026-11-29T21:58:29Z"
[[nodiscard]] std::string examTime(const QDateTime& time);

/// "41 min left", in the last minutes "4:05 left", at the end "Time is up"; empty: there is no limit.
[[nodiscard]] QString timeLeftText(const sessions::Exam& exam, double secondsUsed);

} // namespace headscope::gui
