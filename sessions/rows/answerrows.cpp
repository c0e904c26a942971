// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/answers.h"

#include "sessions/file/connection.h"
#include "sessions/rows/columns.h"
#include "sessions/sessionstore.h"

#include <array>
#include <utility>

namespace headscope::sessions {

namespace {

constexpr std::array<std::pair<AnswerKind, std::string_view>, 3> kAnswerKinds{
    {{AnswerKind::Choice, "choice"}, {AnswerKind::Check, "check"}, {AnswerKind::Open, "open"}}};

AnswerKind kindOf(std::string_view name)
{
    for (const auto& [kind, known] : kAnswerKinds)
        if (known == name)
            return kind;
    throw BadRow("expected choice, check or open, got '" + std::string(name.substr(0, 40)) + "'");
}

} // namespace

std::string_view nameOf(AnswerKind kind)
{
    return kAnswerKinds[static_cast<std::size_t>(kind)].second;
}

Result<void> putAnswer(SessionStore& session, const Answer& answer, bool exam)
{
    return session.connection().write([&](SQLite::Database& db) {
        SQLite::Statement insert(
            db, "INSERT INTO answers(lesson, step, question, kind, answer, correct, confidence, seconds, created) "
                "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT(lesson, step) DO UPDATE SET question = ?3, "
                "kind = ?4, answer = ?5, correct = ?6, confidence = ?7, seconds = ?8, created = ?9 "
                "WHERE kind <> 'choice' OR ?10");
        bindAll(insert, answer.lesson, answer.step, answer.question, nameOf(answer.kind), answer.answer, answer.correct,
                answer.confidence, answer.seconds, timestamp(), std::int64_t{exam});
        insert.exec();
    });
}

Result<std::vector<Answer>> answers(SessionStore& session)
{
    return session.connection().read<std::vector<Answer>>([](SQLite::Database& db) {
        SQLite::Statement query(db,
                                "SELECT lesson, step, question, kind, answer, correct, confidence, seconds, created "
                                "FROM answers ORDER BY lesson, step");
        std::vector<Answer> all;
        while (query.executeStep()) {
            RowReader in(query);
            all.push_back({.lesson = in.text(),
                           .step = in.integer(),
                           .question = in.text(),
                           .kind = kindOf(in.text()),
                           .answer = in.text(),
                           .correct = in.flag(),
                           .confidence = in.text(),
                           .seconds = in.real(),
                           .created = in.text()});
        }
        return all;
    });
}

} // namespace headscope::sessions
