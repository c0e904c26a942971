// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The actions about heads and about comparing: every one once, with its shortcut, in the menus Heads and Compare. GUI
// thread.

#include "app/gui/explorer.h"

class QMenu;
class QMenuBar;

namespace headscope::gui {

class HeadActions : public QObject
{
    Q_OBJECT

public:
    HeadActions(QMenuBar* bar, const Parts& parts, Explorer& explorer);

private:
    void buildHeads(QMenu* menu);
    void buildCompare(QMenu* menu);
    void readMetricFile(Side side);
    [[nodiscard]] widgets::HeadMapPanel* activeMap() const;

    Parts m_parts;
    Explorer& m_explorer;
};

} // namespace headscope::gui
