// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opens and closes the two models, and shows their warnings. GUI thread.

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

    /// Sets the entries of the combo boxes, shipped models first.
    void setChoices(const QList<widgets::Choice>& choices);
    /// Opens a model. `type`: dtype for this model only; empty: as in the settings.
    void open(Side side, const QString& model, const QString& type = {});
    /// The same for a model named by a session: the caller reports failures.
    void restore(Side side, const QString& model, const QString& type = {});
    /// Opens a model that failed for lack of a tokenizer, with this one (tokenizer.json, vocab.json or another file),
    /// which is remembered for the model's folder.
    void openWithTokenizer(Side side, const QString& file);
    /// Opens a model that did not fit into memory, in the dtype in which it does.
    void openInSmallerType(Side side);
    void closeB();
    /// Opens A's model as B without ablation, to compare the effect of an ablation side by side.
    void openTwin();
    /// The same with an attention head as A and an SSM head as B, to see which of them retrieves.
    void compareKinds();

Q_SIGNALS:
    void restoreFailed(headscope::Side side, const QString& sentence);

private:
    void showModels();
    void arrived(Side side, std::shared_ptr<const app::ModelSummary> model);
    void failed(Side side, const QString& sentence);
    /// Returns the list entry of the open model; a folder that is not in the list is added.
    [[nodiscard]] QString choiceOf(Side side);

    WindowState& m_state;
    app::Door& m_door;
    widgets::PromptBar& m_bar;
    QList<widgets::Choice> m_choices;
    std::array<bool, 2> m_restoring{};
    std::array<QString, 2> m_asked;   ///< the model requested last: folder or name
    std::array<QString, 2> m_smaller; ///< the dtype in which it would fit
    QString m_failure;                ///< error of the model that failed to open last
    bool m_ssmWanted = false;         ///< B is being opened to show its SSM heads
    bool m_hinted = false;
};

} // namespace headscope::gui
