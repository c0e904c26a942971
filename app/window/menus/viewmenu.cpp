// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/viewmenu.h"

#include "app/window/appearance.h"
#include "app/window/menus/entry.h"

#include <QActionGroup>
#include <QMenuBar>

namespace headscope::gui {

namespace {

constexpr double kTextStep = 1.1;

} // namespace

ViewMenu::ViewMenu(QMenuBar& bar, Appearance& appearance) : QObject(&bar)
{
    QMenu& menu = *bar.addMenu(tr("&View"));
    auto* looks = new QActionGroup(&menu);
    const std::pair<Appearance::Look, QString> choices[] = {
        {Appearance::Look::System, tr("Light or dark as the &system")},
        {Appearance::Look::Light, tr("&Light")},
        {Appearance::Look::Dark, tr("&Dark")}};
    for (const auto& [look, name] : choices) {
        QAction* action = addEntry(menu, this, name, {}, [&appearance, look = look] { appearance.setLook(look); });
        action->setCheckable(true);
        action->setData(static_cast<int>(look));
        looks->addAction(action);
    }
    connect(&menu, &QMenu::aboutToShow, looks, [looks, &appearance] {
        for (QAction* action : looks->actions())
            action->setChecked(action->data().toInt() == static_cast<int>(appearance.look()));
    });
    menu.addSeparator();
    addEntry(
        menu, this, tr("L&arger text"), QKeySequence::ZoomIn,
        [&appearance] { appearance.setTextScale(appearance.textScale() * kTextStep); }, u"zoom-in");
    addEntry(
        menu, this, tr("S&maller text"), QKeySequence::ZoomOut,
        [&appearance] { appearance.setTextScale(appearance.textScale() / kTextStep); }, u"zoom-out");
    addEntry(menu, this, tr("&Normal text"), QKeySequence(tr("Ctrl+1")), [&appearance] { appearance.setTextScale(1); });
}

} // namespace headscope::gui
