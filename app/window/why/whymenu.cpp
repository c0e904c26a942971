// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/why/whymenu.h"

#include "app/present/why/expertpresenters.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/menus/entry.h"

#include <QMenuBar>

#include <algorithm>

namespace headscope::gui {

WhyMenu::WhyMenu(QMenuBar& bar, ExplorerPage& page) : QObject(&bar)
{
    QMenu& menu = *bar.addMenu(tr("&Analyse"));
    addEntry(
        menu, this, tr("&Why this answer"), QKeySequence(QStringLiteral("W")), [&page] { page.showWhy(); }, u"layers");
    addEntry(menu, this, tr("Fit a &Jacobian lens…"), {}, [&page] {
        page.showWhy();
        page.explorer()->controllers().lensFit.open();
    });
    addEntry(
        menu, this, tr("Activation &patching"), QKeySequence(QStringLiteral("Shift+W")),
        [&page] { page.showWhy(page.parts().why->patches()); }, u"arrow-left-right");
    addEntry(
        menu, this, tr("&Edges of a head (path patching)"), QKeySequence(QStringLiteral("Shift+E")),
        [&page] { page.showWhy(page.parts().why->edges()); }, u"workflow");
    addEntry(
        menu, this, tr("Bloc&k attention …"), QKeySequence(QStringLiteral("Ctrl+Alt+K")),
        [&page] {
            page.showPatterns();
            page.explorer()->controllers().knockout.open(page.explorer()->state().activeSide());
        },
        u"scissors");
    addEntry(
        menu, this, tr("Attention knockout by &layer"), {}, [&page] { page.showWhy(page.parts().why->sweep()); },
        u"unlink");
    addEntry(
        menu, this, tr("S&core of a cell"), {}, [&page] { page.showWhy(page.parts().why->scoreParts()); }, u"scale");
    addEntry(
        menu, this, tr("We&ights of a head"), {}, [&page] { page.showWhy(page.parts().why->weights()); }, u"weight");
    addEntry(
        menu, this, tr("P&robes of all heads"), {}, [&page] { page.showWhy(page.parts().why->probes()); }, u"radar");
    addEntry(
        menu, this, tr("S&teering"), {}, [&page] { page.showWhy(page.parts().why->steering()); }, u"compass");
    QAction* experts = addEntry(
        menu, this, tr("E&xperts of each token"), {}, [&page] { page.showWhy(page.parts().why->experts()); },
        u"network");
    const WindowState& state = page.explorer()->state();
    experts->setVisible(false); // until a model has some
    connect(&state, &WindowState::modelChanged, experts, [experts, &state] {
        experts->setVisible(std::ranges::any_of(kSides, [&state](Side side) {
            return state.hasModel(side) && !expertLayers(*state.side(side).model).isEmpty();
        }));
    });
    addEntry(menu, this, tr("&Survey of heads on many texts"), {}, [&page] { page.showSurvey(); });
    widgets::WhyPage* why = page.parts().why;
    QAction* table = addEntry(menu, this, tr("&Table of numbers"), {}, [&page, why] {
        if (!why->isVisible())
            page.showWhy();
        why->toggleTables();
    });
    connect(why, &widgets::WhyPage::visibilityChanged, table,
            [table](bool seen) { table->setShortcut(QKeySequence(seen ? QStringLiteral("T") : QString())); });
    addEntry(
        menu, this, tr("Back to the &maps"), {}, [&page] { page.showPatterns(); }, u"grid-3x3");
}

} // namespace headscope::gui
