// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window is opened with. GUI thread.

#include "app/backend/door.h"
#include "core/hub/hubsettings.h"

#include <QString>

#include <memory>

namespace headscope::gui {

struct OpenedExam;

struct WindowOptions {
    app::ModelsOptions backend;
    QString session;     ///< file; what is done is kept there
    bool restore = true; ///< open what the session shows; else it is only offered on the welcome page
    int named = 0;       ///< models that were named beside the session and are shown in place of its own
    std::shared_ptr<const OpenedExam> exam; ///< whose session it is, not restored; null: none
    hub::HubSettings hub = hub::HubSettings::fromEnvironment();
};

} // namespace headscope::gui
