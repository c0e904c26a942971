// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/why/whymenu.h"

#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/menus/entry.h"

#include <QMenuBar>

namespace headscope::gui {

WhyMenu::WhyMenu(QMenuBar& bar, ExplorerPage& page) : QObject(&bar)
{
    QMenu& menu = *bar.addMenu(tr("&Analyse"));
    addEntry(menu, this, tr("&Why this answer: layers and parts"), QKeySequence(QStringLiteral("W")),
             [&page] { page.showWhy(); });
    addEntry(menu, this, tr("&Patching: this run in another's"), QKeySequence(QStringLiteral("Shift+W")),
             [&page] { page.showPatching(); });
    addEntry(menu, this, tr("&Edges: what feeds a head, who listens"), QKeySequence(QStringLiteral("Shift+E")),
             [&page] { page.showEdges(); });
    addEntry(menu, this, tr("&Knock out: tokens stop reading others …"), QKeySequence(QStringLiteral("Ctrl+Alt+K")),
             [&page] {
                 page.showPatterns();
                 page.explorer()->controllers().knockout.open(page.explorer()->state().activeSide());
             });
    addEntry(menu, this, tr("&Survey: heads on many texts"), {}, [&page] { page.showSurvey(); });
    addEntry(menu, this, tr("Back to the &maps"), {}, [&page] { page.showPatterns(); });
}

} // namespace headscope::gui
