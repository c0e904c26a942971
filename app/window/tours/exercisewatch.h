// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the conditions of the current exercise, and updates the panel. GUI thread.
#pragma once

#include "app/window/tours/condition.h"
#include "widgets/frame/tourpanel.h"

#include <QList>
#include <QObject>

namespace headscope::gui {

class ExerciseWatch : public QObject
{
    Q_OBJECT

public:
    ExerciseWatch(const WindowState& state, widgets::TourPanel& panel, QObject* parent);
    /// Sets the conditions; none: nothing is checked. `done`: they were met before.
    void watch(const QList<Condition>& conditions, bool done);
    /// Sets whether the step's initial state is reached; only changes by the user after that count.
    void setSettled(bool settled);

Q_SIGNALS:
    /// All conditions are met for the first time; `measured`: all of them in one line.
    void solved(const QString& measured);

private:
    void look();

    const WindowState& m_state;
    widgets::TourPanel& m_panel;
    QList<Condition> m_conditions;
    bool m_done = false;
    bool m_settled = false;
};

} // namespace headscope::gui
