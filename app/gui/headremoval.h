// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The chart of what the first k heads of the ranking cost together, beside k heads drawn at random. GUI thread.

#include "app/gui/explorer.h"

#include <QElapsedTimer>
#include <QObject>

#include <array>

namespace headscope::gui {

class HeadRemoval : public QObject
{
    Q_OBJECT

public:
    HeadRemoval(Explorer& explorer, BackendClient& client, const Parts& parts, QObject* parent);
    /// Measures for every open model that has been ranked.
    void start();

private:
    void show();
    void forget(Side side);

    Explorer& m_explorer;
    BackendClient& m_client;
    Parts m_parts;
    std::array<std::shared_ptr<const app::RemovalCurveReply>, 2> m_curves;
    QElapsedTimer m_clock;
};

} // namespace headscope::gui
