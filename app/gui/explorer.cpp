// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explorer.h"

#include "app/present/headspans.h"
#include "app/state/modelheads.h"

namespace headscope::gui {

Explorer::Explorer(const Parts& parts, BackendClient& client, WindowState& state, QObject* parent)
    : QObject(parent), m_parts(parts), m_client(client), m_state(state), m_controllers(state, client, parts)
{
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        if (m_state.hasModel(side))
            Q_EMIT modelShown();
    });
    connect(&state, &WindowState::foundHeadsChanged, this, &Explorer::headsFound);
    connectLabels();
    connectStored();
    connectRuns();
    connectKept();
    connect(&state, &WindowState::scoresChanged, this, [this](Side side) {
        if (at(side).scores->final)
            Q_EMIT scoresFinal(side);
    });
}

void Explorer::showHead(Side side, const widgets::HeadSpan& head)
{
    if (hasModel(side))
        m_state.setHead(side, headRef(*model(side), head));
}

QString Explorer::foundHead(Side side, bool aggregate) const
{
    const auto& found = at(side).found;
    if (!found || (aggregate ? found->aggregate : found->gather).empty())
        return {};
    return QString::fromStdString(toText((aggregate ? found->aggregate : found->gather).front()));
}

bool Explorer::isHybrid(Side side) const
{
    return hasModel(side) && gui::isHybrid(*model(side));
}

void Explorer::openSession(const QString& file, bool restore)
{
    m_client.openSession(file);
    m_parts.flips->setExamples({}, nullptr); // its rows are read from the session
    if (m_session)
        forgetLabels();
    m_session.reset();
    readRuns();
    if (file.isEmpty())
        return refreshRuns();
    auto session = sessions::SessionStore::open(file.toStdString());
    if (!session.has_value())
        return m_state.tellError(session.error());
    m_session.emplace(std::move(*session));
    m_seenVersion = m_session->dataVersion().has_value() ? *m_session->dataVersion() : 0;
    readRuns();
    for (const Side side : kSides)
        if (m_state.hasModel(side))
            readLabels(side);
    if (restore)
        restoreState();
    refreshRuns();
}

} // namespace headscope::gui
