// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Help menu: tours, explanations of parts, shortcuts, and information about the program. GUI thread.

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

    /// Installed on the application: ignores What's This requests to items of views, which their parent then answers.
    /// In Qt 6.4 an item without such text ends the What's This mode, and then writes to freed memory.
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showManual(const QString& page);
    /// Returns a menu of all tours and exercises.
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
