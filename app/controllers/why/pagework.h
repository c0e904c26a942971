// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a page of analysis says of the work behind it. GUI thread.

#include "app/backend/door.h"

namespace headscope::gui {

/// While a request of this type runs the page can stop it; one that fails is its sentence.
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

} // namespace headscope::gui
