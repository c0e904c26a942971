// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Connects the prompt bar and the prompt: samples of benchmarks, edits, marked segments, and token counts. GUI
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
    /// Shows a sample requested by the user, as a step that can be undone.
    void showSample(const QString& task, int index);
    /// Removes the beginning of a prompt that is too long for the side's model.
    void cutToFit(Side side);

Q_SIGNALS:
    void conversationWanted();

private:
    void connectBar();
    void chooseSource(const QString& task);
    void showPrompt(bool reread);
    void showSources();
    void modelChanged(Side side);
    void sampleArrived(const app::Prompt& prompt);
    void countTokens(Side side);
    void tokensArrived(Side side, const std::shared_ptr<const app::TokenizedPrompt>& tokens);
    void offerOtherModels(Side side, const QString& sentence);
    /// Returns the longest allowed prompt, for one of that many tokens; 0: it fits.
    [[nodiscard]] int longest(Side side, std::size_t tokens) const;

    WindowState& m_state;
    app::Door& m_door;
    widgets::PromptBar& m_bar;
    QTimer m_typing;
    bool m_asked = false;                                                ///< by the user; the sample is still missing
    std::array<std::shared_ptr<const app::TokenizedPrompt>, 2> m_tokens; ///< of the current prompt
    /// The shown sample while it is requested again, as encoded for a newly opened model.
    std::string m_replacing;
    std::optional<Side> m_offered;   ///< side whose model cannot read the prompt, if the message offers others
    std::array<bool, 2> m_cutting{}; ///< the shortened prompt may have more tokens than the same text within the whole
};

} // namespace headscope::gui
