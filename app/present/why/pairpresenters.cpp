// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/pairpresenters.h"

#include "app/present/text.h"
#include "widgets/look/countedtext.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

namespace headscope::gui {

namespace {

struct PairPresenters {
    Q_DECLARE_TR_FUNCTIONS(PairPresenters)
};

using widgets::OtherPrompt;

constexpr int kManyPairs = 64, kAllOfAFile = 1 << 20;
constexpr double kWorthAWord = 3; // seconds

std::optional<tasks::Exchange> exchangeOf(OtherPrompt other)
{
    switch (other) {
    case OtherPrompt::Key: return tasks::Exchange::Key;
    case OtherPrompt::Value: return tasks::Exchange::Value;
    case OtherPrompt::Binding: return tasks::Exchange::Binding;
    case OtherPrompt::Name: return tasks::Exchange::Name;
    case OtherPrompt::Automatic:
    case OtherPrompt::Written:
    case OtherPrompt::File: break;
    }
    return std::nullopt;
}

} // namespace

app::PairQuestion pairQuestion(const app::ModelState& state, const app::Prompt& prompt,
                               const widgets::PairChoice& choice)
{
    const bool written = choice.other == OtherPrompt::Written, file = choice.other == OtherPrompt::File;
    return {.state = state,
            .prompt = prompt,
            .other = written ? choice.written.toStdString() : std::string(),
            .exchange = exchangeOf(choice.other),
            .noise = choice.noise,
            .file = file ? std::optional(choice.file.toStdString()) : std::nullopt,
            .pairs = file                      ? kAllOfAFile
                     : choice.many && !written ? kManyPairs
                                               : 1};
}

QString pairSentence(const QString& what, const app::PairSummary& summary)
{
    const QString count = summary.pairs == 1 ? PairPresenters::tr(", one pair (no interval)")
                                             : PairPresenters::tr(", %L1 pairs").arg(summary.pairs);
    return what + count
           + PairPresenters::tr(": the logit of “%1” minus “%2” is %3 here and %4 there.")
                 .arg(text(summary.answer), text(summary.distractor), widgets::signedText(summary.clean),
                      widgets::signedText(summary.corrupt))
           + answerSentence(summary.answerToken, summary.answerTokens);
}

widgets::PromptPair promptPair(const app::PairSummary& summary)
{
    widgets::PromptPair pair{.here = {}, .there = {}, .first = summary.pairs > 1};
    for (const std::string& token : summary.tokens)
        pair.here.append(text(token));
    for (const std::string& token : summary.otherTokens)
        pair.there.append(text(token));
    return pair;
}

QString otherPrompt(const app::PairSummary& summary)
{
    return summary.named.size() == 1 ? QString::fromStdString(summary.named.front().corrupt) : QString();
}

QString answerSentence(int token, int tokens)
{
    return tokens > 1
               ? u' '
                     + PairPresenters::tr(
                           "The answer has %1 tokens; this is number %2, the first that differs from the other choice.")
                           .arg(tokens)
                           .arg(token + 1)
               : QString();
}

QString leftOutSentence(const app::PairSummary& summary)
{
    return summary.leftOut > 0
               ? u' '
                     + widgets::counted(summary.leftOut,
                                        PairPresenters::tr("1 sample has no counterpart of its length."),
                                        PairPresenters::tr("%L1 samples have no counterpart of their length."))
               : QString();
}

QString costText(const app::PairCost& cost)
{
    const QString runs = cost.pairs == 1 ? PairPresenters::tr("up to %L1 passes × %L2 tokens")
                                         : PairPresenters::tr("up to %L1 passes × up to %L2 tokens for %L3 pairs");
    QString summary = runs.arg(cost.runs).arg(cost.tokens);
    if (cost.pairs != 1)
        summary = summary.arg(cost.pairs);
    if (cost.seconds >= kWorthAWord)
        summary += PairPresenters::tr(", about %1").arg(widgets::durationText(cost.seconds));
    return summary + QStringLiteral(", ") + widgets::bytesText(static_cast<double>(cost.bytes));
}

} // namespace headscope::gui
