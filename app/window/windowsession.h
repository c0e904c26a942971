// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which session the window works in, and how it was arranged there. GUI thread.

#include <QObject>
#include <QString>

namespace headscope::gui {

class DockLayout;
class Explorer;

class WindowSession : public QObject
{
    Q_OBJECT

public:
    WindowSession(Explorer& explorer, DockLayout& layout, QObject* parent);
    [[nodiscard]] const QString& path() const { return m_path; }
    /// Goes on in this file; empty: what is done is kept nowhere. `restore`: shows what it shows.
    void use(const QString& path, bool restore = true);
    void keepLayout();

Q_SIGNALS:
    void changed();

private:
    Explorer& m_explorer;
    DockLayout& m_layout;
    QString m_path;
};

} // namespace headscope::gui
