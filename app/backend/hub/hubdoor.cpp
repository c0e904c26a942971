// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/hub/hubdoor.h"

#include <utility>

namespace headscope::app {

namespace {

constexpr qint64 kReportMs = 100; // a look at every block that arrives would flood the window

} // namespace

HubDoor::HubDoor(hub::HubSettings settings, QObject* parent) : QObject(parent), m_settings(std::move(settings)) {}

HubDoor::~HubDoor()
{
    stop();
    if (m_thread.joinable())
        m_thread.join();
}

void HubDoor::start(std::function<std::function<void()>(const Control&)> work)
{
    stop();
    if (m_thread.joinable())
        m_thread.join(); // it gives way at the next block of bytes
    m_stop = {};
    m_running = true;
    const auto report = [this, job = ++m_job, clock = std::make_shared<QElapsedTimer>()](const Progress& progress) {
        if (clock->isValid() && clock->elapsed() < kReportMs && progress.done < progress.total)
            return;
        clock->start();
        QMetaObject::invokeMethod(this, [this, job, progress] {
            if (job == m_job && m_running)
                Q_EMIT progressed(QString::fromStdString(progress.stage), progress.done, progress.total);
        });
    };
    m_thread = std::thread([this, job = m_job, work = std::move(work), control = Control{m_stop.get_token(), report}] {
        QMetaObject::invokeMethod(this, [this, job, end = work(control)] {
            if (job != m_job)
                return;
            m_running = false;
            end();
        });
    });
}

std::function<void()> HubDoor::failure(const Error& error)
{
    const QString sentence = error.kind == Error::Kind::Cancelled ? QString() : QString::fromStdString(error.message);
    return [this, sentence] { Q_EMIT failed(sentence); };
}

void HubDoor::look(const std::string& name)
{
    start([this, name](const Control& control) -> std::function<void()> {
        auto model = lookAt(name, {}, m_settings, control);
        if (!model.has_value())
            return failure(model.error());
        return [this, found = std::make_shared<const RemoteModel>(std::move(*model))] { Q_EMIT looked(found); };
    });
}

void HubDoor::fetch(const hub::Plan& plan)
{
    start([this, plan](const Control& control) -> std::function<void()> {
        const auto folder = hub::download(plan, m_settings, control);
        if (!folder.has_value())
            return failure(folder.error());
        return [this, path = QString::fromStdString(folder->string())] { Q_EMIT fetched(path); };
    });
}

void HubDoor::findBenchmarks(const std::string& task)
{
    start([this, task](const Control& control) -> std::function<void()> {
        auto looked = app::findBenchmarks({task}, m_settings, control);
        if (!looked.has_value())
            return failure(looked.error());
        return [this, found = std::make_shared<const std::vector<RemoteBenchmark>>(std::move(*looked))] {
            Q_EMIT benchmarksFound(found);
        };
    });
}

void HubDoor::fetchBenchmarks(std::shared_ptr<const std::vector<RemoteBenchmark>> benchmarks,
                              const std::filesystem::path& dataFolder)
{
    start([this, benchmarks = std::move(benchmarks), dataFolder](const Control& control) -> std::function<void()> {
        for (const RemoteBenchmark& benchmark : *benchmarks)
            if (const auto put = fetchBenchmark(benchmark, dataFolder, m_settings, control); !put.has_value())
                return failure(put.error());
        return [this] { Q_EMIT benchmarksFetched(); };
    });
}

} // namespace headscope::app
