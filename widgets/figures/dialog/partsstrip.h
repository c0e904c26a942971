// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The parts of a composed figure as small pictures in their order, which a person arranges by drag or with buttons. GUI
// thread.

#include <QPixmap>
#include <QStringList>
#include <QWidget>

class QListWidget;
class QToolButton;

namespace headscope::widgets {

class PartsStrip : public QWidget
{
    Q_OBJECT

public:
    static constexpr int kMost = 4;

    explicit PartsStrip(QWidget* parent = nullptr);

    [[nodiscard]] QStringList ids() const;
    /// At the end. Nothing happens where there are kMost already.
    void add(const QString& id, const QString& title, const QPixmap& preview);
    void remove(const QString& id);
    void setPreview(const QString& id, const QPixmap& preview);
    /// Of the current part, to the left or to the right.
    void moveBy(int places);
    [[nodiscard]] QListWidget* list() const { return m_list; }

Q_SIGNALS:
    /// A person changed which parts there are, or their order.
    void arranged();

private:
    void removeCurrent();
    void letter();
    void enableButtons();

    QListWidget* m_list;
    QToolButton *m_left, *m_right, *m_remove;
};

} // namespace headscope::widgets
