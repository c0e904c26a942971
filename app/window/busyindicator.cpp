// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/busyindicator.h"

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
        const QString letter = side == Side::A ? QStringLiteral("A") : QStringLiteral("B");
        QString what;
        switch (kind) {
        case Kind::Session: what = tr("Opening the session"); break;
        case Kind::Model: what = tr("Opening model %1").arg(letter); break;
        case Kind::Scores: what = tr("Scoring %1").arg(letter); break;
        case Kind::Curve: what = tr("KV retrieval of %1 at other sizes").arg(letter); break;
        case Kind::Found:
        case Kind::Metric: what = tr("Scores of all heads of %1").arg(letter); break;
        case Kind::Estimate: what = tr("Estimating the effect of each head of %1").arg(letter); break;
        case Kind::Survey: what = tr("Heads of %1 on many texts").arg(letter); break;
        case Kind::HeadFacts: what = tr("What removing heads of %1 costs").arg(letter); break;
        case Kind::Edges: what = tr("Tracing edges of %1").arg(letter); break;
        case Kind::Weights: what = tr("Reading the weights of %1").arg(letter); break;
        case Kind::Probes: what = tr("Probing the heads of %1").arg(letter); break;
        case Kind::Sweep: what = tr("Knocking out in %1, layer by layer").arg(letter); break;
        case Kind::Patch: what = tr("Patching %1").arg(letter); break;
        case Kind::Continue: what = tr("%1 continues").arg(letter); break;
        case Kind::Rank:
        case Kind::RankForecast:
        case Kind::Removal: continue;
        default: what = tr("Reading the prompt with %1").arg(letter); break;
        }
        const bool told = m_last.kind == kind;
        m_strip.showWork(what, told ? m_last.done : 0, told ? m_last.total : 0);
        return;
    }
    m_strip.clear();
}

} // namespace headscope::gui
