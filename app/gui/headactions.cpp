// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/headactions.h"

#include <QFileDialog>
#include <QMenuBar>

namespace headscope::gui {

using widgets::PatternShown;

HeadActions::HeadActions(QMenuBar* bar, const Parts& parts, Explorer& explorer)
    : QObject(bar), m_parts(parts), m_explorer(explorer)
{
    buildHeads(bar->addMenu(tr("&Heads")));
    buildCompare(bar->addMenu(tr("&Compare")));
    for (const auto& [map, slot] : {std::pair(parts.mapA, Slot::A), std::pair(parts.mapB, Slot::B)})
        connect(map, &widgets::HeadMapPanel::metricFileWanted, this, [this, slot = slot] { readMetricFile(slot); });
}

widgets::HeadMapPanel* HeadActions::activeMap() const
{
    return m_explorer.activeSlot() == Slot::A ? m_parts.mapA : m_parts.mapB;
}

void HeadActions::buildHeads(QMenu* menu)
{
    const auto add = [&](const QString& title, const QKeySequence& keys, auto act) {
        QAction* action = menu->addAction(title);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, [this, act] { act(m_explorer.activeSlot()); });
    };
    add(tr("All heads &on"), QKeySequence(tr("Ctrl+0")), [this](Slot slot) { m_explorer.restoreAll(slot); });
    add(tr("&Mask the last row of this layer"), QKeySequence(tr("Ctrl+L")),
        [this](Slot slot) { m_explorer.toggleLastRow(slot, true); });
    add(tr("Mask the last row of &all layers"), QKeySequence(tr("Ctrl+Alt+L")),
        [this](Slot slot) { m_explorer.toggleLastRow(slot, false); });
    add(tr("&Skip this layer"), QKeySequence(tr("Ctrl+K")), [this](Slot slot) { m_explorer.skipLayer(slot); });
    add(tr("M&inimal model: end after this layer"), QKeySequence(tr("Ctrl+M")),
        [this](Slot slot) { m_explorer.minimalModel(slot); });
    menu->addSeparator();
    add(tr("Switch off the &top of this colour"), QKeySequence(tr("Ctrl+T")),
        [this](Slot) { activeMap()->requestTop(); });
    add(tr("Switch off as many &random heads (control)"), QKeySequence(tr("Ctrl+Shift+T")),
        [this](Slot) { activeMap()->requestRandom(); });
    add(tr("&Colour by a column of a file …"), {}, [this](Slot slot) { readMetricFile(slot); });
    menu->addSeparator();
    // What the map itself offers (its context menu), for whoever looks here first.
    QMenu* chosen = menu->addMenu(tr("The chosen &heads"));
    connect(chosen, &QMenu::aboutToShow, this, [this, chosen] {
        chosen->clear();
        chosen->addActions(activeMap()->view()->actions());
    });
}

void HeadActions::buildCompare(QMenu* menu)
{
    const auto add = [&](const QString& title, const QKeySequence& keys, auto act) {
        QAction* action = menu->addAction(title);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, act);
        return action;
    };
    QAction* twin = add(tr("&Before and after: the same model as B"), QKeySequence(tr("Ctrl+B")),
                        [this] { m_explorer.openTwin(); });
    QAction* kinds = add(tr("Attention beside &SSM heads of this hybrid"), QKeySequence(tr("Ctrl+Shift+B")),
                         [this] { m_explorer.compareKinds(); });
    QAction* keep = add(tr("B &keeps its prompt"), {}, [] {});
    keep->setCheckable(true);
    keep->setToolTip(tr("B stays at the prompt it has now while you choose another for A"));
    connect(keep, &QAction::toggled, this, [this](bool on) { m_explorer.keepPrompt(Slot::B, on); });
    QAction* close = add(tr("&Close B"), QKeySequence(tr("Ctrl+Shift+W")), [this] { m_explorer.closeB(); });
    menu->addSeparator();
    for (const auto& [title, shown, keys] :
         {std::tuple(tr("Show the &pattern"), PatternShown::Pattern, tr("Alt+1")),
          std::tuple(tr("Show it &weighted by value norm"), PatternShown::Weighted, tr("Alt+2")),
          std::tuple(tr("Show &now − baseline"), PatternShown::MinusBaseline, tr("Alt+3")),
          std::tuple(tr("Show &A − B"), PatternShown::AMinusB, tr("Alt+4")),
          std::tuple(tr("Show one &row of all heads"), PatternShown::RowOfHeads, tr("Alt+5"))})
        add(title, QKeySequence(keys), [this, shown = shown] { m_parts.patterns->setShown(shown); });
    menu->addSeparator();
    menu->addActions(m_parts.patterns->viewActions());
    connect(menu, &QMenu::aboutToShow, this, [=, this] {
        const bool two = m_explorer.hasModel(Slot::B);
        twin->setEnabled(m_explorer.hasModel(Slot::A));
        kinds->setEnabled(m_explorer.isHybrid(Slot::A));
        keep->setEnabled(two);
        close->setEnabled(two);
    });
    // Greyed in the open menu only: a shortcut works as soon as there is something to do.
    connect(menu, &QMenu::aboutToHide, this, [=] {
        for (QAction* action : {twin, kinds, keep, close})
            action->setEnabled(true);
    });
}

void HeadActions::readMetricFile(Slot slot)
{
    const QString path = QFileDialog::getOpenFileName(m_parts.mapA->window(), tr("A table of heads and numbers"), {},
                                                      tr("Tables (*.csv *.tsv *.txt)"));
    if (!path.isEmpty())
        m_explorer.addMetricFile(slot, path);
}

} // namespace headscope::gui
