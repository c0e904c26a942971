// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The View menu: light or dark theme, and the size of all text. GUI thread.

#include <QObject>

class QMenuBar;

namespace headscope::gui {

class Appearance;

class ViewMenu : public QObject
{
    Q_OBJECT

public:
    ViewMenu(QMenuBar& bar, Appearance& appearance);
};

} // namespace headscope::gui
