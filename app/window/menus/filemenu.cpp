// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/filemenu.h"

#include "app/window/explorerpage.h"
#include "app/window/menus/entry.h"
#include "app/window/menus/sessionmenu.h"
#include "app/window/settings/settingscontroller.h"
#include "app/window/start/fileopener.h"
#include "app/window/windowsession.h"

#include <QMenuBar>

namespace headscope::gui {

FileMenu::FileMenu(QMenuBar& bar, FileOpener& opener, WindowSession& session, SettingsController& settings,
                   ExplorerPage& page, QWidget* window)
    : QObject(window)
{
    QMenu& menu = *bar.addMenu(tr("&File"));
    const auto add = [&](const QString& title, const QKeySequence& keys, auto act, QStringView icon = {}) {
        addEntry(menu, this, title, keys, act, icon);
    };
    add(tr("&Welcome page"), {}, [this] { Q_EMIT welcomeRequested(); });
    add(tr("Mode&ls …"), {}, [this] { Q_EMIT modelsRequested(); });
    add(
        tr("Open &model folder …"), QKeySequence::Open, [&opener] { opener.askForModel(Side::A); }, u"folder-open");
    add(tr("Open model folder as &B …"), QKeySequence(tr("Ctrl+Shift+O")), [&opener] { opener.askForModel(Side::B); });
    add(
        tr("&Get a model …"), {}, [this] { Q_EMIT getModelRequested(); }, u"download");
    menu.addSeparator();
    add(tr("&New session …"), {}, [&opener] { opener.askForNewSession(); });
    add(
        tr("Open &session …"), {}, [&opener] { opener.askForSession(); }, u"package-open");
    m_sessionMenu = new SessionMenu(session.door(), *page.parts().messages, menu, window);
    connect(m_sessionMenu, &SessionMenu::sessionWanted, &session,
            [&session](const QString& path) { session.use(path); });
    menu.addSeparator();
    add(
        tr("Open a &text as the prompt …"), {}, [&opener] { opener.askForText(); }, u"file-text");
    add(tr("Benchmar&ks …"), {}, [this] { Q_EMIT benchmarksRequested(); });
    add(tr("Benchmark &data folder …"), {}, [&settings] { settings.chooseDataFolder(); });
    add(
        tr("Sett&ings …"), QKeySequence(tr("Ctrl+,")), [&settings] { settings.open(); }, u"settings");
    menu.addSeparator();
    add(
        tr("&Quit"), QKeySequence::Quit, [window] { window->close(); }, u"log-out");
}

} // namespace headscope::gui
