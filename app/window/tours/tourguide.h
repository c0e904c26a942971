// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Leads through a tour: shows its steps, each with the whole state that it declares, covers what would answer its
// question, and does what its buttons say, with heads that the ranking has found. GUI thread.

#include "app/backend/session/sessiondoor.h"
#include "app/window/explorer.h"
#include "app/window/tours/answerbook.h"
#include "app/window/tours/exercisewatch.h"
#include "app/window/tours/tour.h"
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
    /// `resources`: the folder that holds tours and exercises.
    TourGuide(Explorer& explorer, const Doors& doors, const Parts& parts, const QString& resources, QObject* parent);
    [[nodiscard]] QList<widgets::Choice> choices() const;
    /// Tours first, then exercises.
    [[nodiscard]] const QList<Tour>& tours() const { return m_tours; }
    /// The same of exercises.
    [[nodiscard]] QList<widgets::Choice> exercises() const;
    /// At the step that the session says was reached, when it has said so.
    void open(const QString& id);
    void close();
    /// The tour that is shown, at one of its steps; none, or none yet: nullptr.
    [[nodiscard]] const Tour* tour() const { return m_begun ? chosen() : nullptr; }
    [[nodiscard]] int step() const { return m_step; }
    /// Whether the step's whole state is on the screen.
    [[nodiscard]] bool settled() const;
    [[nodiscard]] FoundHeads found() const;
    /// Names of parts that are covered until the question of this step is answered.
    [[nodiscard]] QStringList covered() const;
    /// What this step asks; what it is called where it asks nothing.
    [[nodiscard]] QString question() const;
    /// Uncovers this step without an answer: a lecture continues.
    void reveal();

Q_SIGNALS:
    void opened();
    void closed();
    /// Another step begins, in the maps.
    void stepShown();
    void continueRequested();
    void removalRequested();
    /// What feeds this head of A, and who listens; `exchange`: "key", "value" or "binding".
    void edgesRequested(const QString& head, const QString& exchange);
    /// Why the shown head looks where it looks.
    void scoreRequested();

private:
    [[nodiscard]] QList<widgets::Choice> choicesOf(bool exercises) const;
    /// Also while the session has not yet said at which step: step() is of no tour then.
    [[nodiscard]] const Tour* chosen() const { return m_tour < 0 ? nullptr : &m_tours.at(m_tour); }
    void openModels();
    void findPlace();
    void showStep(int index);
    void fillPanel();
    void begin(int step);
    /// The step that was reached; 0 for a new tour, and one that was finished begins again.
    [[nodiscard]] int reached(const std::vector<sessions::TourProgress>& tours) const;
    void remember();
    /// Words of a step that name heads change when the heads are found; an answer already given stays.
    void headsFound();
    void answered(int answer, bool right);
    /// Does what is still to do of the scene: models open, heads are found a while later.
    void settle();
    void settleSide(Side side);
    void mark();
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
    AnswerBook m_answers;
    ExerciseWatch m_watch;
    QList<QPointer<QWidget>> m_marks;
    bool m_sampleToDo = false;
    std::array<bool, 2> m_headToDo{};
    std::array<bool, 2> m_offToDo{};
};

} // namespace headscope::gui
