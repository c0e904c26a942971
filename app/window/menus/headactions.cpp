// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/headactions.h"

#include "app/present/heads/headedits.h"
#include "app/state/modelheads.h"

#include <QFileDialog>
#include <QMenuBar>

namespace headscope::gui {

using interventions::MaskLastRow;
using interventions::SkipLayer;
using widgets::PatternShown;

HeadActions::HeadActions(QMenuBar* bar, WindowState& state, ModelController& models, MetricController& metrics,
                         const Widgets& widgets)
    : QObject(bar), m_state(state), m_models(models), m_metrics(metrics), m_widgets(widgets)
{
    buildHeads(bar->addMenu(tr("Hea&ds")));
    buildCompare(bar->addMenu(tr("&Compare")));
    for (const Side side : kSides)
        connect(m_widgets.maps[indexOf(side)], &widgets::HeadMapPanel::metricFileWanted, this,
                [this, side] { readMetricFile(side); });
}

void HeadActions::buildHeads(QMenu* menu)
{
    buildAblations(menu);
    menu->addSeparator();
    const auto add = [&](const QString& title, const QKeySequence& keys, auto act) {
        QAction* action = menu->addAction(title);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, act);
    };
    add(tr("Ablate &top heads by this metric"), QKeySequence(tr("Ctrl+T")), [this] { activeMap()->requestTop(); });
    add(tr("Ablate &random heads (control)"), QKeySequence(tr("Ctrl+Shift+T")),
        [this] { activeMap()->requestRandom(); });
    add(tr("&Colour by a column of a file …"), {}, [this] { readMetricFile(m_state.activeSide()); });
    menu->addSeparator();
    // What the map itself offers (its context menu), for whoever looks here first.
    QMenu* chosen = menu->addMenu(tr("The chosen &heads"));
    connect(chosen, &QMenu::aboutToShow, this, [this, chosen] {
        chosen->clear();
        chosen->addActions(activeMap()->view()->actions());
    });
}

void HeadActions::buildAblations(QMenu* menu)
{
    // `next` makes the ablation set from what the side shows, `what` its name in the undo list from the layer.
    const auto add = [&](const QString& title, const QKeySequence& keys, auto next, const QString& what) {
        QAction* action = menu->addAction(title);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, [=, this] {
            const Side side = m_state.activeSide();
            const SideState& now = m_state.side(side);
            m_state.changeAblation(side, next(now),
                                   what.contains(QLatin1String("%1")) ? what.arg(now.head.layer) : what);
        });
    };
    add(
        tr("All heads &on"), QKeySequence(tr("Ctrl+0")), [](const SideState&) { return InterventionSet(); },
        tr("All heads on"));
    add(
        tr("&Mask the last row of this layer"), QKeySequence(tr("Ctrl+L")),
        [](const SideState& now) { return toggled(now.ablation, MaskLastRow{.layer = now.head.layer}); },
        tr("Last row of layer %1"));
    add(
        tr("Mask the last row of &all layers"), QKeySequence(tr("Ctrl+Alt+L")),
        [](const SideState& now) { return toggled(now.ablation, MaskLastRow{}); }, tr("Last row of all layers"));
    add(
        tr("&Skip this layer"), QKeySequence(),
        [](const SideState& now) { return toggled(now.ablation, SkipLayer{.layer = now.head.layer}); },
        tr("Skip layer %1"));
    add(
        tr("M&inimal model: end after this layer"), QKeySequence(tr("Ctrl+M")),
        [](const SideState& now) { return minimalUpTo(now.ablation, now.head.layer); },
        tr("Minimal model up to layer %1"));
}

void HeadActions::buildCompare(QMenu* menu)
{
    const auto add = [&](const QString& title, const QKeySequence& keys, auto act) {
        QAction* action = menu->addAction(title);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, act);
        return action;
    };
    QAction* twin =
        add(tr("&Before and after: the same model as B"), QKeySequence(tr("Ctrl+B")), [this] { m_models.openTwin(); });
    QAction* kinds = add(tr("Attention beside &SSM heads of this hybrid"), QKeySequence(tr("Ctrl+Shift+B")),
                         [this] { m_models.compareKinds(); });
    QAction* keep = add(tr("B &keeps its prompt"), {}, [] {});
    keep->setCheckable(true);
    keep->setToolTip(tr("Keep the current prompt for B while you choose another one for A"));
    connect(keep, &QAction::toggled, this, [this](bool on) { m_state.keepPrompt(Side::B, on); });
    QAction* close = add(tr("&Close B"), QKeySequence(tr("Ctrl+Shift+W")), [this] { m_models.closeB(); });
    menu->addSeparator();
    buildViews(menu);
    connect(menu, &QMenu::aboutToShow, this, [=, this] {
        const auto& model = m_state.side(Side::A).model;
        const bool two = m_state.hasModel(Side::B);
        twin->setEnabled(model != nullptr);
        kinds->setEnabled(model && isHybrid(*model));
        keep->setEnabled(two);
        close->setEnabled(two);
    });
    // Greyed in the open menu only: a shortcut works as soon as there is something to do.
    connect(menu, &QMenu::aboutToHide, this, [=] {
        for (QAction* action : {twin, kinds, keep, close})
            action->setEnabled(true);
    });
}

void HeadActions::buildViews(QMenu* menu)
{
    for (const auto& [title, shown, keys] :
         {std::tuple(tr("Show the &pattern"), PatternShown::Pattern, tr("Alt+1")),
          std::tuple(tr("Show it &weighted by value norm"), PatternShown::Weighted, tr("Alt+2")),
          std::tuple(tr("Show &now − baseline"), PatternShown::MinusBaseline, tr("Alt+3")),
          std::tuple(tr("Show &A − B"), PatternShown::AMinusB, tr("Alt+4")),
          std::tuple(tr("Show one &row of all heads"), PatternShown::RowOfHeads, tr("Alt+5"))}) {
        QAction* action = menu->addAction(title);
        action->setShortcut(QKeySequence(keys));
        connect(action, &QAction::triggered, this, [this, shown = shown] { m_widgets.patterns.setShown(shown); });
    }
    menu->addSeparator();
    menu->addActions(m_widgets.patterns.viewActions());
}

void HeadActions::readMetricFile(Side side)
{
    const QString path = QFileDialog::getOpenFileName(m_widgets.patterns.window(), tr("A table of heads and numbers"),
                                                      {}, tr("Tables (*.csv *.tsv *.txt)"));
    if (!path.isEmpty())
        m_metrics.addFile(side, path);
}

} // namespace headscope::gui
