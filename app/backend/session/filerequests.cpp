// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/session/filerequests.h"

#include "sessions/file/sessionpaths.h"
#include "sessions/sessionstore.h"

namespace headscope::app {

using sessions::SessionStore;

SessionRequest<void> saveSessionAs(const std::filesystem::path& target)
{
    return [target](SessionStore& session) { return sessions::saveAs(session, target); };
}

SessionRequest<void> duplicateSession(const std::filesystem::path& target)
{
    return [target](SessionStore& session) { return sessions::duplicate(session, target); };
}

SessionRequest<std::int64_t> duplicateSessionWithoutPaths(const std::filesystem::path& target)
{
    return [target](SessionStore& session) { return sessions::duplicateWithoutPaths(session, target); };
}

SessionRequest<std::int64_t> handInSession(const std::filesystem::path& target)
{
    return [target](SessionStore& session) { return sessions::duplicateForHandIn(session, target); };
}

SessionRequest<sessions::MergeReport> mergeSession(const std::filesystem::path& other)
{
    return [other](SessionStore& session) -> Result<sessions::MergeReport> {
        auto from = SessionStore::open(other, {.create = false, .readOnly = true});
        if (!from.has_value())
            return from.error();
        return sessions::merge(session, *from);
    };
}

SessionRequest<std::int64_t> exportTable(const std::string& table, const sessions::TableOptions& options,
                                         const std::filesystem::path& file)
{
    return [=](SessionStore& session) { return sessions::exportTable(session, table, options, file); };
}

SessionRequest<sessions::VerifyReport> verifySession()
{
    return [](SessionStore& session) { return sessions::verify(session); };
}

SessionRequest<sessions::CompactReport> compactSession()
{
    return [](SessionStore& session) { return sessions::compact(session); };
}

SessionRequest<std::vector<sessions::FigureRecipe>> keptFigures()
{
    return [](SessionStore& session) { return session.figures(); };
}

SessionRequest<void> keepFigure(const sessions::FigureRecipe& figure)
{
    return [figure](SessionStore& session) { return session.putFigure(figure); };
}

SessionRequest<void> removeFigure(const std::string& name)
{
    return [name](SessionStore& session) { return session.removeFigure(name); };
}

} // namespace headscope::app
