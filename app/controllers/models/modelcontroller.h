// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opens and closes the two models, and says what is to be known of them. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/promptbar.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class ModelController : public QObject
{
    Q_OBJECT

public:
    ModelController(WindowState& state, app::Door& door, widgets::PromptBar& bar, QObject* parent);

    /// What the combo boxes offer; shipped ones first.
    void setChoices(const QList<widgets::Choice>& choices);
    /// `type`: for this model alone; empty: what the settings say.
    void open(Side side, const QString& model, const QString& type = {});
    /// The same for a model that a session names: the caller reports a failure.
    void restore(Side side, const QString& model, const QString& type = {});
    /// Opens what could not be opened for want of a tokenizer, with this one (tokenizer.json, vocab.json or another
    /// file), which is remembered for the model's folder.
    void openWithTokenizer(Side side, const QString& file);
    /// Opens what did not fit into memory in the type in which it does.
    void openInSmallerType(Side side);
    void closeB();
    /// A's model as B, everything on: what switching off changed, side by side.
    void openTwin();
    /// The same with an attention head as A and an SSM head as B: who does the retrieval?
    void compareKinds();

Q_SIGNALS:
    void restoreFailed(headscope::Side side, const QString& sentence);

private:
    void showModels();
    void arrived(Side side, std::shared_ptr<const app::ModelSummary> model);
    void failed(Side side, const QString& sentence);
    /// The entry of the list for what is open; a folder that is not in the list is added to it.
    [[nodiscard]] QString choiceOf(Side side);

    WindowState& m_state;
    app::Door& m_door;
    widgets::PromptBar& m_bar;
    QList<widgets::Choice> m_choices;
    std::array<bool, 2> m_restoring{};
    std::array<QString, 2> m_asked;   ///< the model last asked for: folder or name
    std::array<QString, 2> m_smaller; ///< the type in which it would fit
    QString m_failure;                ///< of the model that could not be opened last
    bool m_ssmWanted = false;         ///< B is being opened to look at its SSM heads
    bool m_hinted = false;
};

} // namespace headscope::gui
