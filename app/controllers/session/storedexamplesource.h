// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The examples of a session as rows of the flips list, read through the door a page at a time, so that a million of
// them cost no more than a screenful. GUI thread.

#include "app/backend/session/examplerequests.h"
#include "widgets/scores/flipsmodel.h"

#include <QObject>

#include <memory>

namespace headscope::gui {

class StoredExampleSource : public widgets::ExampleSource
{
public:
    /// The door must outlive it.
    StoredExampleSource(app::SessionDoor& door, std::shared_ptr<const app::ExamplePairs> pairs)
        : m_door(door), m_pairs(std::move(pairs))
    {
    }

    [[nodiscard]] std::vector<widgets::FlipKind> kinds() const override;
    void read(std::vector<int> rows, Answer answer) override;

private:
    app::SessionDoor& m_door;
    std::shared_ptr<const app::ExamplePairs> m_pairs;
    QObject m_here; ///< answers are dropped once this is destroyed
};

} // namespace headscope::gui
