// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu Experiments: one line for each of the paper's. GUI thread.

#include <QObject>

class QMenuBar;

namespace headscope::gui {

class ExperimentsDialog;
class WindowSession;

class ExperimentsMenu : public QObject
{
    Q_OBJECT

public:
    ExperimentsMenu(QMenuBar& bar, WindowSession& session, QWidget* window);

private:
    void show(int index);

    WindowSession& m_session;
    QWidget* m_window;
    ExperimentsDialog* m_dialog = nullptr; ///< made when first asked for
};

} // namespace headscope::gui
