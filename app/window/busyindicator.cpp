// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/busyindicator.h"

#include "app/controllers/why/worktext.h"

namespace headscope::gui {

namespace {

constexpr int kBlinkMs = 100; // shorter waits are not worth a word

// Long jobs have lines of their own in the runs.
bool hasOwnLine(const app::Lane& lane)
{
    return lane.is<app::RankRequest, app::RemovalRequest>();
}

} // namespace

BusyIndicator::BusyIndicator(app::Door& door, widgets::BusyStrip& strip, QObject* parent)
    : QObject(parent), m_door(door), m_strip(strip)
{
    m_blink.setInterval(kBlinkMs);
    connect(&m_blink, &QTimer::timeout, this, &BusyIndicator::refresh);
    connect(&door, &app::Door::busyChanged, this, [this](bool busy) {
        if (busy) {
            m_blink.start();
        } else {
            m_blink.stop();
            m_strip.clear();
        }
    });
    connect(&door, &app::Door::progressed, this,
            [this](const app::Lane& lane, const QString&, qint64 done, qint64 total) {
                if (!hasOwnLine(lane))
                    m_last = {lane, done, total};
            });
    connect(&strip, &widgets::BusyStrip::stopRequested, this, [this] {
        for (const app::Lane& lane : m_door.running())
            if (!hasOwnLine(lane))
                m_door.stop(lane);
    });
}

void BusyIndicator::refresh()
{
    for (const app::Lane& lane : m_door.running()) {
        const QString what = workText(lane);
        if (what.isEmpty())
            continue;
        const bool told = m_last.lane == lane;
        m_strip.showWork(what, told ? m_last.done : 0, told ? m_last.total : 0);
        return;
    }
    m_strip.clear();
}

} // namespace headscope::gui
