// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The prompt bar and the prompt: samples of benchmarks, what a person writes and marks, and how many tokens it is. GUI
// thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/promptbar.h"

#include <QObject>
#include <QTimer>

#include <array>
#include <memory>
#include <optional>

namespace headscope::gui {

class PromptController : public QObject
{
    Q_OBJECT

public:
    PromptController(WindowState& state, app::Door& door, widgets::PromptBar& bar, QObject* parent);

    void stepSample(int step);
    /// What a person asks for: a step that can be undone.
    void showSample(const QString& task, int index);
    /// Leaves out the beginning of a prompt that is longer than the side's model reads.
    void cutToFit(Side side);

Q_SIGNALS:
    void conversationWanted();

private:
    void connectBar();
    void chooseSource(const QString& task);
    void showPrompt();
    void showSources();
    void modelChanged(Side side);
    void sampleArrived(const app::Prompt& prompt);
    void countTokens(Side side);
    void tokensArrived(Side side, const std::shared_ptr<const app::TokenizedPrompt>& tokens);
    void offerOtherModels(Side side, const QString& sentence);
    /// Of a prompt of that many tokens; 0: it fits.
    [[nodiscard]] int longest(Side side, std::size_t tokens) const;

    WindowState& m_state;
    app::Door& m_door;
    widgets::PromptBar& m_bar;
    QTimer m_typing;
    bool m_asked = false;                                                ///< by the person; the sample is on the way
    std::array<std::shared_ptr<const app::TokenizedPrompt>, 2> m_tokens; ///< of the prompt that the state holds
    /// The sample on the screen while it is asked for again, as a model that was opened reads it.
    std::string m_replacing;
    std::optional<Side> m_offered;   ///< whose model cannot read the prompt, where the message offers others
    std::array<bool, 2> m_cutting{}; ///< what is left may have more tokens than it had as the end of the whole
};

} // namespace headscope::gui
