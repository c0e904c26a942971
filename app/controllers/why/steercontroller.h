// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The steering page: a direction becomes part of the active side's ablation, so that scores, maps and continuations
// follow its strength. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/why/steerpage.h"

#include <QObject>

#include <array>
#include <filesystem>

namespace headscope::gui {

class SteerController : public QObject
{
    Q_OBJECT

public:
    /// Lists of prompts typed in the page are stored as files in `folder`.
    SteerController(WindowState& state, app::Door& door, widgets::SteerPage& page, std::filesystem::path folder,
                    QObject* parent);

private:
    [[nodiscard]] Result<std::string> direction(const widgets::SteerChoice& choice) const;
    void steer();
    void setStrength(double strength);
    void remove();
    void chooseVector();
    void showExample();
    void showAnswer();
    void refresh();

    WindowState& m_state;
    widgets::SteerPage& m_page;
    std::filesystem::path m_folder;
    widgets::SteerChoice m_example; ///< what the page was filled with; typed over, it is left alone
    std::array<QString, 2> m_answers;
};

} // namespace headscope::gui
