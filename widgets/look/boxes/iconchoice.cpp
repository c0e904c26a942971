// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/boxes/iconchoice.h"

#include "widgets/look/icons.h"
#include "widgets/look/plaintext.h"

#include <QActionGroup>
#include <QMenu>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

IconChoice::IconChoice(QStringView icon, const QString& name, QWidget* parent)
    : QToolButton(parent), m_group(new QActionGroup(this))
{
    setIcon(widgets::icon(icon));
    setAccessibleName(name);
    setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(this);
    menu->setToolTipsVisible(true);
    setMenu(menu);
}

void IconChoice::add(const QString& text, int value, const QString& hint)
{
    QAction* action = menu()->addAction(text);
    action->setData(value);
    action->setCheckable(true);
    action->setToolTip(plainText(hint.isEmpty() ? text : hint));
    m_group->addAction(action);
    if (m_group->actions().size() == 1)
        action->setChecked(true);
    connect(action, &QAction::toggled, this, [this](bool on) {
        if (!on)
            return;
        updateToolTip();
        Q_EMIT valueChanged();
    });
    updateToolTip();
}

int IconChoice::value() const
{
    return m_group->checkedAction()->data().toInt();
}

void IconChoice::setValue(int value)
{
    actionOf(value)->setChecked(true);
}

void IconChoice::setPossible(int value, bool possible)
{
    actionOf(value)->setEnabled(possible);
}

QAction* IconChoice::actionOf(int value) const
{
    for (QAction* action : m_group->actions())
        if (action->data().toInt() == value)
            return action;
    return m_group->actions().front();
}

void IconChoice::updateToolTip()
{
    const QAction* chosen = m_group->checkedAction();
    setProperty("changed", chosen != m_group->actions().front());
    setToolTip(plainText(accessibleName() + u": "_s + chosen->text()));
    setAccessibleDescription(chosen->text());
}

} // namespace headscope::widgets
