// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/whypresenters.h"

#include "app/present/heads/headspans.h"
#include "app/present/prompt/prompttext.h"
#include "app/present/text.h"
#include "app/present/why/pairpresenters.h"
#include "widgets/look/numbertext.h"

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

} // namespace

widgets::LensData lensData(const app::LensReply& reply)
{
    widgets::LensData lens{
        .ids = reply.ids, .followed = text(reply.followed), .layers = reply.layers, .before = reply.before};
    for (const std::string& token : reply.tokens)
        lens.tokens.append(text(token));
    lens.cells.reserve(reply.points.size());
    for (const app::LensPoint& point : reply.points)
        lens.cells.push_back(
            {text(point.token), point.id, point.probability, point.entropy, point.rank, point.logProbability});
    return lens;
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

QString forecastSentence(const app::LensForecast& forecast)
{
    QString sentence =
        WhyPresenters::tr("%L1 prompts; about %2 and %3 of memory beside the model.")
            .arg(forecast.prompts - forecast.done)
            .arg(widgets::durationText(forecast.seconds), widgets::bytesText(static_cast<double>(forecast.bytes)));
    if (forecast.done > 0)
        sentence += u' ' + WhyPresenters::tr("%L1 prompts of an interrupted fit are done and kept.").arg(forecast.done);
    if (forecast.leftOut > 0)
        sentence += u' ' + WhyPresenters::tr("%L1 pieces of text are too short and left out.").arg(forecast.leftOut);
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
    return WhyPresenters::tr(
               "Fitted to %L1 prompts. Share of positions at which the lens has the model's own top token "
               "on top, on %L2 other prompts: %3.")
        .arg(reply.prompts)
        .arg(reply.quality.prompts)
        .arg(layers.join(QStringLiteral("; ")));
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
        sentence +=
            u' '
            + WhyPresenters::tr("%L1 samples have no answer that differs from the other choices.").arg(reply.leftOut);
    if (reply.capped)
        sentence += u' ' + WhyPresenters::tr("The model caps its logits; this is the difference before that.");
    if (reply.silentSites > 0)
        sentence += u' '
                    + WhyPresenters::tr(
                        "Heads that only feed the other mixer of their layer have no contribution of their own.");
    return sentence;
}

} // namespace headscope::gui
