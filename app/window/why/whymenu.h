// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu Analyse: what the model knows at which layer, what each part adds, and what heads do on many texts. GUI
// thread.

#include <QObject>

class QMenuBar;

namespace headscope::gui {

class ExplorerPage;

class WhyMenu : public QObject
{
    Q_OBJECT

public:
    WhyMenu(QMenuBar& bar, ExplorerPage& page);
};

} // namespace headscope::gui
