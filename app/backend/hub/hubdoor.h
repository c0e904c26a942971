// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's door to a hub: one look or one download at a time, on a thread of its own, so that neither scores nor
// the session wait for a network. The object lives on the GUI thread.

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
    /// Stops what runs and waits for it; what arrived stays and is resumed next time.
    ~HubDoor() override;

    /// What a model is and takes: `looked` or `failed` reports the result. Whatever ran is stopped first.
    void look(const std::string& name);
    /// Fetches what is missing of it: `fetched` or `failed` reports the result.
    void fetch(const hub::Plan& plan);
    /// What the files of a task are, and whose: `benchmarksLooked` or `failed` reports the result.
    void lookAtBenchmarks(const std::string& task);
    /// Fetches them into the data folder: `benchmarksFetched` or `failed` reports the result.
    void fetchBenchmarks(std::shared_ptr<const std::vector<RemoteBenchmark>> benchmarks,
                         const std::filesystem::path& dataFolder);
    void stop() { m_stop.request_stop(); }
    [[nodiscard]] bool isRunning() const { return m_running; }

Q_SIGNALS:
    void looked(const std::shared_ptr<const headscope::app::RemoteModel>& model);
    /// Bytes of this file that are here, and of all.
    void progressed(const QString& file, qint64 done, qint64 total);
    void fetched(const QString& folder);
    void benchmarksLooked(const std::shared_ptr<const std::vector<headscope::app::RemoteBenchmark>>& found);
    void benchmarksFetched();
    /// One sentence; empty: it was stopped.
    void failed(const QString& sentence);

private:
    /// Runs work on the thread; what it returns is called on the GUI thread, unless something newer has begun.
    void start(std::function<std::function<void()>(const Control&)> work);
    [[nodiscard]] std::function<void()> failure(const Error& error);

    hub::HubSettings m_settings;
    bool m_running = false;
    quint64 m_job = 0;
    std::stop_source m_stop;
    std::thread m_thread;
};

} // namespace headscope::app
