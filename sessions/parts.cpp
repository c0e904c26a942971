// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/parts.h"

#include "sessions/file/connection.h"
#include "sessions/rows/columns.h"
#include "sessions/sessionstore.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace headscope::sessions {

namespace {

/// A part and the session that it is in.
struct FoundPart {
    const PartRecord* record = nullptr;
    const std::string* file = nullptr;
};

/// Of one work, by number; unfinished ones too.
std::multimap<int, FoundPart> partsOf(const std::string& work, std::span<const SessionParts> sessions)
{
    std::multimap<int, FoundPart> found;
    for (const SessionParts& session : sessions)
        for (const PartRecord& part : session.parts)
            if (part.work == work)
                found.emplace(part.part, FoundPart{&part, &session.file});
    return found;
}

/// "part 3", "parts 3, 7 and 9 to 12"
std::string numbers(const std::vector<int>& parts)
{
    std::vector<std::string> words;
    for (std::size_t i = 0; i < parts.size();) {
        std::size_t end = i + 1;
        while (end < parts.size() && parts[end] == parts[end - 1] + 1)
            ++end;
        if (end - i > 2)
            words.push_back(fmt::format("{} to {}", parts[i], parts[end - 1]));
        else
            for (std::size_t j = i; j < end; ++j)
                words.push_back(std::to_string(parts[j]));
        i = end;
    }
    std::string text = parts.size() == 1 ? "part " : "parts ";
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

bool hasOneOf(const SessionParts& session, const std::vector<PartedWork>& works)
{
    return std::ranges::any_of(session.parts, [&](const PartRecord& part) {
        return std::ranges::find(works, part.work, &PartedWork::work) != works.end();
    });
}

void addProblemsOf(const PartedWork& work, std::span<const SessionParts> sessions, std::vector<std::string>& problems)
{
    const auto found = partsOf(work.work, sessions);
    const FoundPart& first = found.begin()->second;
    std::vector<int> absent;
    for (const int part : work.missing)
        if (const auto begun = found.find(part); begun == found.end())
            absent.push_back(part);
        else
            problems.push_back(fmt::format("Part {} of {} in '{}' is not finished: run its command again ({}).", part,
                                           work.parts, *begun->second.file, work.what));
    if (!absent.empty())
        problems.push_back(fmt::format("Missing: {} of {} ({}).", numbers(absent), work.parts, work.what));
    for (auto it = found.begin(); it != found.end(); ++it) {
        const auto& [part, here] = *it;
        const auto before = std::find_if(found.begin(), it, [&](const auto& one) {
            return one.first == part && one.second.record->done && here.record->done;
        });
        if (before != it)
            problems.push_back(fmt::format("Part {} of {} is in both '{}' and '{}': leave one of them out ({}).", part,
                                           work.parts, *before->second.file, *here.file, work.what));
        if (here.record->version != first.record->version)
            problems.push_back(fmt::format("Part {} in '{}' was made by version {}, part {} in '{}' by version {}: "
                                           "make all parts with one version ({}).",
                                           part, *here.file, here.record->version, first.record->part, *first.file,
                                           first.record->version, work.what));
    }
}

} // namespace

void savePart(SQLite::Database& db, const PartRecord& part)
{
    requireFits("The description of the work", "what", part.what);
    SQLite::Statement insert(db, "INSERT INTO parts(work, part, parts, what, version, done, created) "
                                 "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT(work, part) DO UPDATE SET "
                                 "version = excluded.version, done = excluded.done WHERE done = 0");
    bindAll(insert, part.work, part.part, part.parts, part.what, part.version, part.done,
            part.created.empty() ? timestamp() : part.created);
    insert.exec();
}

Result<void> putPart(SessionStore& session, const PartRecord& part)
{
    return session.connection().write([&](SQLite::Database& db) { savePart(db, part); });
}

Result<std::vector<PartRecord>> parts(SessionStore& session)
{
    return session.connection().read<std::vector<PartRecord>>([](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT work, part, parts, what, version, done, created FROM parts "
                                    "ORDER BY work, part");
        std::vector<PartRecord> all;
        while (query.executeStep()) {
            RowReader row(query);
            PartRecord part{row.text(), row.integer(), row.integer(),
                            row.text(), row.text(),    row.flag().value_or(false),
                            row.text()};
            if (part.parts < 1 || part.parts > kMostParts || part.part < 0 || part.part >= part.parts)
                throw BadRow(fmt::format("it contains part {} of {}, which cannot be", part.part, part.parts));
            all.push_back(std::move(part));
        }
        return all;
    });
}

std::vector<PartedWork> partedWorks(std::span<const SessionParts> sessions)
{
    std::vector<PartedWork> works;
    if (sessions.empty())
        return works;
    for (const PartRecord& part : sessions.front().parts)
        if (std::ranges::find(works, part.work, &PartedWork::work) == works.end())
            works.push_back({part.work, part.what, part.parts, {}});
    for (PartedWork& work : works) {
        std::vector<bool> done(static_cast<std::size_t>(work.parts));
        for (const auto& [part, found] : partsOf(work.work, sessions))
            if (found.record->done && part < work.parts)
                done[static_cast<std::size_t>(part)] = true;
        for (int part = 0; part < work.parts; ++part)
            if (!done[static_cast<std::size_t>(part)])
                work.missing.push_back(part);
    }
    return works;
}

std::vector<std::string> partProblems(std::span<const SessionParts> sessions)
{
    std::vector<std::string> problems;
    const std::vector<PartedWork> works = partedWorks(sessions);
    for (const SessionParts& session : sessions)
        if (session.parts.empty())
            problems.push_back(fmt::format("'{}' contains no part of any work: expected a session of a command with "
                                           "--part.",
                                           session.file));
        else if (!works.empty() && !hasOneOf(session, works))
            problems.push_back(fmt::format("'{}' is part of different work ({}) than '{}' ({}): make all parts with "
                                           "the same command.",
                                           session.file, session.parts.front().what, sessions.front().file,
                                           works.front().what));
    for (const PartedWork& work : works)
        addProblemsOf(work, sessions, problems);
    return problems;
}

} // namespace headscope::sessions
