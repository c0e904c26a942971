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
    for (const auto& [map, side] : {std::pair(parts.mapA, Side::A), std::pair(parts.mapB, Side::B)})
        connect(map, &widgets::HeadMapPanel::metricFileWanted, this, [this, side = side] { readMetricFile(side); });
}

widgets::HeadMapPanel* HeadActions::activeMap() const
{
    return m_explorer.activeSide() == Side::A ? m_parts.mapA : m_parts.mapB;
}

void HeadActions::buildHeads(QMenu* menu)
{
    const auto add = [&](const QString& title, const QKeySequence& keys, auto act) {
        QAction* action = menu->addAction(title);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, [this, act] { act(m_explorer.activeSide()); });
    };
    add(tr("All heads &on"), QKeySequence(tr("Ctrl+0")), [this](Side side) { m_explorer.restoreAll(side); });
    add(tr("&Mask the last row of this layer"), QKeySequence(tr("Ctrl+L")),
        [this](Side side) { m_explorer.toggleLastRow(side, true); });
    add(tr("Mask the last row of &all layers"), QKeySequence(tr("Ctrl+Alt+L")),
        [this](Side side) { m_explorer.toggleLastRow(side, false); });
    add(tr("&Skip this layer"), QKeySequence(tr("Ctrl+K")), [this](Side side) { m_explorer.skipLayer(side); });
    add(tr("M&inimal model: end after this layer"), QKeySequence(tr("Ctrl+M")),
        [this](Side side) { m_explorer.minimalModel(side); });
    menu->addSeparator();
    add(tr("Switch off the &top of this colour"), QKeySequence(tr("Ctrl+T")),
        [this](Side) { activeMap()->requestTop(); });
    add(tr("Switch off as many &random heads (control)"), QKeySequence(tr("Ctrl+Shift+T")),
        [this](Side) { activeMap()->requestRandom(); });
    add(tr("&Colour by a column of a file …"), {}, [this](Side side) { readMetricFile(side); });
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
    connect(keep, &QAction::toggled, this, [this](bool on) { m_explorer.keepPrompt(Side::B, on); });
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
        const bool two = m_explorer.hasModel(Side::B);
        twin->setEnabled(m_explorer.hasModel(Side::A));
        kinds->setEnabled(m_explorer.isHybrid(Side::A));
        keep->setEnabled(two);
        close->setEnabled(two);
    });
    // Greyed in the open menu only: a shortcut works as soon as there is something to do.
    connect(menu, &QMenu::aboutToHide, this, [=] {
        for (QAction* action : {twin, kinds, keep, close})
            action->setEnabled(true);
    });
}

void HeadActions::readMetricFile(Side side)
{
    const QString path = QFileDialog::getOpenFileName(m_parts.mapA->window(), tr("A table of heads and numbers"), {},
                                                      tr("Tables (*.csv *.tsv *.txt)"));
    if (!path.isEmpty())
        m_explorer.addMetricFile(side, path);
}

} // namespace headscope::gui
