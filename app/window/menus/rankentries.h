// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Menu entries for the methods of ranking heads, with their expected duration here. GUI thread.

#include "app/backend/door.h"

#include <QObject>

#include <array>
#include <map>

class QAction;
class QMenu;

namespace headscope::gui {

class Explorer;

class RankEntries : public QObject
{
    Q_OBJECT

public:
    /// Adds the entries to `menu`.
    RankEntries(QMenu& menu, Explorer& explorer, app::Door& door);

private:
    struct Entry {
        QAction* action = nullptr;
        QString title;
    };
    /// Requests missing forecasts.
    void ask();
    void show();

    Explorer& m_explorer;
    app::Door& m_door;
    std::map<app::RankMethod, Entry> m_entries;
    std::array<std::shared_ptr<const app::RankForecast>, 2> m_forecasts; ///< by side; null: unknown
};

} // namespace headscope::gui
