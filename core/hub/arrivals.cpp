// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hub/arrivals.h"

#include "core/hub/arrival.h"
#include "core/hub/blobs.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

namespace headscope::hub {

namespace {

class Arrivals
{
public:
    Arrivals(const RepositoryName& name, const std::string& commit, std::vector<const RemoteFile*> files,
             const HubSettings& settings, const Control& control)
        : m_name(name), m_commit(commit), m_files(std::move(files)), m_settings(settings), m_control(control),
          m_here(m_files.size())
    {
    }

    Result<void> run()
    {
        const std::stop_callback passOn(m_control.stop, [this] { m_stop.request_stop(); });
        {
            std::vector<std::jthread> connections;
            const std::size_t several = std::min<std::size_t>(kConnections, m_files.size());
            for (std::size_t i = 0; i < several; ++i)
                connections.emplace_back([this] { work(); });
        }
        if (m_failure)
            return *m_failure;
        return m_control.stopped() ? Result<void>(cancelledError()) : Result<void>();
    }

private:
    void work()
    {
        for (std::size_t i = 0; !m_stop.stop_requested() && (i = m_next++) < m_files.size();) {
            const Control control{.stop = m_stop.get_token(),
                                  .report = [this, i](const Progress& progress) { note(i, progress); }};
            if (auto fetched = Arrival(m_name, m_commit, *m_files[i], m_settings, control).fetch();
                !fetched.has_value())
                fail(fetched.error());
        }
    }

    void fail(const Error& error)
    {
        const std::lock_guard guard(m_mutex);
        if (!m_failure && !m_stop.stop_requested()) // whatever was stopped for it is no failure of its own
            m_failure = error;
        m_stop.request_stop();
    }

    void note(std::size_t file, const Progress& progress)
    {
        const std::lock_guard guard(m_mutex);
        const bool arrives = progress.stage == m_files[file]->path;
        if (m_files.size() == 1)
            return m_control.progress(progress.stage, progress.done, progress.total);
        if (arrives)
            m_here[file] = progress.done;
        const std::int64_t here = std::accumulate(m_here.begin(), m_here.end(), std::int64_t{0});
        if (arrives)
            m_control.progress(m_name.name, here, total());
        else if (here == total()) // else one is checked while others arrive
            m_control.progress(progress.stage, progress.done, progress.total);
    }

    [[nodiscard]] std::int64_t total() const
    {
        return std::accumulate(m_files.begin(), m_files.end(), std::int64_t{0}, [](std::int64_t sum, const auto* file) {
            return sum + static_cast<std::int64_t>(file->size);
        });
    }

    const RepositoryName& m_name;
    const std::string& m_commit;
    std::vector<const RemoteFile*> m_files;
    const HubSettings& m_settings;
    const Control& m_control;
    std::stop_source m_stop;
    std::atomic<std::size_t> m_next = 0;
    std::mutex m_mutex; ///< of what follows, and of m_control's report
    std::vector<std::int64_t> m_here;
    std::optional<Error> m_failure;
};

} // namespace

Result<void> fetchAll(const RepositoryName& name, const std::string& commit, const std::vector<RemoteFile>& files,
                      const HubSettings& settings, const Control& control)
{
    std::vector<const RemoteFile*> missing;
    for (const RemoteFile& file : files) {
        // Two files of the same bytes are one blob.
        const bool asked =
            std::ranges::any_of(missing, [&](const RemoteFile* other) { return other->hash == file.hash; });
        if (!asked && !isComplete(folderOf(name, settings) / "blobs" / file.hash, file))
            missing.push_back(&file);
    }
    return Arrivals(name, commit, std::move(missing), settings, control).run();
}

} // namespace headscope::hub
