// SPDX-License-Identifier: GPL-3.0-or-later
// Watches whether the conditions of the exercise that is shown hold, and informs the panel. GUI thread.
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
    /// Nothing to watch where there are no conditions. `done`: they held before.
    void watch(const QList<Condition>& conditions, bool done);
    /// Only what a person brings about counts, not what the step's own start goes through.
    void setSettled(bool settled);

Q_SIGNALS:
    /// They hold, for the first time; `measured`: all of them in one line.
    void fulfilled(const QString& measured);

private:
    void look();

    const WindowState& m_state;
    widgets::TourPanel& m_panel;
    QList<Condition> m_conditions;
    bool m_done = false;
    bool m_settled = false;
};

} // namespace headscope::gui
