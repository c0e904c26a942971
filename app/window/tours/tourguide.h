// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Guides through a tour: shows its steps, each with its complete state, covers parts that would answer its question,
// and performs the actions of its buttons, with heads found by the ranking. GUI thread.

#include "app/backend/session/sessiondoor.h"
#include "app/window/explorer.h"
#include "app/window/tours/answerbook.h"
#include "app/window/tours/exercisewatch.h"
#include "app/window/tours/tour.h"
#include "app/window/tours/tourmark.h"
#include "sessions/records.h"

#include <QObject>
#include <QPointer>

namespace headscope::gui {

class TourGuide : public QObject
{
    Q_OBJECT

public:
    struct Doors {
        app::Door& worker;
        app::SessionDoor& session;
    };
    /// `resources`: the folder that contains tours and exercises.
    TourGuide(Explorer& explorer, const Doors& doors, const Parts& parts, const QString& resources, QObject* parent);
    [[nodiscard]] QList<widgets::Choice> choices() const;
    /// Returns tours first, then exercises.
    [[nodiscard]] const QList<Tour>& tours() const { return m_tours; }
    /// The same for exercises.
    [[nodiscard]] QList<widgets::Choice> exercises() const;
    /// Opens a tour at the step stored in the session, once that is read.
    void open(const QString& id);
    /// Opens this tour only, as an exam: no reply reveals whether an answer is right.
    void openExam(const Tour& exam);
    /// Ends an exam: stores the text being written, then accepts no answers.
    void lock();
    void close();
    /// Returns the tour shown at one of its steps; nullptr if there is none, or none yet.
    [[nodiscard]] const Tour* tour() const { return m_begun ? chosen() : nullptr; }
    [[nodiscard]] int step() const { return m_step; }
    /// Returns whether the complete state of the step is on the screen.
    [[nodiscard]] bool settled() const;
    [[nodiscard]] FoundHeads found() const;
    /// Returns the names of parts that are covered until the question of this step is answered.
    [[nodiscard]] QStringList covered() const;
    /// Returns the names of parts that show what a later step is the first to ask about.
    [[nodiscard]] QStringList askedLater() const;
    /// Returns the question of this step, or its title if it has none.
    [[nodiscard]] QString question() const;
    /// Uncovers this step without an answer, when a lecture continues.
    void reveal();

Q_SIGNALS:
    void opened();
    void closed();
    /// Another step begins; its maps are shown.
    void stepShown();
    void continueRequested();
    void removalRequested();
    /// Trace the edges into and out of this head of A; `exchange`: "key", "value" or "binding".
    void edgesRequested(const QString& head, const QString& exchange);
    /// Attribute the shown head's attention score.
    void scoreRequested();

private:
    [[nodiscard]] QList<widgets::Choice> choicesOf(bool exercises) const;
    /// Also set while the session has not yet returned the step: step() belongs to no tour then.
    [[nodiscard]] const Tour* chosen() const { return m_tour < 0 ? nullptr : &m_tours.at(m_tour); }
    void openModels();
    void findPlace();
    void showStep(int index);
    void fillPanel();
    void begin(int step);
    /// Returns the step reached so far; 0 for a new tour, and for one that was finished.
    [[nodiscard]] int reached(const std::vector<sessions::TourProgress>& tours) const;
    void remember();
    /// Updates the text of a step that names heads once they are found; an answer already given is kept.
    void headsFound();
    void answered(int answer, bool right);
    /// Performs the remaining parts of the scene: models open and heads are found with a delay.
    void settle();
    void settleSide(Side side);
    void mark();
    void cover(const QStringList& names, TourMark::Kind kind);
    void showHeadMarks();
    [[nodiscard]] QWidget* part(const QString& name) const;
    [[nodiscard]] bool isAnswered() const;
    void act(const QString& command);

    Explorer& m_explorer;
    Doors m_doors;
    Parts m_parts;
    QList<Tour> m_tours;
    int m_tour = -1;
    int m_step = 0;
    int m_revealed = -1;  ///< a step that was uncovered without an answer
    bool m_begun = false; ///< the session has said where
    bool m_exam = false;
    AnswerBook m_answers;
    ExerciseWatch m_watch;
    QList<QPointer<QWidget>> m_marks;
    bool m_sampleToDo = false;
    std::array<bool, 2> m_headToDo{};
    std::array<bool, 2> m_offToDo{};
};

} // namespace headscope::gui
