// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/why/whymenu.h"

#include "app/present/expertpresenters.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/menus/entry.h"

#include <QMenuBar>

#include <algorithm>

namespace headscope::gui {

WhyMenu::WhyMenu(QMenuBar& bar, ExplorerPage& page) : QObject(&bar)
{
    QMenu& menu = *bar.addMenu(tr("&Analyse"));
    addEntry(menu, this, tr("&Why this answer: layers and parts"), QKeySequence(QStringLiteral("W")),
             [&page] { page.showWhy(); });
    addEntry(menu, this, tr("&Patching: this run in another's"), QKeySequence(QStringLiteral("Shift+W")),
             [&page] { page.showWhy(page.parts().why->patches()); });
    addEntry(menu, this, tr("&Edges: what feeds a head, who listens"), QKeySequence(QStringLiteral("Shift+E")),
             [&page] { page.showWhy(page.parts().why->edges()); });
    addEntry(menu, this, tr("&Knock out: tokens stop reading others …"), QKeySequence(QStringLiteral("Ctrl+Alt+K")),
             [&page] {
                 page.showPatterns();
                 page.explorer()->controllers().knockout.open(page.explorer()->state().activeSide());
             });
    addEntry(menu, this, tr("Knockout by &layer: where tokens have to read others"), {},
             [&page] { page.showWhy(page.parts().why->sweep()); });
    addEntry(menu, this, tr("S&core: why a head looks there"), {},
             [&page] { page.showWhy(page.parts().why->scoreParts()); });
    addEntry(menu, this, tr("We&ights: what a head copies, composes and reads"), {},
             [&page] { page.showWhy(page.parts().why->weights()); });
    addEntry(menu, this, tr("&Probes: induction, previous token, sink …"), {},
             [&page] { page.showWhy(page.parts().why->probes()); });
    addEntry(menu, this, tr("S&teering: a direction with a strength"), {},
             [&page] { page.showWhy(page.parts().why->steering()); });
    QAction* experts = addEntry(menu, this, tr("E&xperts: where each token goes"), {},
                                [&page] { page.showWhy(page.parts().why->experts()); });
    const WindowState& state = page.explorer()->state();
    experts->setVisible(false); // until a model has some
    connect(&state, &WindowState::modelChanged, experts, [experts, &state] {
        experts->setVisible(std::ranges::any_of(kSides, [&state](Side side) {
            return state.hasModel(side) && !expertLayers(*state.side(side).model).isEmpty();
        }));
    });
    addEntry(menu, this, tr("&Survey: heads on many texts"), {}, [&page] { page.showSurvey(); });
    addEntry(menu, this, tr("Back to the &maps"), {}, [&page] { page.showPatterns(); });
}

} // namespace headscope::gui
