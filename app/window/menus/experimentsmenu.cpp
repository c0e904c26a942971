// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/experimentsmenu.h"

#include "app/window/dialogs/experimentsdialog.h"
#include "app/window/menus/entry.h"
#include "app/window/windowsession.h"

#include <QCoreApplication>
#include <QMenuBar>

namespace headscope::gui {

ExperimentsMenu::ExperimentsMenu(QMenuBar& bar, WindowSession& session, QWidget* window)
    : QObject(window), m_session(session), m_window(window)
{
    QMenu& menu = *bar.addMenu(tr("E&xperiments"));
    for (int i = 0; i < ExperimentsDialog::count(); ++i)
        addEntry(menu, this, ExperimentsDialog::title(i), {}, [this, i] { show(i); });
}

void ExperimentsMenu::show(int index)
{
    if (!m_dialog)
        m_dialog = new ExperimentsDialog(QCoreApplication::applicationDirPath() + QStringLiteral("/headscope-cli"),
                                         m_session.path(), m_window);
    if (!m_dialog->running())
        m_dialog->choose(index);
    m_dialog->show();
    m_dialog->raise();
}

} // namespace headscope::gui
