// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/whypresenters.h"

#include "app/present/heads/headspans.h"
#include "app/present/prompt/prompttext.h"
#include "app/present/text.h"
#include "app/present/why/pairpresenters.h"
#include "widgets/look/countedtext.h"
#include "widgets/look/numbertext.h"
#include "widgets/pattern/patterndata.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::gui {

namespace {

struct WhyPresenters {
    Q_DECLARE_TR_FUNCTIONS(WhyPresenters)
};

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// A token that is a blank or a line's end must not look like nothing.
QString shownToken(const QString& token)
{
    const QString quoted = widgets::tokenQuoted(token);
    return token.trimmed().isEmpty() ? quoted : QString(quoted).replace(QChar(0x2423), QLatin1Char(' '));
}

/// The largest entropy, and the largest change by the ablation in nats.
struct LensRange {
    double entropy = 1e-6, change = 1e-6;
};

double changeAt(const app::LensReply& reply, std::size_t at)
{
    return reply.before.empty() ? kUnknown : static_cast<double>(reply.points[at].logProbability) - reply.before[at];
}

// The high end is always the model that knows: probable, on top, certain.
widgets::GridCell lensCell(const app::LensReply& reply, std::size_t at, widgets::LensColor color,
                           const LensRange& range)
{
    constexpr double kWorstRank = 1000; // from here on all ranks look alike
    const app::LensPoint& point = reply.points[at];
    if (point.id < 0)
        return {};
    double value = point.probability, strength = value;
    if (color == widgets::LensColor::Rank) {
        value = point.rank + 1;
        strength = 1 - std::min(1.0, std::log1p(point.rank) / std::log1p(kWorstRank));
    } else if (color == widgets::LensColor::Entropy) {
        value = point.entropy;
        strength = 1 - point.entropy / range.entropy;
    } else if (color == widgets::LensColor::Change) {
        value = changeAt(reply, at);
        strength = 0.5 + value / range.change / 2;
    }
    return {.value = value,
            .strength = static_cast<float>(std::clamp(strength, 0.0, 1.0)),
            .marks = point.rank == 0 ? widgets::GridCell::Framed : widgets::GridCell::None};
}

QString lensWords(const app::LensReply& reply, int row, int column)
{
    const std::size_t at = static_cast<std::size_t>(row) * reply.tokens.size() + static_cast<std::size_t>(column);
    const app::LensPoint& point = reply.points[at];
    const QString layer =
        row + 1 == reply.layers ? WhyPresenters::tr("output") : WhyPresenters::tr("before layer %1").arg(row);
    if (point.id < 0)
        return WhyPresenters::tr("%1: this lens has no matrix for it").arg(layer);
    const QString rank = reply.followed.empty()
                             ? WhyPresenters::tr("rank of the final token: %1").arg(point.rank + 1)
                             : WhyPresenters::tr("rank of “%1”: %2")
                                   .arg(shownToken(text(reply.followed)), QString::number(point.rank + 1));
    const QString moved = reply.before.empty()
                              ? QString()
                              : WhyPresenters::tr("; with all heads on %1").arg(widgets::numberText(reply.before[at]));
    return WhyPresenters::tr(
               "%1, “%2” (position %3): “%4” with probability %5, entropy %6 nats; %7, log-probability %8")
               .arg(layer, shownToken(text(reply.tokens[static_cast<std::size_t>(column)])), QString::number(column),
                    shownToken(text(point.token)), widgets::numberText(point.probability, 3),
                    widgets::numberText(point.entropy), rank, widgets::numberText(point.logProbability))
           + moved;
}

} // namespace

widgets::GridData lensGrid(const std::shared_ptr<const app::LensReply>& reply, widgets::LensColor color,
                           const QString& of)
{
    constexpr int kLetters = 9; // of a token
    LensRange range;
    for (std::size_t at = 0; at < reply->points.size(); ++at)
        if (reply->points[at].id >= 0) {
            range.entropy = std::max<double>(range.entropy, reply->points[at].entropy);
            if (!reply->before.empty())
                range.change = std::max(range.change, std::abs(changeAt(*reply, at)));
        }
    const bool change = color == widgets::LensColor::Change;
    widgets::GridData grid{.corner = WhyPresenters::tr("layer"),
                           .scale = change ? widgets::GridScale::Signed : widgets::GridScale::Sequential,
                           .letters = kLetters,
                           .fromEnd = true,
                           .of = of};
    for (int layer = 0; layer < reply->layers; ++layer)
        grid.rows.push_back({.name = QStringLiteral("L%1").arg(layer)});
    grid.rows.back() = {.name = WhyPresenters::tr("output"), .strong = true};
    for (const std::string& token : reply->tokens)
        grid.columns.push_back({.name = shownToken(text(token))});
    grid.columns.back().strong = true; // what comes next is asked about
    for (std::size_t at = 0; at < reply->points.size(); ++at)
        grid.cells.push_back(lensCell(*reply, at, color, range));
    grid.text = [reply](int row, int column) {
        const app::LensPoint& point =
            reply->points[static_cast<std::size_t>(row) * reply->tokens.size() + static_cast<std::size_t>(column)];
        return point.id < 0 ? QString() : shownToken(text(point.token));
    };
    grid.words = [reply](int row, int column) { return lensWords(*reply, row, column); };
    return grid;
}

QString lensSentence(const app::LensReply& reply)
{
    if (reply.points.empty())
        return {};
    const QString followed = text(reply.followed.empty() ? reply.points.back().token : reply.followed);
    const QString sentence =
        reply.firstLayer < 0 ? WhyPresenters::tr("“%1” is not on top at the end; the model says “%2”.")
                                   .arg(followed, text(reply.points.back().token))
        : reply.firstLayer + 1 == reply.layers ? WhyPresenters::tr("“%1” is on top only in the output.").arg(followed)
                                               : WhyPresenters::tr("“%1” is on top from the stream before layer %2 on.")
                                                     .arg(followed, QString::number(reply.firstLayer));
    return (!reply.file.empty() ? WhyPresenters::tr("Jacobian lens: %1").arg(sentence) : sentence)
           + answerSentence(reply.answerToken, reply.answerTokens);
}

namespace {

QString promptCount(qlonglong prompts)
{
    return widgets::counted(prompts, WhyPresenters::tr("1 prompt"), WhyPresenters::tr("%L1 prompts"));
}

} // namespace

QString forecastSentence(const app::LensForecast& forecast)
{
    QString sentence = WhyPresenters::tr("%1; about %2 and %3 of memory in addition to the model.")
                           .arg(promptCount(forecast.prompts - forecast.done), widgets::durationText(forecast.seconds),
                                widgets::bytesText(static_cast<double>(forecast.bytes)));
    if (forecast.done > 0)
        sentence +=
            u' '
            + widgets::counted(forecast.done, WhyPresenters::tr("1 prompt of an interrupted fit is done and kept."),
                               WhyPresenters::tr("%L1 prompts of an interrupted fit are done and kept."));
    if (forecast.leftOut > 0)
        sentence +=
            u' '
            + widgets::counted(forecast.leftOut, WhyPresenters::tr("1 piece of text is too short and left out."),
                               WhyPresenters::tr("%L1 pieces of text are too short and left out."));
    return sentence;
}

QString fitSentence(const app::LensFitReply& reply)
{
    QStringList layers;
    for (std::size_t layer = 0; layer < reply.quality.fitted.size(); ++layer)
        layers << WhyPresenters::tr("before layer %1: %2 % (logit lens %3 %)")
                      .arg(layer)
                      .arg(std::isfinite(reply.quality.fitted[layer])
                               ? QString::number(100 * reply.quality.fitted[layer], 'f', 0)
                               : QStringLiteral("–"),
                           QString::number(100 * reply.quality.logit[layer], 'f', 0));
    return WhyPresenters::tr("Fitted to %1. Share of positions at which the lens has the model's own top token "
                             "on top, on other text (%2): %3.")
        .arg(promptCount(reply.prompts), promptCount(reply.quality.prompts), layers.join(QStringLiteral("; ")));
}

std::vector<widgets::PartRow> partRows(const app::DirectReply& reply)
{
    std::vector<widgets::PartRow> rows;
    for (const app::DirectValue& value : reply.values)
        rows.push_back({.name = text(value.name),
                        .value = value.mean.value,
                        .head = value.kind == app::DirectValue::Kind::Head,
                        .low = value.mean.interval ? value.mean.interval->low : kUnknown,
                        .high = value.mean.interval ? value.mean.interval->high : kUnknown});
    return rows;
}

std::vector<app::HeadValue> attributionValues(const app::DirectReply& reply)
{
    std::vector<app::HeadValue> values;
    for (const app::DirectValue& value : reply.values)
        if (value.kind == app::DirectValue::Kind::Head)
            values.push_back({.head = value.head, .attention = value.attention, .value = value.mean.value});
    return values;
}

std::vector<widgets::TokenHeat> sourceHeat(const app::SourcesReply& reply, const app::ModelSummary& model)
{
    const std::string& prompt = reply.question.prompt.text;
    const std::vector<int> units = unitsBefore(prompt);
    double largest = 1e-9;
    for (const double value : reply.values)
        largest = std::max(largest, std::abs(value));
    std::vector<widgets::TokenHeat> heat;
    for (std::size_t i = 0; i < std::min(reply.values.size(), reply.tokens.offsets.size()); ++i) {
        const auto [begin, end] = reply.tokens.offsets[i];
        if (begin >= end || end >= units.size()) // tokens that write nothing
            continue;
        heat.push_back(
            {.begin = units[begin],
             .end = units[end],
             .strength = std::abs(reply.values[i]) / largest,
             .lost = reply.values[i] < 0,
             .tip = WhyPresenters::tr("“%1”: through it %2 adds %3 to the logit of “%4” minus “%5”")
                        .arg(text(reply.tokens.tokens[i]), text(headName(model, reply.head)),
                             widgets::signedText(reply.values[i], 3), text(reply.answer), text(reply.distractor))});
    }
    return heat;
}

QString partSentence(const app::DirectReply& reply)
{
    QString sentence = WhyPresenters::tr("Logit of “%1” minus “%2”: %3; the parts add up to it.")
                           .arg(text(reply.answer), text(reply.distractor), widgets::signedText(reply.difference.value))
                       + answerSentence(reply.answerToken, reply.answerTokens);
    if (reply.prompts > 1)
        sentence =
            WhyPresenters::tr("Mean over %L1 samples of the logit of the answer minus that of the best "
                              "wrong one: %2 (95 % interval %3 to %4); the parts add up to it.")
                .arg(reply.prompts)
                .arg(widgets::signedText(reply.difference.value),
                     widgets::signedText(reply.difference.interval ? reply.difference.interval->low : kUnknown),
                     widgets::signedText(reply.difference.interval ? reply.difference.interval->high : kUnknown));
    if (reply.leftOut > 0)
        sentence += u' '
                    + widgets::counted(
                        reply.leftOut, WhyPresenters::tr("1 sample has no answer that differs from the other choices."),
                        WhyPresenters::tr("%L1 samples have no answer that differs from the other choices."));
    if (reply.capped)
        sentence += u' ' + WhyPresenters::tr("The model caps its logits; this is the difference before that.");
    if (reply.silentSites > 0)
        sentence += u' '
                    + WhyPresenters::tr(
                        "Heads that only feed the other mixer of their layer have no contribution of their own.");
    return sentence;
}

} // namespace headscope::gui
