// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/whypresenters.h"

#include "app/present/pairpresenters.h"
#include "app/present/text.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

namespace headscope::gui {

namespace {

struct WhyPresenters {
    Q_DECLARE_TR_FUNCTIONS(WhyPresenters)
};

} // namespace

widgets::LensData lensData(const app::LensReply& reply)
{
    widgets::LensData lens{.followed = text(reply.followed), .layers = reply.layers};
    for (const std::string& token : reply.tokens)
        lens.tokens.append(text(token));
    lens.cells.reserve(reply.points.size());
    for (const app::LensPoint& point : reply.points)
        lens.cells.push_back({text(point.token), point.probability, point.entropy, point.rank, point.logProbability});
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
    return sentence + answerSentence(reply.answerToken, reply.answerTokens);
}

std::vector<widgets::PartRow> partRows(const app::DirectReply& reply)
{
    std::vector<widgets::PartRow> rows;
    for (const app::DirectValue& value : reply.values)
        rows.push_back({text(value.name), value.value, value.kind == app::DirectValue::Kind::Head});
    return rows;
}

QString partSentence(const app::DirectReply& reply)
{
    QString sentence = WhyPresenters::tr("Logit of “%1” less that of “%2”: %3; the parts add up to it.")
                           .arg(text(reply.answer), text(reply.distractor), widgets::signedText(reply.difference))
                       + answerSentence(reply.answerToken, reply.answerTokens);
    if (reply.capped)
        sentence += u' ' + WhyPresenters::tr("The model caps its logits; this is the difference before that.");
    if (reply.silentSites > 0)
        sentence +=
            u' ' + WhyPresenters::tr("Heads that only feed their layer's other mixer have no part of their own.");
    return sentence;
}

} // namespace headscope::gui
