// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One step of a tour: text, action buttons, and a question to answer before the result is shown. GUI thread.

#include "widgets/frame/exercisepart.h"
#include "widgets/look/boxes/card.h"

class QButtonGroup;
class QLabel;
class QPushButton;
class QComboBox;
class QToolButton;

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
    QStringList why; ///< by answer: why it may seem right; may be empty
    int rightAnswer = -1;
    QString explanation;   ///< Markdown, shown after an answer or when the exercise is finished
    bool exercise = false; ///< conditions must be met (setLines)
    bool writing = false;  ///< a written answer is expected
};

/// The user's confidence in a prediction.
enum class Confidence { Guess, Think, Know };

/// A band as wide as the window with text, question and explanation side by side. The question comes before the
/// evidence: an answer counts once its confidence is chosen, and only then is it explained.
class TourPanel : public Card
{
    Q_OBJECT

public:
    explicit TourPanel(QWidget* parent = nullptr);
    /// Shows a step. `index`: position in `titles`, 0-based; the titles fill the list to jump.
    void setStep(const TourStep& step, int index, const QStringList& titles);
    /// Gives an answer, like its button followed by that of `confidence`; has no effect after the first answer.
    void answer(int index, Confidence confidence = Confidence::Think);
    /// Shows an earlier answer; emits nothing.
    void setAnswer(int answer, Confidence confidence);
    /// Sets the progress of an exercise; `done`: its conditions were met once, and the explanation is shown.
    void setLines(const QList<ExerciseLine>& lines, bool done);
    /// Shows an earlier written answer.
    void setWritten(const QString& text);
    /// From now on nothing says what is right, answers can be changed, texts are reported while they are written, and
    /// the last step ends with a hand-in instead of closing.
    void setExam();
    /// Of an exam: reports a text that was not reported yet.
    void keepWriting();
    /// Of an exam: answers can be read only.
    void lockAnswers();
    /// The answer given to the shown question; -1: none yet.
    [[nodiscard]] int givenAnswer() const { return m_given; }
    [[nodiscard]] Confidence confidence() const;
    QSize sizeHint() const override;

Q_SIGNALS:
    void actionRequested(const QString& id);
    void answered(int answer, bool right);
    void textSubmitted(const QString& text);
    void stepRequested(int index);
    void closed();
    void handInRequested(); ///< at the end of an exam

protected:
    void changeEvent(QEvent* event) override;

private:
    void makeConfidence();
    void requestStep(int index);
    QWidget* makeHeading();
    void connectParts();
    void fillAnswers();
    /// Fixes the answer once both it and a confidence are chosen.
    void lock();
    void showAnswer();

    TourStep m_step;
    int m_index = 0;
    int m_count = 0;
    int m_chosen = -1; ///< not final: may still be changed
    int m_given = -1;
    bool m_done = false; ///< the exercise
    bool m_exam = false;
    bool m_locked = false; ///< of an exam
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
    QToolButton* m_close;
    QList<QPushButton*> m_answerButtons;
};

} // namespace headscope::widgets
