// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A guided tour from resources/tours, or exercises from resources/exercises: texts, questions, the state shown by each
// step, the conditions to meet, and testable claims. Pure functions; GUI thread.

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

/// The complete view of a step: unspecified parts are as in a new window, so that nothing of another step remains.
struct TourScene {
    QString sample;                               ///< "toy_kv:pairs=8 5"; empty: the prompt is unchanged
    std::array<QString, 2> head;                  ///< of A and B: "{aggregate}", "L2H5"; empty: unchanged
    std::array<QString, 2> off;                   ///< ablation: "{gather}", "lastrow:*"; empty: none
    bool coloured = false;                        ///< an exercise whose head map keeps its colours
    QStringList cover;                            ///< parts that are covered until the question is answered
    QString point;                                ///< the part that the step refers to
    std::optional<std::array<QString, 2>> reveal; ///< the ablation shown once the question is answered
};

/// The task of an exercise step, and a solution.
struct TourExercise {
    QList<Condition> conditions;     ///< all at once; empty: none
    std::array<QString, 2> solution; ///< heads of A and B to ablate, which meet the conditions; checked by a test
    std::array<QString, 2> look;     ///< heads to show, if the exercise asks for them
};

/// A claim of a tour about a shipped model, which a test measures.
struct TourClaim {
    Side side = Side::A;
    QString off;       ///< ablation, "{aggregate}"; empty: none
    QString benchmark; ///< "toy_kv:pairs=8"
    double low = 0;    ///< lower limit of the score under it
    double high = 1;
    bool control = false; ///< the score must not change: not worse by the paired test
};

/// A claim of a tour about a shipped model's output, which a test generates.
struct TourOutput {
    Side side = Side::A;
    QString off;    ///< ablation, "{aggregate}"; empty: none
    QString sample; ///< "toy_kv:pairs=8 5"; empty: `text` is the prompt
    QString text;
    QString like;   ///< regular expression for the beginning of the output
    double low = 0; ///< for a sample: lower limit of the probability of that token
    double high = 1;
};

/// A claim of a tour about the effect of one edge, as a share of the difference between the runs.
struct TourEdgeClaim {
    QString from, into; ///< "{gather}", "{aggregate}.k"
    QString exchange;   ///< makes the other prompt: "key", "value", "binding"
    double low = 0;     ///< lower limit of the mean share over pairs of the task
    double high = 1;
};

/// A claim of a tour about one writer's contribution to the score between the last token and the answer's value.
struct TourScoreClaim {
    QString head, writer; ///< "{aggregate}", "{gather}"
    QString side;         ///< position of the writer: "query" or "key"
    double low = 0;
    double high = 0;
};

struct Tour {
    QString id; ///< file name without suffixes
    QString title;
    QString summary;                                             ///< one sentence
    widgets::OfferPicture picture = widgets::OfferPicture::None; ///< what it is about, as a sketch
    QStringList models;                                          ///< one or two; what else is open is closed
    double minutes = 0;                                          ///< that an exam may take; 0: no limit
    QList<widgets::TourStep> steps;  ///< ids of actions are commands: "off {aggregate}", "on", "show {gatherB}", "set
                                     ///< lastrow:*" (an ablation of A), "sample toy_kv:pairs=8 3", "type TEXT"
                                     ///< (the prompt, for the learner to change), "continue",
                                     ///< "removal", "edges {aggregate} binding",
                                     ///< "score {aggregate}"
    QList<TourScene> scenes;         ///< one per step
    QList<TourExercise> exercises;   ///< likewise
    QList<TourClaim> claims;         ///< of all steps
    QList<TourEdgeClaim> edgeClaims; ///< likewise, for A
    QList<TourScoreClaim> scoreClaims;
    QList<QList<TourOutput>> outputs; ///< one list per step
};

/// Heads found by the ranking, by their names in tours: "{gather}", "{aggregate}", "{gatherB}", "{aggregateB}". Empty:
/// not yet.
using FoundHeads = QMap<QString, QString>;

/// Returns whether the tour has conditions to meet or answers to write.
[[nodiscard]] bool hasExercises(const Tour& tour);
/// Reads a tour. Errors name the file and the problem.
[[nodiscard]] Result<Tour> readTour(const QString& file);
/// The same of its translation in the language of `locale` ("de_DE"), where there is one beside it.
[[nodiscard]] Result<Tour> readTranslated(const QString& file, const QString& locale);
/// The tours of a folder in the language of `locale` ("de_DE"), in English where there is no translation; sorted by id.
/// Files that cannot be read are left out.
[[nodiscard]] QList<Tour> toursIn(const QString& folder, const QString& locale);
/// Returns the step with the names of FoundHeads replaced; heads not found yet are described in words.
[[nodiscard]] widgets::TourStep withHeads(widgets::TourStep step, const FoundHeads& found);
/// Replaces the names in "{gather} L0H1" by the heads found; returns none while one is unknown.
[[nodiscard]] std::optional<QString> resolved(QString heads, const FoundHeads& found);

} // namespace headscope::gui
