// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A line with the current work, its progress, and a button that stops it. GUI thread.

#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace headscope::widgets {

class BusyStrip : public QWidget
{
    Q_OBJECT

public:
    explicit BusyStrip(QWidget* parent = nullptr);
    /// Shows the work. `total` 0: the duration is unknown.
    void showWork(const QString& what, qint64 done, qint64 total);
    void clear();
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    void stopRequested();

private:
    QLabel* m_text;
    QProgressBar* m_bar;
    QToolButton* m_stop;
};

} // namespace headscope::widgets
