// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/busyindicator.h"

#include "app/controllers/worktext.h"

namespace headscope::gui {

using Kind = BackendClient::Kind;

namespace {

constexpr int kBlinkMs = 100; // shorter waits are not worth a word

// Long jobs have lines of their own in the runs.
bool hasOwnLine(Kind kind)
{
    return kind == Kind::Rank || kind == Kind::Removal;
}

} // namespace

BusyIndicator::BusyIndicator(BackendClient& client, widgets::BusyStrip& strip, QObject* parent)
    : QObject(parent), m_client(client), m_strip(strip)
{
    m_blink.setInterval(kBlinkMs);
    connect(&m_blink, &QTimer::timeout, this, &BusyIndicator::refresh);
    connect(&client, &BackendClient::busyChanged, this, [this](bool busy) {
        if (busy) {
            m_blink.start();
        } else {
            m_blink.stop();
            m_strip.clear();
        }
    });
    connect(&client, &BackendClient::progressed, this,
            [this](Kind kind, Side, const QString&, qint64 done, qint64 total) {
                if (!hasOwnLine(kind))
                    m_last = {kind, done, total};
            });
    connect(&strip, &widgets::BusyStrip::stopRequested, this, [this] {
        for (const auto& [kind, side] : m_client.running())
            if (!hasOwnLine(kind))
                m_client.stop(kind, side);
    });
}

void BusyIndicator::refresh()
{
    for (const auto& [kind, side] : m_client.running()) {
        const QString what = workText(kind, side);
        if (what.isEmpty())
            continue;
        const bool told = m_last.kind == kind;
        m_strip.showWork(what, told ? m_last.done : 0, told ? m_last.total : 0);
        return;
    }
    m_strip.clear();
}

} // namespace headscope::gui
