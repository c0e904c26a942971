// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The experts of one layer that each token of a prompt is routed to: plain values. Any thread.

#include <QString>
#include <QStringList>

#include <vector>

namespace headscope::widgets {

/// The choices of a router, token by token.
struct ExpertPicks {
    int chosen = 0;             ///< experts per token
    std::vector<int> ids;       ///< by token, largest weight first
    std::vector<float> weights; ///< in the same order
};

struct ExpertData {
    QStringList tokens;
    int layer = 0;
    int experts = 0;
    ExpertPicks now, before;   ///< before: without ablation; no ids if nothing is ablated, or the layer has none then
    std::vector<float> shared; ///< by token: weight of the expert that runs for all tokens; empty: there is none
    std::vector<bool> off;     ///< by expert: ablated; empty: none is
    QString of;                ///< provenance, appended to copied text
};

} // namespace headscope::widgets
