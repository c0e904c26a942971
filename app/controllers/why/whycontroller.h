// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page that explains a model's answer: updated while it is visible, after each change of ablation. GUI
// thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/promptbar.h"
#include "widgets/why/parts/whypage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class WhyController : public QObject
{
    Q_OBJECT

public:
    WhyController(WindowState& state, app::Door& door, widgets::WhyPage& page, widgets::PromptBar& bar,
                  QObject* parent);
    /// Uses this Jacobian lens for a side's model from now on, and shows it.
    void openLens(Side side, const QString& file);
    [[nodiscard]] std::shared_ptr<const app::LensReply> lens(Side side) const { return m_lens[indexOf(side)]; }
    [[nodiscard]] std::shared_ptr<const app::DirectReply> parts(Side side) const { return m_parts[indexOf(side)]; }

private:
    void connectSide(Side side);
    [[nodiscard]] app::WhyQuestion question(Side side) const;
    /// The number of the token in a cell of the lens, or of the prompt (row -1).
    [[nodiscard]] std::optional<int> tokenAt(Side side, int row, int column) const;
    void chooseLens();
    /// Returns the side's Jacobian lens: the one that was opened, or that of the model's folder; empty: none.
    [[nodiscard]] std::string jacobianFile(Side side) const;
    /// The same if it is selected; empty: the logit lens.
    [[nodiscard]] std::string lensFile(Side side) const;
    void refresh(Side side);
    void refreshBoth();
    void showLens(Side side, const std::shared_ptr<const app::LensReply>& lens);
    void showParts(const app::DirectRequest& request, const std::shared_ptr<const app::DirectReply>& parts);
    void showProblem(const app::Lane& lane, const QString& sentence);
    /// Asks about other tokens than the sample's.
    void ask(Side side, const app::AnswerTokens& asked);
    void choose(Side side, const QString& part);
    /// Colours the prompt by the contribution of each token to a head; empty: removes the colours.
    void showSources(Side side, const QString& part);
    [[nodiscard]] std::optional<interventions::HeadRef> headOf(Side side, const QString& part) const;

    WindowState& m_state;
    app::Door& m_door;
    widgets::WhyPage& m_page;
    widgets::PromptBar& m_bar;
    std::array<app::AnswerTokens, 2> m_asked;
    struct OpenedLens {
        std::string file, model; ///< hash of the model that it was opened for
    };
    std::array<OpenedLens, 2> m_opened;
    std::array<std::shared_ptr<const app::LensReply>, 2> m_lens;    ///< what is shown; null: nothing
    std::array<std::shared_ptr<const app::DirectReply>, 2> m_parts; ///< likewise
    bool m_heated = false;                                          ///< the prompt is coloured by this page
};

} // namespace headscope::gui
