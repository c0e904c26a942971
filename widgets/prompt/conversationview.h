// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The turns of a conversation with their roles and editable texts, and the buttons that make a model write the next
// turn. GUI thread.

#include "core/base/side.h"
#include "widgets/prompt/samplingfields.h"
#include "widgets/prompt/turnrow.h"

#include <QStringList>
#include <QWidget>

#include <array>
#include <vector>

class QLabel;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace headscope::widgets {

class ConversationView : public QWidget
{
    Q_OBJECT

public:
    static constexpr int kMostTurns = 200;

    explicit ConversationView(QWidget* parent = nullptr);

    /// Sets the available roles; a turn with another role keeps it.
    void setRoles(const QStringList& roles);
    [[nodiscard]] const QStringList& roles() const { return m_roles; }
    /// Does not emit. Unchanged texts keep their cursor.
    void setTurns(const std::vector<ChatTurn>& turns);
    [[nodiscard]] std::vector<ChatTurn> turns() const;
    /// Sets which models can write the next turn.
    void setModels(bool a, bool b);
    /// While a model writes, turns cannot be edited, and a button stops it.
    void setAnswering(bool on);
    /// Shows a sentence below the turns; `problem`: why they cannot be used.
    void setNote(const QString& sentence, bool problem = false);
    [[nodiscard]] QString note() const;
    [[nodiscard]] int tokens() const;
    [[nodiscard]] double temperature() const;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void edited(bool typed); ///< `typed`: text was typed; otherwise a role or a whole turn changed
    void answerRequested(headscope::Side side);
    void stopRequested();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeRows();
    void makeButtons();
    TurnRow* addRow();
    void remove(TurnRow* row);
    void addTurn();
    void refresh();
    /// In a narrow view the buttons stay, and the sampling fields are hidden.
    void fitButtons();
    void restyle();

    QStringList m_roles;
    std::vector<TurnRow*> m_rows;
    QScrollArea* m_scroll;
    QVBoxLayout* m_turns;
    QLabel* m_note;
    QToolButton* m_add;
    SamplingFields m_sampling;
    std::array<QToolButton*, 2> m_answer;
    QToolButton* m_stop;
    std::array<bool, 2> m_models{};
    bool m_answering = false;
    bool m_problem = false;
};

} // namespace headscope::widgets
