// SPDX-License-Identifier: GPL-3.0-or-later
// The user's answers in one tour or set of exercises: those of this run of the program and, if a session is open,
// earlier ones. GUI thread.
#pragma once

#include "app/backend/session/sessiondoor.h"
#include "sessions/answers.h"
#include "widgets/frame/tourpanel.h"

#include <QElapsedTimer>
#include <QMap>
#include <QObject>
#include <QString>

#include <functional>

namespace headscope::gui {

class AnswerBook : public QObject
{
    Q_OBJECT

public:
    AnswerBook(app::SessionDoor& session, QObject* parent);
    /// Discards the previous lesson, reads the session's answers of this one, and then calls `then` once.
    void open(const QString& lesson, std::function<void()> then);
    /// From now on a choice replaces an earlier one.
    void setExam() { m_exam = true; }
    /// Nothing is kept any more.
    void lock() { m_locked = true; }
    /// The clock of an answer begins.
    void ask() { m_since.start(); }
    void choose(int step, const QString& question, int answer, const QString& words, bool right,
                widgets::Confidence confidence);
    void recordSolved(int step, const QString& question, const QString& measured);
    void write(int step, const QString& question, const QString& text);
    [[nodiscard]] bool has(int step) const { return m_answers.contains(step); }
    /// Returns the choice, from 0; -1: none.
    [[nodiscard]] int choice(int step) const;
    [[nodiscard]] widgets::Confidence confidence(int step) const;
    /// Returns the text written or measured.
    [[nodiscard]] QString words(int step) const;

private:
    void keep(sessions::Answer answer);

    app::SessionDoor& m_session;
    QString m_lesson;
    QMap<int, sessions::Answer> m_answers; ///< by step
    QElapsedTimer m_since;
    bool m_exam = false;
    bool m_locked = false;
};

/// Returns "b) both": a choice as stored, the same in every language up to the bracket.
[[nodiscard]] QString choiceWords(int answer, const QString& words);

} // namespace headscope::gui
