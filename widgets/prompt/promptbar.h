// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Models, prompt and device: the input of the results shown below. GUI thread.

#include "widgets/prompt/promptmarks.h"

#include <QWidget>

#include <array>
#include <memory>

class QComboBox;
class QCompleter;
class QHBoxLayout;
class QLabel;
class QMenu;
class QStandardItemModel;
class QToolButton;

namespace headscope::widgets {

/// An entry of a combo box: its id and its visible name.
struct Choice {
    QString id;
    QString name;
    QString detail; ///< tooltip
};

/// An intervention on the tokens selected in the prompt.
enum class TokenUse {
    AblateHead,  ///< the shown head is ablated at these tokens
    AblateLayer, ///< all heads of its layer are ablated at these tokens
    StopReading, ///< these tokens stop reading other tokens
    NotRead      ///< other tokens stop reading these
};

class AnswersView;
class ConversationView;
class PromptEdit;

class PromptBar : public QWidget
{
    Q_OBJECT

public:
    explicit PromptBar(QWidget* parent = nullptr);

    /// Sets the entries: `none` is offered for B, and the list of all models for both. Does not emit.
    void setModels(const QList<Choice>& models, const QString& currentA, const QString& currentB);
    /// Sources: free text, benchmarks, files. Does not emit.
    void setSources(const QList<Choice>& sources, const QString& current);
    /// Shows sample `index` (0-based) of `count`; count 0 hides the stepper (free text).
    void setSample(int index, int count);
    /// Replaces the text without emitting promptEdited.
    void setPrompt(const QString& text);
    [[nodiscard]] QString prompt() const;
    /// For one model; 0: no model. `tokens` below 0: being counted. `problem`: why it cannot be used, shown in red.
    void setTokenCount(Side side, int tokens, const QString& problem = {});
    /// Sets the earlier prompts, newest first, offered by Ctrl+Up and by the button.
    void setHistory(const QStringList& prompts);
    void showHistory();
    /// Colours parts of the prompt; ranges in characters of prompt(). Alternating tints show where tokens begin if
    /// `tokenStarts` (ascending, in characters) is not empty.
    void setMarks(const std::vector<TextSpan>& segments, const std::vector<int>& tokenStarts);
    /// Off: the answer is coloured like other parts with its role, so that the colours do not reveal it.
    void setAnswersShown(bool on);
    /// Sets the name of the head that the menu ablates at the selected tokens.
    void setShownHead(const QString& name) { m_shownHead = name; }
    [[nodiscard]] bool answersShown() const { return m_marks->answersShown(); }
    /// Sets the texts for the tokens and, with `coloured`, their colours, until the prompt or this changes; empty:
    /// restores the tints.
    void setHeat(std::vector<TokenHeat> heat, bool coloured = true);
    [[nodiscard]] const std::vector<TokenHeat>& heat() const { return m_marks->heat(); }
    [[nodiscard]] bool isColoured() const { return m_marks->isColoured(); }
    /// Shown beside the prompt, which then contains the turns as formatted by the chat template and cannot be edited.
    [[nodiscard]] ConversationView* conversation() const { return m_conversation; }
    void setConversing(bool on);
    /// Shown beside the prompt: the answers of the models.
    [[nodiscard]] AnswersView* answers() const { return m_answers; }
    /// Adds a button at the right end of the first line. If the line is too short for its text, only its icon is shown,
    /// beside the number of tokens.
    void addTool(QToolButton* tool);
    /// In an exam: models are not chosen, and heads are neither found nor ranked from here; prompt, samples and
    /// continuation stay. Called when every tool is there.
    void setExam();
    /// Before everything else.
    void addMenu(QToolButton* menu);
    QSize sizeHint() const override;

Q_SIGNALS:
    void modelAChosen(const QString& id);
    void modelBChosen(const QString& id); ///< empty: none
    void allModelsRequested();
    void sourceChosen(const QString& id);
    void sampleStepRequested(int step); ///< -1 or +1
    void sampleRequested(int index);    ///< 0-based
    void promptEdited(const QString& text);
    /// The user has finished editing: the prompt should be remembered.
    void promptCommitted(const QString& text);
    void continueRequested();
    void rankRequested(); ///< all heads, by their effect on the answer
    /// The user assigned this role to the selected characters [begin, end).
    void segmentMarked(headscope::Role role, int begin, int end);
    void segmentsCleared();
    /// The user requested this intervention on the tokens of the selected characters [begin, end).
    void tokensChosen(headscope::widgets::TokenUse use, int begin, int end);
    /// The mouse rests on the prompt, and there are no texts for its tokens yet.
    void tokenTextsRequested();

public Q_SLOTS:
    /// For the shortcuts [ and ] of the window.
    void previousSample();
    void nextSample();

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void restyle();
    void fitHeight();
    void makeChoices();
    /// Emits the request of an activated entry in a box of models.
    void modelActivated(QComboBox* box, void (PromptBar::*chosen)(const QString&));
    void makeEdit();
    void makeLines();
    void connectParts();
    void showMenu(const QPoint& at);
    void addTokenUses(QMenu& menu);
    void applyMarks();
    /// Shows the text for the token at a point; hides it if there is none.
    void showTip(const QPoint& at, const QPoint& globalAt);
    void showCounts();
    void commit();
    [[nodiscard]] bool problem() const { return !m_problems[0].isEmpty() || !m_problems[1].isEmpty(); }

    QStandardItemModel* m_history;
    QCompleter* m_completer;
    std::array<QLabel*, 2> m_letters; ///< "A" and "B"
    QComboBox* m_a;
    QComboBox* m_b;
    std::array<QString, 2> m_models; ///< the open models
    QComboBox* m_source;
    QWidget* m_stepper;
    QLabel* m_sample;
    QToolButton* m_previous;
    QToolButton* m_next;
    QToolButton* m_continue;
    QToolButton* m_rank;
    PromptEdit* m_edit;
    std::unique_ptr<PromptMarks> m_marks; ///< in the text
    QLabel* m_tokens;
    QHBoxLayout* m_bar;
    AnswersView* m_answers;
    ConversationView* m_conversation;
    QToolButton* m_earlier;
    std::array<int, 2> m_counts{};
    std::array<QString, 2> m_problems;
    bool m_written = false; ///< edited by the user since it was last reported
    int m_index = 0;
    int m_count = 0;
    QString m_shownHead;
    [[nodiscard]] int wordsOfFirstLine() const;
    void fitFirstLine();
    void showSample();
    std::vector<QToolButton*> m_tools;
    QToolButton* m_menu = nullptr;
    QHBoxLayout* m_countLine = nullptr; ///< the number of tokens, and buttons
    bool m_isNarrow = false;
    bool m_wordsWanted = false; ///< requested; shown if the mouse is still there
};

} // namespace headscope::widgets
