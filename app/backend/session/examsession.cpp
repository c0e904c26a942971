// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/session/examsession.h"

#include "sessions/sessionstore.h"

#include <filesystem>

namespace headscope::app {

namespace {

constexpr std::size_t kHashLetters = 16; // in the name of a folder

} // namespace

Result<std::string> examSession(const std::string& folder, sessions::Exam& exam)
{
    using sessions::SessionStore;
    for (int number = 1;; ++number) {
        const std::filesystem::path place =
            std::filesystem::path(folder) / (exam.hash.substr(0, kHashLetters) + "-" + std::to_string(number));
        const std::filesystem::path file = place / "exam.headscope";
        std::error_code failed;
        if (!std::filesystem::exists(file, failed)) {
            std::filesystem::create_directories(place, failed);
            auto session = SessionStore::open(file, {.create = true});
            const auto kept = session.has_value() ? keepExam(*session, exam) : Result<void>(session.error());
            return kept.has_value() ? Result<std::string>(file.string()) : kept.error();
        }
        // A session that cannot be opened now may hold answers, so the exam does not start again.
        auto begun = SessionStore::open(file, {.create = false});
        const auto record = begun.has_value() ? examOf(*begun) : Result<std::optional<sessions::Exam>>(begun.error());
        if (!record.has_value())
            return record.error();
        if (*record && (*record)->handedIn.empty()) {
            const double minutes = exam.minutes;
            exam = **record;
            exam.minutes = minutes;
            return file.string();
        }
    }
}

} // namespace headscope::app
