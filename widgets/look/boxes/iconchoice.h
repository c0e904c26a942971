// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A choice behind an icon: a menu with a mark at the current value. Drawn pressed unless that is the first one. GUI
// thread.

#include <QToolButton>

class QActionGroup;

namespace headscope::widgets {

class IconChoice : public QToolButton
{
    Q_OBJECT

public:
    /// `name`: the subject of the choice, "Colour scale of the patterns".
    IconChoice(QStringView icon, const QString& name, QWidget* parent = nullptr);

    /// Adds a value. The first one is current until another is chosen.
    void add(const QString& text, int value, const QString& hint = {});
    [[nodiscard]] int value() const;
    /// Sets the current value to one of those added.
    void setValue(int value);
    void setPossible(int value, bool possible);

Q_SIGNALS:
    void valueChanged();

private:
    [[nodiscard]] QAction* actionOf(int value) const;
    void updateToolTip();

    QActionGroup* m_group;
};

} // namespace headscope::widgets
