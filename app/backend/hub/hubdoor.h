// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's access to a model hub: one lookup or download at a time, on its own thread, so that neither scores nor
// the session wait for the network. The object lives on the GUI thread.

#include "app/workbench/models/remotemodel.h"
#include "app/workbench/scores/benchmarkfiles.h"

#include <QElapsedTimer>
#include <QObject>

#include <memory>
#include <stop_token>
#include <thread>

namespace headscope::app {

class HubDoor : public QObject
{
    Q_OBJECT

public:
    explicit HubDoor(hub::HubSettings settings, QObject* parent = nullptr);
    /// Stops the running work and waits for it; a partial download is kept and resumed next time.
    ~HubDoor() override;

    /// Looks up a model and its download size: `looked` or `failed` reports the result. Stops any running work first.
    void look(const std::string& name);
    /// Downloads the missing files of a model: `fetched` or `failed` reports the result.
    void fetch(const hub::Plan& plan);
    /// Looks up the files of a task and their authors: `benchmarksFound` or `failed` reports the result.
    void findBenchmarks(const std::string& task);
    /// Downloads them into the data folder: `benchmarksFetched` or `failed` reports the result.
    void fetchBenchmarks(std::shared_ptr<const std::vector<RemoteBenchmark>> benchmarks,
                         const std::filesystem::path& dataFolder);
    void stop() { m_stop.request_stop(); }
    [[nodiscard]] bool isRunning() const { return m_running; }

Q_SIGNALS:
    void looked(const std::shared_ptr<const headscope::app::RemoteModel>& model);
    /// Bytes of this file downloaded so far, and its size.
    void progressed(const QString& file, qint64 done, qint64 total);
    void fetched(const QString& folder);
    void benchmarksFound(const std::shared_ptr<const std::vector<headscope::app::RemoteBenchmark>>& found);
    void benchmarksFetched();
    /// One sentence; empty if the work was stopped.
    void failed(const QString& sentence);

private:
    /// Runs `work` on the thread and calls the function it returns on the GUI thread, unless newer work has started.
    void start(std::function<std::function<void()>(const Control&)> work);
    [[nodiscard]] std::function<void()> failure(const Error& error);

    hub::HubSettings m_settings;
    bool m_running = false;
    quint64 m_job = 0;
    std::stop_source m_stop;
    std::thread m_thread;
};

} // namespace headscope::app
