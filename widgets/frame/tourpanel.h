// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One step of a tour: text, "do it" buttons, a question answered before the result is shown. GUI thread.

#include "widgets/frame/exercisepart.h"
#include "widgets/look/boxes/card.h"

class QButtonGroup;
class QLabel;
class QPushButton;
class QComboBox;

namespace headscope::widgets {

struct TourAction {
    QString id;
    QString text; ///< "Switch off L2H5"
};

struct TourStep {
    QString title; ///< "One head, one skill"
    QString text;  ///< Markdown
    QList<TourAction> actions;
    QString question; ///< empty: none
    QStringList answers;
    QStringList why; ///< by answer: why one may think so; may be empty
    int rightAnswer = -1;
    QString explanation;   ///< Markdown, shown after an answer, or once the exercise is done
    bool exercise = false; ///< conditions have to hold (setLines)
    bool writing = false;  ///< an answer in words is asked for
};

/// How sure somebody is of a prediction.
enum class Confidence { Guess, Think, Know };

/// A band as wide as the window: text, question and explanation side by side. The question comes before
/// the evidence: an answer counts once it is said how sure one is of it, and is only then explained.
class TourPanel : public Card
{
    Q_OBJECT

public:
    explicit TourPanel(QWidget* parent = nullptr);
    /// `index` 0-based of `titles`; the titles fill the list to jump.
    void setStep(const TourStep& step, int index, const QStringList& titles);
    /// Gives an answer, as its button and then that of `confidence` do; nothing after the first.
    void answer(int index, Confidence confidence = Confidence::Think);
    /// An answer of earlier, shown as it was given; emits nothing.
    void setAnswer(int answer, Confidence confidence);
    /// How far the conditions of an exercise are; `done`: they held once, and what explains them is shown.
    void setLines(const QList<ExerciseLine>& lines, bool done);
    /// An answer in words of earlier.
    void setWritten(const QString& text);
    /// The answer given to the shown question; -1: none yet.
    [[nodiscard]] int givenAnswer() const { return m_given; }
    [[nodiscard]] Confidence confidence() const;
    QSize sizeHint() const override;

Q_SIGNALS:
    void actionRequested(const QString& id);
    void answered(int answer, bool right);
    void writtenDown(const QString& text);
    void stepRequested(int index);
    void closed();

protected:
    void changeEvent(QEvent* event) override;

private:
    void makeSure();
    QWidget* makeHeading();
    void connectParts();
    void fillAnswers();
    /// Once both an answer and how sure one is of it are chosen.
    void lock();
    void showAnswer();

    TourStep m_step;
    int m_index = 0;
    int m_count = 0;
    int m_chosen = -1; ///< not yet given: it may still be changed
    int m_given = -1;
    bool m_done = false; ///< the exercise
    QLabel* m_title;
    QLabel* m_text;
    QLabel* m_question;
    QLabel* m_explanation;
    QWidget* m_telling; ///< column of the text
    QWidget* m_asked;
    QWidget* m_explained;
    QWidget* m_actions;
    ExercisePart* m_exercise;
    QWidget* m_answers;
    QWidget* m_sure;
    QButtonGroup* m_confidence;
    QComboBox* m_jump;
    QPushButton* m_back;
    QPushButton* m_next;
    QList<QPushButton*> m_answerButtons;
};

} // namespace headscope::widgets
