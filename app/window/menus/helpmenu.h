// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu Help: tours, what a part is for, the keys, and what this program is. GUI thread.

#include <QObject>
#include <QPointer>
#include <QString>

class QMenu;
class QMenuBar;
class QWidget;

namespace headscope::widgets {
struct Choice;
}

namespace headscope::gui {

class ManualWindow;
class TourGuide;

class HelpMenu : public QObject
{
    Q_OBJECT

public:
    /// `manual`: the folder of its pages.
    HelpMenu(QMenuBar& bar, TourGuide& guide, const QString& manual, QWidget* window);

    /// Of the whole program: items of lists and tables do not answer what they are, what is around them does. Qt 6.4
    /// lets an item without words of its own end the asking, and then writes to what that has freed.
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showManual(const QString& page);
    /// All tours and exercises.
    [[nodiscard]] QMenu* makeLessons(QWidget* parent);

Q_SIGNALS:
    void handInRequested();

private:
    void addLessons(QMenu& menu, TourGuide& guide, const QList<widgets::Choice>& lessons);
    static void explainFocus();
    void explainTerms();
    void showKeys();
    void showAbout();

    QMenuBar& m_bar;
    QMenu* m_tours = nullptr;
    QMenu* m_exercises = nullptr;
    QString m_folder; ///< of the manual
    QPointer<ManualWindow> m_manual;
    QWidget* m_window;
};

} // namespace headscope::gui
