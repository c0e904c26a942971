// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/files/studyfile.h"

#ifdef HEADSCOPE_FIGURES
#include "app/figures/documents/studydocument.h"
#include "app/figures/offscreen.h"
#include "sessions/sessionstore.h"
#else
#include "core/base/writefile.h"
#include "core/experiments/study.h"
#endif

namespace headscope::cli {

#ifdef HEADSCOPE_FIGURES

Result<void> checkStudyFile(const std::string& path)
{
    return figures::checkStudyPath(path);
}

Result<void> writeStudyFile(std::span<const experiments::Report> reports, const std::string& session,
                            const std::string& path)
{
    const figures::OffscreenQt qt;
    if (session.empty())
        return figures::writeStudy(reports, nullptr, path);
    auto store = sessions::SessionStore::open(session, {.create = false, .readOnly = true});
    return store.has_value() ? figures::writeStudy(reports, &*store, path) : Result<void>(store.error());
}

#else

Result<void> checkStudyFile(const std::string& path)
{
    return path.ends_with(".md") ? Result<void>() : inputError("A report is written as .md; got '" + path + "'.");
}

Result<void> writeStudyFile(std::span<const experiments::Report> reports, const std::string&, const std::string& path)
{
    return writeFile(path, experiments::studyMarkdown(reports));
}

#endif

} // namespace headscope::cli
