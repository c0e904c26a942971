// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Analyse menu: the lens over layers, contributions of parts, and the survey of heads over many texts. GUI
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
