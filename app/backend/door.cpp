// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/door.h"

namespace headscope::app {

Door::Door(ModelsOptions options, QObject* parent) : QObject(parent), m_models(makeModels(std::move(options))) {}

Door::~Door()
{
    m_models.reset();
}

quint64 Door::begin(const Lane& lane)
{
    Running& now = m_lanes[lane];
    if (now.running)
        workerOf(*m_models).cancel(now.ticket);
    now.withdrawn = false;
    return ++now.number;
}

void Door::begun(const Lane& lane, Ticket ticket)
{
    const bool wasBusy = busy();
    m_lanes[lane].ticket = ticket;
    m_lanes[lane].running = true;
    Q_EMIT runningChanged(lane);
    if (!wasBusy)
        Q_EMIT busyChanged(true);
}

void Door::end(const Lane& lane, const std::function<void()>& deliver)
{
    m_lanes[lane].running = false;
    deliver();
    Q_EMIT runningChanged(lane);
    if (!busy())
        Q_EMIT busyChanged(false);
}

void Door::fail(const Lane& lane, const Error& error)
{
    end(lane, [&] {
        if (error.kind == Error::Kind::Cancelled)
            Q_EMIT cancelled(lane);
        else
            Q_EMIT failed(lane, QString::fromStdString(error.message));
        if (error.kind == Error::Kind::Memory && !error.detail.empty())
            Q_EMIT smallerTypeFits(lane.side, QString::fromStdString(error.detail));
    });
}

void Door::here(const Lane& lane, quint64 number, std::function<void()> act)
{
    QMetaObject::invokeMethod(
        this,
        [this, lane, number, act = std::move(act)] {
            if (m_lanes[lane].number == number)
                act();
        },
        Qt::QueuedConnection);
}

void Door::change(std::function<void(Models&)> act)
{
    workerOf(*m_models).post(
        engine::Urgency::Change, [models = m_models.get(), act = std::move(act)](const Control&) { act(*models); },
        [](const Error&) {});
}

void Door::closeModel(Side side)
{
    for (const auto& [lane, now] : m_lanes)
        if (lane.side == side)
            withdraw(lane);
    change([side](Models& models) { app::closeModel(models, side); });
}

// Jobs hold the model that they began with. What is of no model, or is asked before the model is there, goes on.
void Door::withdrawModel(Side side)
{
    for (const auto& [lane, now] : m_lanes)
        if (lane.side == side
            && !lane.is<OpenModelRequest, OpenSessionRequest, SampleRequest, ConversationRequest, TokensRequest,
                        LensFitQuestion>())
            withdraw(lane);
}

void Door::setSettings(const Settings& settings)
{
    change([settings](Models& models) { app::setSettings(models, settings); });
}

void Door::setPatience(std::chrono::seconds patience)
{
    change([patience](Models& models) { app::setPatience(models, patience); });
}

void Door::setDataFolder(const QString& folder)
{
    change([folder = folder.toStdString()](Models& models) { app::setDataFolder(models, folder); });
}

void Door::stop(const Lane& lane)
{
    if (const auto found = m_lanes.find(lane); found != m_lanes.end() && found->second.running)
        workerOf(*m_models).cancel(found->second.ticket);
}

void Door::withdraw(const Lane& lane)
{
    stop(lane);
    m_lanes[lane].withdrawn = true;
}

void Door::stopAll()
{
    workerOf(*m_models).cancelAll();
}

bool Door::isRunning(const Lane& lane) const
{
    const auto found = m_lanes.find(lane);
    return found != m_lanes.end() && found->second.running && !found->second.withdrawn;
}

std::vector<Lane> Door::running() const
{
    std::vector<Lane> lanes;
    for (const auto& [lane, now] : m_lanes)
        if (now.running)
            lanes.push_back(lane);
    return lanes;
}

} // namespace headscope::app
