// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/menubutton.h"

#include "app/window/menus/entry.h"
#include "widgets/look/icons.h"

#include <QMenuBar>
#include <QSettings>

namespace headscope::gui {

namespace {

QString menuBarKey()
{
    return QStringLiteral("window/menuBar");
}

} // namespace

MenuButton::MenuButton(QMenuBar& bar, QMenu& view, QWidget* window) : m_bar(bar)
{
    dress(this);
    view.addSeparator();
    m_line = addEntry(view, this, tr("Menu &bar"), QKeySequence(Qt::Key_F10 | Qt::ShiftModifier), [] {});
    m_line->setCheckable(true);
    m_line->setChecked(QSettings().value(menuBarKey()).toBool());
    connect(m_line, &QAction::toggled, this, [this](bool on) {
        QSettings().setValue(menuBarKey(), on);
        setBarAlwaysShown(m_barAlwaysShown);
    });
    auto* key = new QAction(window);
    key->setShortcut(QKeySequence(Qt::Key_F10));
    window->addAction(key);
    connect(key, &QAction::triggered, this, &MenuButton::open);
}

// Keys of a line that is hidden work as those of a button that is seen.
void MenuButton::dress(QToolButton* button) const
{
    button->setIcon(widgets::icon(u"menu"));
    button->setAccessibleName(tr("Menu"));
    button->setToolTip(tr("All menus (F10)"));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setPopupMode(QToolButton::InstantPopup);
    button->addActions(m_bar.actions());
}

QToolButton* MenuButton::makeTwin()
{
    m_twin = new QToolButton;
    dress(m_twin);
    return m_twin;
}

void MenuButton::setBarAlwaysShown(bool always)
{
    m_barAlwaysShown = always;
    m_bar.setVisible(!always || m_line->isChecked());
}

void MenuButton::open()
{
    if (m_bar.isVisible())
        m_bar.setActiveAction(m_bar.actions().first());
    else if (m_twin && m_twin->isVisible())
        m_twin->showMenu();
    else
        showMenu();
}

} // namespace headscope::gui
