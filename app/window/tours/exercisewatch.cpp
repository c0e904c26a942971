// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours/exercisewatch.h"

#include <algorithm>
#include <utility>

namespace headscope::gui {

ExerciseWatch::ExerciseWatch(const WindowState& state, widgets::TourPanel& panel, QObject* parent)
    : QObject(parent), m_state(state), m_panel(panel)
{
    connect(&state, &WindowState::scoresChanged, this, &ExerciseWatch::look);
    connect(&state, &WindowState::ablationChanged, this, &ExerciseWatch::look);
    connect(&state, &WindowState::patternChanged, this, &ExerciseWatch::look);
}

void ExerciseWatch::watch(const QList<Condition>& conditions, bool done)
{
    m_conditions = conditions;
    m_done = done;
    m_settled = false;
    look();
}

void ExerciseWatch::setSettled(bool settled)
{
    if (std::exchange(m_settled, settled) != settled)
        look();
}

void ExerciseWatch::look()
{
    if (m_conditions.isEmpty())
        return;
    QList<widgets::ExerciseLine> lines;
    QStringList measured;
    for (const Condition& condition : m_conditions) {
        const Checked now = check(condition, m_state);
        lines.append({conditionWords(condition), now.measured, now.met});
        measured.append(conditionWords(condition) + QStringLiteral(" (") + now.measured + QLatin1Char(')'));
    }
    const bool all = std::all_of(lines.begin(), lines.end(),
                                 [](const widgets::ExerciseLine& line) { return line.met.value_or(false); });
    if (all && m_settled && !m_done) {
        m_done = true;
        Q_EMIT solved(measured.join(QStringLiteral("; ")));
    }
    m_panel.setLines(lines, m_done);
}

} // namespace headscope::gui
