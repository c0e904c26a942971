// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Models, prompt and machine: what the picture below is a picture of. GUI thread.

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

/// An entry of a combo box: what the program calls it, what the person reads.
struct Choice {
    QString id;
    QString name;
    QString detail; ///< tooltip
};

/// What is done to the tokens of a selected piece of the prompt.
enum class TokenUse {
    AblateHead,  ///< the head that is shown is off there
    AblateLayer, ///< every head of its layer is
    StopReading, ///< they read others no more
    NotRead      ///< others read them no more
};

class AnswersView;
class ConversationView;
class PromptEdit;

class PromptBar : public QWidget
{
    Q_OBJECT

public:
    explicit PromptBar(QWidget* parent = nullptr);

    /// `none` is offered for B, and the list of all models for both. Does not emit.
    void setModels(const QList<Choice>& models, const QString& currentA, const QString& currentB);
    /// Sources: free text, benchmarks, files. Does not emit.
    void setSources(const QList<Choice>& sources, const QString& current);
    /// Sample `index` (0-based) of `count`; count 0 hides the stepper (free text).
    void setSample(int index, int count);
    /// Replaces the text without emitting promptEdited.
    void setPrompt(const QString& text);
    [[nodiscard]] QString prompt() const;
    /// For one model; 0: none there. `tokens` below 0: being counted. `problem`: why it cannot be used, shown in red.
    void setTokenCount(Side side, int tokens, const QString& problem = {});
    /// Prompts of earlier, newest first, offered by Ctrl+Up and by the button.
    void setHistory(const QStringList& prompts);
    void showHistory();
    /// Colours pieces of the prompt; ranges in characters of prompt(). Alternating tints show where tokens begin when
    /// `tokenStarts` (rising, in characters) is not empty.
    void setMarks(const std::vector<TextSpan>& segments, const std::vector<int>& tokenStarts);
    /// Off: what is asked for is coloured as all others of its kind, so that it answers no question.
    void setAnswersShown(bool on);
    /// The head that the menu ablates at some tokens, as it is written.
    void setShownHead(const QString& name) { m_shownHead = name; }
    [[nodiscard]] bool answersShown() const { return m_marks->answersShown(); }
    /// What is said of the tokens, and with `coloured` their colours, until the text, or this, changes; empty: the
    /// tints again.
    void setHeat(std::vector<TokenHeat> heat, bool coloured = true);
    [[nodiscard]] const std::vector<TokenHeat>& heat() const { return m_marks->heat(); }
    [[nodiscard]] bool isColoured() const { return m_marks->isColoured(); }
    /// Beside the prompt, which is then as a chat template writes the turns and is not edited itself.
    [[nodiscard]] ConversationView* conversation() const { return m_conversation; }
    void setConversing(bool on);
    /// Beside the prompt: what the models answer.
    [[nodiscard]] AnswersView* answers() const { return m_answers; }
    /// At the right end of the first line: what is found, and shown large. Where the line is too short for its words
    /// the tool shows its icon only, beside the number of tokens.
    void addTool(QToolButton* tool);
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
    /// The person is done with writing: a prompt worth remembering.
    void promptCommitted(const QString& text);
    void continueRequested();
    void rankRequested(); ///< all heads, by what each is worth for the answer
    /// The person marked the selected characters [begin, end) as playing a role.
    void segmentMarked(headscope::Role role, int begin, int end);
    void segmentsCleared();
    /// The person asked for this of the tokens of the selected characters [begin, end).
    void tokensChosen(headscope::widgets::TokenUse use, int begin, int end);
    /// The mouse rests on the prompt, and nothing is known of its tokens.
    void tokenWordsWanted();

public Q_SLOTS:
    /// For the window's [ and ] shortcuts.
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
    /// What an activated entry of a box of models asks for.
    void modelActivated(QComboBox* box, void (PromptBar::*chosen)(const QString&));
    void makeEdit();
    void makeLines();
    void connectParts();
    void showMenu(const QPoint& at);
    void addTokenUses(QMenu& menu);
    void applyMarks();
    /// The words on the token at a point of the text; hides them where there is none.
    void showTip(const QPoint& at, const QPoint& globalAt);
    void showCounts();
    void commit();
    [[nodiscard]] bool problem() const { return !m_problems[0].isEmpty() || !m_problems[1].isEmpty(); }

    QStandardItemModel* m_history;
    QCompleter* m_completer;
    QComboBox* m_a;
    QComboBox* m_b;
    std::array<QString, 2> m_models; ///< the ones that are open
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
    bool m_written = false; ///< by the person since it was last reported
    int m_index = 0;
    int m_count = 0;
    QString m_shownHead;
    [[nodiscard]] int wordsOfFirstLine() const;
    void fitFirstLine();
    void showSample();
    std::vector<QToolButton*> m_tools;
    QToolButton* m_menu = nullptr;
    QHBoxLayout* m_countLine = nullptr; ///< the number of tokens, and tools
    bool m_isNarrow = false;
    bool m_wordsWanted = false; ///< they are shown where the mouse still is
};

} // namespace headscope::widgets
