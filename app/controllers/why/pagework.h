// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows running and failed requests on an analysis page. GUI thread.

#include "app/backend/door.h"
#include "app/present/heads/headgrid.h"
#include "app/state/windowstate.h"
#include "core/interventions/intervention.h"

namespace headscope::gui {

/// Lets the page stop a running request of this type, and shows the error of a failed one.
template <typename Request, typename Page> void showWork(app::Door& door, Page& page)
{
    QObject::connect(&door, &app::Door::runningChanged, &page, [&door, &page](const app::Lane& lane) {
        if (lane.is<Request>())
            page.setRunning(door.isRunning<Request>(Side::A) || door.isRunning<Request>(Side::B));
    });
    if constexpr (requires { page.view(Side::A)->setProblem(QString()); })
        QObject::connect(&door, &app::Door::failed, &page, [&page](const app::Lane& lane, const QString& sentence) {
            if (lane.is<Request>())
                page.view(lane.side)->setProblem(sentence);
        });
}

/// Shows the head of this name, "L2H5"; ignores parts that are not heads.
inline void chooseHead(WindowState& state, Side side, const QString& name)
{
    if (const auto head = interventions::parseHead(name.toStdString()); head.has_value())
        state.setHead(side, *head);
}

/// Shows the head of a chosen cell of layers and heads.
template <typename View> void chooseHeads(WindowState& state, Side side, View& view, QObject* context)
{
    QObject::connect(&view, &View::cellChosen, context, [&state, side](int row, int column) {
        if (const auto& model = state.side(side).model)
            if (const auto head = headAt(*model, row, column))
                state.setHead(side, *head);
    });
}

} // namespace headscope::gui
