// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Asks the worker for the numbers that a head map is coloured by, reads a person's own from files, and derives from
// them which heads gather and which aggregate. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"

#include <QObject>

#include <array>
#include <memory>

namespace headscope::gui {

class MetricController : public QObject
{
    Q_OBJECT

public:
    MetricController(WindowState& state, app::Door& door, QObject* parent);

    /// Colours the heads by the last column of a table; the others can be chosen.
    void addFile(Side side, const QString& path);
    /// Colours the heads of both models by what each is worth for the answer to the prompt.
    void rankOnPrompt();

private:
    /// What is missing for the colour of this side.
    void request(Side side);
    void find(Side side);

    WindowState& m_state;
    app::Door& m_door;
    std::array<std::shared_ptr<const app::HeadScores>, 2> m_ofTask; ///< of a sample of what is ranked, by side
    std::array<bool, 2> m_ranksPrompt{};                            ///< a person asked: the end is worth a sentence
    std::array<std::size_t, 2> m_askedAt{}; ///< heads that stood in the ranking when it was asked for
};

} // namespace headscope::gui
