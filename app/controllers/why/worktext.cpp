// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/worktext.h"

#include "app/present/heads/sidenames.h"

#include <QCoreApplication>

namespace headscope::gui {

namespace {

struct Work {
    Q_DECLARE_TR_FUNCTIONS(Work)
};

} // namespace

QString workText(const app::Lane& lane)
{
    const QString letter = letterOf(lane.side);
    if (lane.is<app::RankRequest, app::ForecastRequest, app::RemovalRequest>())
        return {};
    if (lane.is<app::OpenSessionRequest>())
        return Work::tr("Opening the session");
    if (lane.is<app::OpenModelRequest>())
        return Work::tr("Opening model %1").arg(letter);
    if (lane.is<app::ScoresRequest>())
        return Work::tr("Scoring %1").arg(letter);
    if (lane.is<app::CurveRequest>())
        return Work::tr("KV retrieval of %1 at other sizes").arg(letter);
    if (lane.is<app::HeadScoresRequest, app::TaskScoresRequest>())
        return Work::tr("Scores of all heads of %1").arg(letter);
    if (lane.is<app::EstimateRequest>())
        return Work::tr("Estimating the effect of each head of %1").arg(letter);
    if (lane.is<app::PromptEffectsRequest>())
        return Work::tr("Ranking heads of %1 on this prompt").arg(letter);
    if (lane.is<app::ChangedHeadsRequest>())
        return Work::tr("Comparing the heads of A and B");
    if (lane.is<app::SurveyQuestion>())
        return Work::tr("Heads of %1 on many texts").arg(letter);
    if (lane.is<app::LensFitQuestion>())
        return Work::tr("Fitting a Jacobian lens of %1").arg(letter);
    if (lane.is<app::HeadFactsRequest>())
        return Work::tr("Cost of ablating heads of %1").arg(letter);
    if (lane.is<app::EdgeQuestion>())
        return Work::tr("Tracing edges of %1").arg(letter);
    if (lane.is<app::WeightsQuestion>())
        return Work::tr("Reading the weights of %1").arg(letter);
    if (lane.is<app::ProbeQuestion>())
        return Work::tr("Probing the heads of %1").arg(letter);
    if (lane.is<app::SweepQuestion>())
        return Work::tr("Knocking out in %1, layer by layer").arg(letter);
    if (lane.is<app::PatchQuestion>())
        return Work::tr("Patching %1").arg(letter);
    if (lane.is<app::MapsRequest>())
        return Work::tr("Saving maps of %1").arg(letter);
    if (lane.is<app::TurnRequest>())
        return Work::tr("%1 answers").arg(letter);
    if (lane.is<app::ContinuationRequest>())
        return Work::tr("%1 continues").arg(letter);
    return Work::tr("Reading the prompt with %1").arg(letter);
}

} // namespace headscope::gui
