// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which experts of one layer each token of a prompt goes to: plain values. Any thread.

#include <QString>
#include <QStringList>

#include <vector>

namespace headscope::widgets {

/// The choices of a router, token by token.
struct ExpertPicks {
    int chosen = 0;             ///< experts a token
    std::vector<int> ids;       ///< by token, the heaviest first
    std::vector<float> weights; ///< the same
};

struct ExpertData {
    QStringList tokens;
    int layer = 0;
    int experts = 0;
    ExpertPicks now, before;   ///< before: with nothing ablated; no ids where nothing is, or the layer has none then
    std::vector<float> shared; ///< by token: what the expert counts that runs for all; empty: there is none
    std::vector<bool> off;     ///< by expert: ablated; empty: none is
    QString of;                ///< what it is of: written behind what is copied
};

} // namespace headscope::widgets
