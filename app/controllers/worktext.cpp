// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/worktext.h"

#include "app/present/sidenames.h"

#include <QCoreApplication>

namespace headscope::gui {

namespace {

struct Work {
    Q_DECLARE_TR_FUNCTIONS(Work)
};

} // namespace

QString workText(RequestKind kind, Side side)
{
    const QString letter = letterOf(side);
    switch (kind) {
    case RequestKind::Session: return Work::tr("Opening the session");
    case RequestKind::Model: return Work::tr("Opening model %1").arg(letter);
    case RequestKind::Scores: return Work::tr("Scoring %1").arg(letter);
    case RequestKind::Curve: return Work::tr("KV retrieval of %1 at other sizes").arg(letter);
    case RequestKind::Found:
    case RequestKind::Metric: return Work::tr("Scores of all heads of %1").arg(letter);
    case RequestKind::Estimate: return Work::tr("Estimating the effect of each head of %1").arg(letter);
    case RequestKind::Survey: return Work::tr("Heads of %1 on many texts").arg(letter);
    case RequestKind::HeadFacts: return Work::tr("What removing heads of %1 costs").arg(letter);
    case RequestKind::Edges: return Work::tr("Tracing edges of %1").arg(letter);
    case RequestKind::Weights: return Work::tr("Reading the weights of %1").arg(letter);
    case RequestKind::Probes: return Work::tr("Probing the heads of %1").arg(letter);
    case RequestKind::Sweep: return Work::tr("Knocking out in %1, layer by layer").arg(letter);
    case RequestKind::Patch: return Work::tr("Patching %1").arg(letter);
    case RequestKind::SaveMaps: return Work::tr("Saving maps of %1").arg(letter);
    case RequestKind::Continue: return Work::tr("%1 continues").arg(letter);
    case RequestKind::Rank:
    case RequestKind::RankForecast:
    case RequestKind::Removal: return {};
    default: return Work::tr("Reading the prompt with %1").arg(letter);
    }
}

} // namespace headscope::gui
