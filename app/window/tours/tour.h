// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A guided tour as it lies in resources/tours: texts, questions and commands. Pure functions; GUI thread.

#include "core/base/result.h"
#include "widgets/frame/tourpanel.h"

#include <QMap>
#include <QString>
#include <QStringList>

namespace headscope::gui {

struct Tour {
    QString id; ///< file name without suffixes
    QString title;
    QString summary;                ///< one sentence
    QStringList models;             ///< one or two, opened when the tour starts
    QList<widgets::TourStep> steps; ///< ids of actions are commands: "off {aggregate}", "on", "show {gatherB}", "set
                                    ///< lastrow:*" (an ablation of A), "sample toy_kv:pairs=8 3", "continue", "removal"
};

/// Heads that the ranking found, by what a tour calls them: "{gather}", "{aggregate}", "{gatherB}", "{aggregateB}".
/// Empty: not yet.
using FoundHeads = QMap<QString, QString>;

/// Reads a tour; the sentence of a failure names the file and what is wrong with it.
[[nodiscard]] Result<Tour> readTour(const QString& file);
/// The tours of a folder in the language of `locale` ("de_DE"), in English where there is no translation; sorted by id.
/// Files that cannot be read are left out.
[[nodiscard]] QList<Tour> toursIn(const QString& folder, const QString& locale);
/// The step with the names of FoundHeads replaced; a head that is not found yet is replaced by words for it.
[[nodiscard]] widgets::TourStep withHeads(widgets::TourStep step, const FoundHeads& found);

} // namespace headscope::gui
