// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours/answerbook.h"

#include "app/backend/session/keeprequests.h"

#include <array>
#include <utility>

namespace headscope::gui {

namespace {

using Answers = std::vector<sessions::Answer>;

constexpr std::array<std::string_view, 3> kConfidences{"guess", "think", "know"}; // widgets::Confidence in order

} // namespace

QString choiceWords(int answer, const QString& words)
{
    return QChar(u'a' + answer) + QStringLiteral(") ") + words;
}

AnswerBook::AnswerBook(app::SessionDoor& session, QObject* parent) : QObject(parent), m_session(session) {}

void AnswerBook::open(const QString& lesson, std::function<void()> then)
{
    m_lesson = lesson;
    m_answers.clear();
    if (!m_session.isOpen())
        return then();
    m_session.askLatest<Answers>(this, "answers", app::givenAnswers(),
                                 [this, lesson, then = std::move(then)](const Result<Answers>& answers) {
                                     if (lesson != m_lesson)
                                         return;
                                     if (answers.has_value())
                                         for (const sessions::Answer& answer : *answers)
                                             if (answer.lesson == lesson.toStdString())
                                                 m_answers[answer.step] = answer;
                                     then();
                                 });
}

void AnswerBook::choose(int step, const QString& question, int answer, const QString& words, bool right,
                        widgets::Confidence confidence)
{
    keep({.step = step,
          .question = question.toStdString(),
          .kind = sessions::AnswerKind::Choice,
          .answer = choiceWords(answer, words).toStdString(),
          .correct = right,
          .confidence = std::string(kConfidences[static_cast<std::size_t>(confidence)])});
}

void AnswerBook::recordSolved(int step, const QString& question, const QString& measured)
{
    keep({.step = step,
          .question = question.toStdString(),
          .kind = sessions::AnswerKind::Check,
          .answer = measured.toStdString(),
          .correct = true});
}

void AnswerBook::write(int step, const QString& question, const QString& text)
{
    keep({.step = step,
          .question = question.toStdString(),
          .kind = sessions::AnswerKind::Open,
          .answer = text.toStdString()});
}

void AnswerBook::keep(sessions::Answer answer)
{
    if (m_locked)
        return;
    answer.lesson = m_lesson.toStdString();
    answer.seconds = m_since.isValid() ? static_cast<double>(m_since.elapsed()) / 1000.0 : 0.0;
    m_session.keep(app::keepAnswer(answer, m_exam));
    m_answers[answer.step] = std::move(answer);
}

int AnswerBook::choice(int step) const
{
    const auto found = m_answers.find(step);
    if (found == m_answers.end() || found->kind != sessions::AnswerKind::Choice || found->answer.size() < 2
        || found->answer[1] != ')')
        return -1;
    return found->answer[0] - 'a';
}

widgets::Confidence AnswerBook::confidence(int step) const
{
    const auto found = m_answers.find(step);
    for (std::size_t i = 0; found != m_answers.end() && i < kConfidences.size(); ++i)
        if (found->confidence == kConfidences[i])
            return static_cast<widgets::Confidence>(i);
    return widgets::Confidence::Think;
}

QString AnswerBook::words(int step) const
{
    const auto found = m_answers.find(step);
    return found == m_answers.end() ? QString() : QString::fromStdString(found->answer);
}

} // namespace headscope::gui
