// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A guided tour as it lies in resources/tours, or exercises as they lie in resources/exercises: texts, questions, the
// state that each step shows, what has to be brought about, and what is claimed. Pure functions; GUI thread.

#include "app/window/tours/condition.h"
#include "core/base/result.h"
#include "core/base/side.h"
#include "widgets/frame/tourpanel.h"
#include "widgets/welcome/offerpicture.h"

#include <QMap>
#include <QString>
#include <QStringList>

#include <array>
#include <optional>

namespace headscope::gui {

/// What a step shows, whole: what is not named is as in a window just opened, so that nothing of another step is left.
struct TourScene {
    QString sample;                               ///< "toy_kv:pairs=8 5"; empty: the prompt stays
    std::array<QString, 2> head;                  ///< of A and B: "{aggregate}", "L2H5"; empty: stays
    std::array<QString, 2> off;                   ///< what is ablated: "{gather}", "lastrow:*"; empty: nothing
    bool coloured = false;                        ///< an exercise whose head map keeps its colours
    QStringList cover;                            ///< parts that are not seen before the question is answered
    QString point;                                ///< the part that the step speaks of
    std::optional<std::array<QString, 2>> reveal; ///< what is ablated once the question is answered
};

/// What a step of exercises asks for, and what would do.
struct TourExercise {
    QList<Condition> conditions;     ///< all at once; empty: nothing has to be brought about
    std::array<QString, 2> solution; ///< heads of A and B to ablate, with which they hold; a test measures it
    std::array<QString, 2> look;     ///< heads to look at, where that is what is asked for
};

/// What a tour says of a shipped model: a test measures it.
struct TourClaim {
    Side side = Side::A;
    QString off;       ///< what is ablated, "{aggregate}"; empty: nothing
    QString benchmark; ///< "toy_kv:pairs=8"
    double low = 0;    ///< the score with it lies between
    double high = 1;
    bool control = false; ///< it must not move: no worse by the paired test
};

/// What a tour says that a shipped model writes: a test lets it.
struct TourSaying {
    Side side = Side::A;
    QString off;    ///< what is ablated, "{aggregate}"; empty: nothing
    QString sample; ///< "toy_kv:pairs=8 5"; empty: `text` is the prompt
    QString text;
    QString like;   ///< what it writes begins with: a regular expression
    double low = 0; ///< of a sample: the probability of that token lies between
    double high = 1;
};

/// What a tour says of one edge: the share of the way to the other run that it goes alone.
struct TourEdgeClaim {
    QString from, into; ///< "{gather}", "{aggregate}.k"
    QString exchange;   ///< what makes the other prompt: "key", "value", "binding"
    double low = 0;     ///< the mean share over pairs of the task lies between
    double high = 1;
};

/// What a tour says of one writer's part in the score between the last token and the asked value of its sample.
struct TourScoreClaim {
    QString head, writer; ///< "{aggregate}", "{gather}"
    QString side;         ///< where it was written: "query" or "key"
    double low = 0;
    double high = 0;
};

struct Tour {
    QString id; ///< file name without suffixes
    QString title;
    QString summary;                                             ///< one sentence
    widgets::OfferPicture picture = widgets::OfferPicture::None; ///< what it is about, as a sketch
    QStringList models;                                          ///< one or two; what else is open is closed
    QList<widgets::TourStep> steps;  ///< ids of actions are commands: "off {aggregate}", "on", "show {gatherB}", "set
                                     ///< lastrow:*" (an ablation of A), "sample toy_kv:pairs=8 3", "type TEXT"
                                     ///< (the prompt, for the learner to change), "continue",
                                     ///< "removal", "edges {aggregate} binding",
                                     ///< "score {aggregate}"
    QList<TourScene> scenes;         ///< one a step
    QList<TourExercise> exercises;   ///< the same
    QList<TourClaim> claims;         ///< of all steps
    QList<TourEdgeClaim> edgeClaims; ///< the same, of A
    QList<TourScoreClaim> scoreClaims;
    QList<QList<TourSaying>> sayings; ///< one list a step
};

/// Heads that the ranking found, by what a tour calls them: "{gather}", "{aggregate}", "{gatherB}", "{aggregateB}".
/// Empty: not yet.
using FoundHeads = QMap<QString, QString>;

/// Whether there is something to bring about or to write in it, or to choose.
[[nodiscard]] bool hasExercises(const Tour& tour);
/// Reads a tour; the sentence of a failure names the file and what is wrong with it.
[[nodiscard]] Result<Tour> readTour(const QString& file);
/// The tours of a folder in the language of `locale` ("de_DE"), in English where there is no translation; sorted by id.
/// Files that cannot be read are left out.
[[nodiscard]] QList<Tour> toursIn(const QString& folder, const QString& locale);
/// The step with the names of FoundHeads replaced; a head that is not found yet is replaced by words for it.
[[nodiscard]] widgets::TourStep withHeads(widgets::TourStep step, const FoundHeads& found);
/// "{gather} L0H1" with the heads that were found; none while one of them is not.
[[nodiscard]] std::optional<QString> resolved(QString heads, const FoundHeads& found);

} // namespace headscope::gui
