// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/runmenu.h"

#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/menus/entry.h"
#include "app/window/menus/rankentries.h"
#include "app/window/settings/settingscontroller.h"

#include <QMenuBar>

namespace headscope::gui {

RunMenu::RunMenu(QMenuBar& bar, ExplorerPage& page, app::Door& door, SettingsController& settings) : QObject(&bar)
{
    QMenu& menu = *bar.addMenu(tr("&Run"));
    Explorer* explorer = page.explorer();
    const auto add = [&](const QString& title, const QKeySequence& keys, auto act, QStringView icon = {}) {
        return addEntry(menu, this, title, keys, act, icon);
    };
    new RankEntries(menu, *explorer, door); // of the menu
    add(
        tr("Rank heads on this &prompt"), QKeySequence(QStringLiteral("Alt+F5")),
        [explorer] { explorer->controllers().metrics.rankOnPrompt(); }, u"list-ordered");
    add(tr("Ablate the top k heads, and k random &ones"), QKeySequence(QStringLiteral("Shift+F6")),
        [this] { Q_EMIT removalRequested(); });
    QAction* until = add(tr("Score until &decided"), {},
                         [&settings] { settings.scoreUntilDecided(settings.settings().work.stopWidth == 0); });
    until->setCheckable(true);
    const auto tick = [until, &settings] { until->setChecked(settings.settings().work.stopWidth > 0); };
    connect(&settings, &SettingsController::changed, until, tick);
    tick();
    add(tr("Compare &quantized weights …"), {}, [this] { Q_EMIT trustRequested(); });
    add(
        tr("&Stop"), QKeySequence(Qt::Key_Escape), [&door] { door.stopAll(); }, u"square");
    menu.addSeparator();
    add(
        tr("&Continue the prompt"), QKeySequence(tr("Ctrl+Return")),
        [explorer] { explorer->controllers().continuation.start(); }, u"text-cursor-input");
    add(tr("Make the prompt a con&versation"), {}, [explorer] { explorer->controllers().conversation.begin(); });
    add(tr("Ans&wer the conversation"), {},
        [explorer] { explorer->controllers().conversation.answer(explorer->activeSide()); });
    // The bare brackets belong to a text box that has the focus; with Alt they work from there too.
    add(tr("&Previous sample"), {}, [explorer] {
        explorer->stepSample(-1);
    })->setShortcuts({QKeySequence(tr("[")), QKeySequence(QStringLiteral(",")), QKeySequence(tr("Alt+["))});
    add(tr("&Next sample"), {}, [explorer] {
        explorer->stepSample(1);
    })->setShortcuts({QKeySequence(tr("]")), QKeySequence(QStringLiteral(".")), QKeySequence(tr("Alt+]"))});
}

} // namespace headscope::gui
