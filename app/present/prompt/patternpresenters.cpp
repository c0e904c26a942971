// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/prompt/patternpresenters.h"

#include "app/present/heads/ablationwords.h"
#include "app/present/heads/headspans.h"
#include "core/analysis/patternchange.h"
#include "core/analysis/patternscores.h"
#include "widgets/pattern/matrixwords.h"
#include "widgets/pattern/patternpyramid.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace headscope::gui {

using analysis::MatrixConvention;
using analysis::MatrixKind;
using analysis::MatrixShown;

namespace {

struct PatternPresenters {
    Q_DECLARE_TR_FUNCTIONS(PatternPresenters)
};

QString meaningOf(const app::PatternReply& reply)
{
    return reply.earlierWords.empty() ? widgets::matrixWords(reply.convention)
                                      : QString::fromStdString(reply.earlierWords);
}

bool recurrent(const MatrixConvention& convention)
{
    return convention.kind != MatrixKind::Attention;
}

/// Whether cells may be below zero.
bool belowZero(const MatrixConvention& convention)
{
    return recurrent(convention) || convention.shown == MatrixShown::MinusBaseline;
}

/// Rows that do not sum to 1 are shown as shares; what a change is a difference of is shown as it is.
bool showsShares(const MatrixConvention& convention)
{
    return recurrent(convention) && convention.shown != MatrixShown::MinusBaseline;
}

void magnitudes(std::span<float> values)
{
    for (float& value : values)
        value = std::abs(value);
}

/// Shares of each row; magnitudes alone of a pooled map, whose rows are not all there.
Matrix shares(Matrix matrix, int pool, bool isSigned)
{
    if (pool == 1)
        matrix = analysis::rowShares(std::move(matrix));
    if (!isSigned)
        magnitudes(matrix.values);
    return matrix;
}

QString mapHead(const ShownMap& map)
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
    for (const std::string& token : reply.prompt.spellings)
        data.spellings.append(QString::fromStdString(token));
    for (const app::Span& span : reply.spans)
        data.segments.push_back({span.role, static_cast<int>(span.begin), static_cast<int>(span.end), span.target});
    data.head = side + QLatin1Char(' ') + mapHead(map);
    data.meaning = meaningOf(reply);
    if (reply.unread > 0)
        data.meaning = PatternPresenters::tr("first %1 of %2 tokens, reading the rest · %3")
                           .arg(QLocale().toString(data.tokens.size() - reply.unread),
                                QLocale().toString(data.tokens.size()), data.meaning);
    if (const QString done = ablationWords(reply.request.ablation, &map.model); !done.isEmpty())
        data.meaning += QStringLiteral(" · ") + done;
    if (offHeads(map.model, reply.request.ablation).contains(headSpan(map.model, reply.request.head)))
        data.notice = PatternPresenters::tr("output ablated");
    else if (reply.pruned)
        data.notice = PatternPresenters::tr("pruned: its output is not used");
    data.provenance = provenance;
    data.isSigned = belowZero(reply.convention);
    data.pool = reply.pool;
    return data;
}

} // namespace

app::PatternRequest patternRequest(const SideState& side, widgets::PatternShown shown, MatrixConvention convention)
{
    convention.shown = shown == widgets::PatternShown::Weighted        ? MatrixShown::Weighted
                       : shown == widgets::PatternShown::MinusBaseline ? MatrixShown::MinusBaseline
                                                                       : MatrixShown::Plain;
    return {.head = side.head, .ablation = side.ablation, .convention = convention};
}

int shownRow(const SideState& side)
{
    if (!side.pattern)
        return -1;
    const int last = static_cast<int>(side.pattern->prompt.ids.size()) - 1;
    return side.lockedRow >= 0 ? std::min(side.lockedRow, last) : last;
}

widgets::PatternData patternData(const std::shared_ptr<const app::PatternReply>& reply, const app::ModelSummary& model,
                                 const QString& side, const QString& provenance, bool isSigned)
{
    widgets::PatternData data = described({*reply, model}, side, provenance);
    const auto matrix = std::shared_ptr<const Matrix>(reply, &reply->matrix);
    if (!showsShares(reply->convention)) {
        data.values = matrix;
        return data;
    }
    data.values = std::make_shared<const Matrix>(shares(*matrix, reply->pool, isSigned));
    if (reply->pool == 1)
        data.raw = matrix;
    data.rawMeaning = data.meaning;
    data.isSigned = isSigned;
    const QString meaning = meaningOf(*reply);
    data.meaning.replace(meaning, widgets::sharesWords(meaning, isSigned));
    return data;
}

std::shared_ptr<const Matrix> exactRows(const app::PatternReply& shown,
                                        const std::shared_ptr<const app::PatternRows>& rows, bool isSigned)
{
    if (!showsShares(shown.convention) || isSigned)
        return {rows, &rows->rows};
    Matrix positive = rows->rows;
    magnitudes(positive.values);
    return std::make_shared<const Matrix>(std::move(positive));
}

widgets::RowProfile rowProfile(const app::PatternReply& reply, const app::ModelSummary& model, int row,
                               std::span<const float> values, bool isSigned)
{
    widgets::RowProfile profile;
    profile.head = mapHead({reply, model});
    profile.row = row;
    for (const std::string& token : reply.prompt.tokens)
        profile.tokens.append(QString::fromStdString(token));
    profile.isChange = reply.convention.shown == MatrixShown::MinusBaseline;
    profile.values = std::vector<float>(values.begin(), values.end());
    if (showsShares(reply.convention)) {
        profile.values = analysis::rowShare(values);
        if (!isSigned)
            magnitudes(profile.values);
    }
    const analysis::RowScores scores = analysis::rowScores(values, row);
    profile.effectiveTokens = scores.effectiveTokens;
    profile.entropy = scores.entropy;
    profile.sinkMass = scores.sinkMass;
    widgets::setTarget(profile, values, reply.spans);
    return profile;
}

widgets::PatternData differenceData(const ShownMap& mapA, const ShownMap& mapB, const analysis::TokenMatch& match,
                                    const QString& provenance)
{
    const app::PatternReply &a = mapA.reply, &b = mapB.reply;
    widgets::PatternData data = described(mapA, QStringLiteral("A"), provenance);
    data.head = QStringLiteral("A %1 − B %2").arg(mapHead(mapA), mapHead(mapB));
    const bool asShares = recurrent(a.convention) || recurrent(b.convention);
    data.meaning =
        asShares ? PatternPresenters::tr("difference of shares: each row divided by the sum of its absolute values")
                 : PatternPresenters::tr("difference of attention");
    data.isSigned = true;
    data.notice.clear();
    const Matrix moved = match.identity() ? b.matrix : analysis::onTokensOfA(b.matrix, match);
    data.values = std::make_shared<const Matrix>(
        asShares ? analysis::difference(analysis::rowShares(a.matrix), analysis::rowShares(moved))
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
                       ? PatternPresenters::tr("softmax attention, one line per head")
                       : PatternPresenters::tr("one line per head, divided by the sum of its absolute values");
    for (const interventions::HeadRef& head : heads->heads)
        data.rowLabels.append(QString::fromStdString(headName(tokens.model, head)));
    data.values = std::shared_ptr<const Matrix>(heads, &heads->matrix);
    data.isSigned = !heads->probability;
    data.notice.clear();
    data.causal = false;
    data.pool = 1;
    return data;
}

QImage previewImage(const app::PatternPreview& preview, const widgets::ScaleOptions& scale, int side, bool isSigned)
{
    const bool asShares = showsShares(preview.convention);
    const bool diverging = asShares ? isSigned : belowZero(preview.convention);
    const Matrix shown = asShares ? shares(preview.matrix, 1, isSigned) : preview.matrix;
    const auto fitted = widgets::PatternScale::fit(shown, diverging, true, scale);
    const auto pyramid = widgets::PatternPyramid::build(shown, fitted, true);
    return pyramid.thumbnail(side, widgets::colorTable(fitted.colorMap(), qRgba(0, 0, 0, 0)));
}

} // namespace headscope::gui
