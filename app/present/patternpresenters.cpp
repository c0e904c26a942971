// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/patternpresenters.h"

#include "app/present/headspans.h"
#include "core/analysis/patternchange.h"
#include "core/analysis/patternscores.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/patternpyramid.h"

#include <QCoreApplication>

#include <algorithm>

namespace headscope::gui {

namespace {

constexpr qsizetype kLongSet = 24; // characters of a set that still fits a title

struct PatternPresenters {
    Q_DECLARE_TR_FUNCTIONS(PatternPresenters)
};

// The pieces that core/analysis/convention.cpp and app/backend/patternsource.cpp make titles of; a piece before those
// that it contains.
constexpr const char* kPieces[] = {QT_TRANSLATE_NOOP("PatternPresenters", "softmax attention"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "hidden attention of a channel"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "hidden attention"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "without dt"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "without D"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "with D"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "times the gate"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "rows do not sum to 1"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "rows sum to 1"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "signed"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "times the norm of what is taken"),
                                   QT_TRANSLATE_NOOP("PatternPresenters", "now minus baseline")};

QString meaningOf(const app::PatternReply& reply)
{
    QString title = QString::fromStdString(reply.title);
    for (const char* piece : kPieces)
        title.replace(QLatin1String(piece), PatternPresenters::tr(piece));
    return title;
}

QString nameOf(const ShownMap& map)
{
    return QString::fromStdString(headName(map.model, map.reply.request.head));
}

// Everything but the cells.
widgets::PatternData described(const ShownMap& map, const QString& side, const QString& provenance)
{
    const app::PatternReply& reply = map.reply;
    widgets::PatternData data;
    for (const std::string& token : reply.prompt.tokens)
        data.tokens.append(QString::fromStdString(token));
    for (const app::Span& span : reply.spans)
        data.segments.push_back({span.role, static_cast<int>(span.begin), static_cast<int>(span.end), span.target});
    data.head = side + QLatin1Char(' ') + nameOf(map);
    data.meaning = meaningOf(reply);
    if (const QString under = QString::fromStdString(reply.request.ablation.canonical()); !under.isEmpty())
        data.meaning =
            (under.size() > kLongSet ? PatternPresenters::tr("under %1 changes").arg(under.count(QLatin1Char(' ')) + 1)
                                     : PatternPresenters::tr("under %1").arg(under))
            + QStringLiteral(" · ") + data.meaning;
    data.provenance = provenance;
    data.isSigned = !reply.probability || reply.request.show == app::PatternShow::MinusBaseline;
    data.pool = reply.pool;
    return data;
}

} // namespace

app::PatternRequest patternRequest(const SideState& side, widgets::PatternShown shown,
                                   const widgets::SsmConvention& convention)
{
    return {.head = side.head,
            .ablation = side.ablation,
            .show = shown == widgets::PatternShown::Weighted        ? app::PatternShow::Weighted
                    : shown == widgets::PatternShown::MinusBaseline ? app::PatternShow::MinusBaseline
                                                                    : app::PatternShow::Plain,
            .convention = {convention.withD, convention.withDt, convention.withGate}};
}

int shownRow(const SideState& side)
{
    if (!side.pattern)
        return -1;
    const int last = static_cast<int>(side.pattern->prompt.ids.size()) - 1;
    return side.lockedRow >= 0 ? std::min(side.lockedRow, last) : last;
}

widgets::PatternData patternData(const std::shared_ptr<const app::PatternReply>& reply, const app::ModelSummary& model,
                                 const QString& side, const QString& provenance)
{
    widgets::PatternData data = described({*reply, model}, side, provenance);
    data.values = std::shared_ptr<const Matrix>(reply, &reply->matrix);
    return data;
}

widgets::RowProfile rowProfile(const app::PatternReply& reply, const app::ModelSummary& model, int row,
                               std::span<const float> values)
{
    widgets::RowProfile profile;
    profile.head = nameOf({reply, model});
    profile.row = row;
    for (const std::string& token : reply.prompt.tokens)
        profile.tokens.append(QString::fromStdString(token));
    profile.isChange = reply.request.show == app::PatternShow::MinusBaseline;
    const bool shares = reply.probability && reply.request.show == app::PatternShow::Plain;
    profile.values =
        shares || profile.isChange ? std::vector<float>(values.begin(), values.end()) : analysis::rowShare(values);
    const analysis::RowScores scores = analysis::rowScores(values, row);
    profile.effectiveTokens = scores.effectiveTokens;
    profile.entropy = scores.entropy;
    profile.sinkMass = scores.sinkMass;
    for (const app::Span& span : reply.spans)
        if (span.target && (span.role == Role::Value || span.role == Role::Option)
            && static_cast<int>(span.end) <= row + 1) {
            profile.targetMass = analysis::massOn(values, static_cast<int>(span.begin), static_cast<int>(span.end));
            profile.targetToken = static_cast<int>(span.end) - 1;
        }
    return profile;
}

widgets::PatternData differenceData(const ShownMap& mapA, const ShownMap& mapB, const analysis::TokenMatch& match,
                                    const QString& provenance)
{
    const app::PatternReply &a = mapA.reply, &b = mapB.reply;
    widgets::PatternData data = described(mapA, QStringLiteral("A"), provenance);
    data.head = QStringLiteral("A %1 − B %2").arg(nameOf(mapA), nameOf(mapB));
    const bool shares = !a.probability || !b.probability;
    data.meaning =
        shares ? PatternPresenters::tr("difference of shares: each row divided by the sum of its absolute values")
               : PatternPresenters::tr("difference of attention");
    data.isSigned = true;
    const Matrix moved = match.identity() ? b.matrix : analysis::onTokensOfA(b.matrix, match);
    data.values = std::make_shared<const Matrix>(
        shares ? analysis::difference(analysis::rowShares(a.matrix), analysis::rowShares(moved))
               : analysis::difference(a.matrix, moved));
    return data;
}

widgets::PatternData rowOfHeadsData(const std::shared_ptr<const app::RowOfHeads>& heads, const ShownMap& tokens,
                                    const QString& side, const QString& provenance)
{
    widgets::PatternData data = described(tokens, side, provenance);
    const QString token =
        heads->row < data.tokens.size() ? widgets::tokenQuoted(data.tokens.at(heads->row)) : QString();
    data.head = PatternPresenters::tr("%1 row “%2” (%3) in all heads").arg(side, token).arg(heads->row);
    data.meaning = heads->probability
                       ? PatternPresenters::tr("softmax attention, a line a head")
                       : PatternPresenters::tr("a line a head, divided by the sum of its absolute values");
    for (const interventions::HeadRef& head : heads->heads)
        data.rowLabels.append(QString::fromStdString(headName(tokens.model, head)));
    data.values = std::shared_ptr<const Matrix>(heads, &heads->matrix);
    data.isSigned = !heads->probability;
    data.causal = false;
    data.pool = 1;
    return data;
}

QImage previewImage(const app::PatternPreview& preview, const widgets::ScaleOptions& scale, const QPalette& palette,
                    int side)
{
    const bool isSigned = !preview.probability || preview.request.show == app::PatternShow::MinusBaseline;
    const auto fitted = widgets::PatternScale::fit(preview.matrix, isSigned, true, scale);
    const auto pyramid = widgets::PatternPyramid::build(preview.matrix, fitted, true);
    return pyramid.thumbnail(side, widgets::colorTable(fitted.colorMap(), widgets::themeOf(palette).unused.rgb()));
}

} // namespace headscope::gui
