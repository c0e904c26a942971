// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/exam.h"

#include "sessions/sessionstore.h"

#include <nlohmann/json.hpp>

namespace headscope::sessions {

namespace {

constexpr const char* kExamKey = "exam";
constexpr double kMostNumber = 1e9; // of minutes and of seconds

using Json = nlohmann::json;

std::string textIn(const Json& exam, const char* key)
{
    const auto found = exam.find(key);
    return found != exam.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Returns a negative number if it is missing, no number, or too large.
double numberIn(const Json& exam, const char* key)
{
    const auto found = exam.find(key);
    const double number = found != exam.end() && found->is_number() ? found->get<double>() : -1;
    return number <= kMostNumber ? number : -1;
}

} // namespace

Result<void> keepExam(SessionStore& session, const Exam& exam)
{
    const Json json{{"name", exam.name},         {"hash", exam.hash}, {"minutes", exam.minutes},
                    {"started", exam.started},   {"seen", exam.seen}, {"seconds", exam.seconds},
                    {"handed_in", exam.handedIn}};
    return session.setUiState(kExamKey, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Result<std::optional<Exam>> examOf(SessionStore& session)
{
    const auto stored = session.uiState(kExamKey);
    if (!stored.has_value())
        return stored.error();
    const Json json = Json::parse(stored->value_or("{}"), nullptr, false);
    Exam exam{.name = textIn(json, "name"),
              .hash = textIn(json, "hash"),
              .minutes = numberIn(json, "minutes"),
              .started = textIn(json, "started"),
              .seen = textIn(json, "seen"),
              .seconds = numberIn(json, "seconds"),
              .handedIn = textIn(json, "handed_in")};
    if (exam.name.empty() || exam.minutes < 0 || exam.seconds < 0)
        return std::optional<Exam>();
    return std::optional(std::move(exam));
}

} // namespace headscope::sessions
