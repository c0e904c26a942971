// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/prompt/promptheat.h"

#include "app/present/prompt/prompttext.h"
#include "app/present/text.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headscope::gui {

namespace {

struct PromptHeat {
    Q_DECLARE_TR_FUNCTIONS(PromptHeat)
};

constexpr double kUnlikely = 8; // nats from which on all tokens look alike: one in 3,000
constexpr double kLost = 0.5;   // nats by which an ablation has to lower a token to be marked

QString tipOf(const std::string& token, const app::TokenLogProb& value)
{
    QString tip = PromptHeat::tr("“%1”: probability %2, log-probability %3")
                      .arg(text(token), widgets::numberText(std::exp(value.now), 3), widgets::numberText(value.now));
    if (value.now != value.baseline)
        tip += PromptHeat::tr("; with all heads on %1").arg(widgets::numberText(value.baseline));
    QStringList likely;
    for (const auto& [word, probability] : value.likely)
        likely.append(QStringLiteral("“%1” %2").arg(text(word), widgets::numberText(probability, 3)));
    return tip + u'\n' + PromptHeat::tr("Most likely here: %1").arg(likely.join(QStringLiteral(", ")));
}

} // namespace

std::vector<widgets::TokenHeat> promptHeat(const app::PromptLogProbs& reply)
{
    const std::vector<int> units = unitsBefore(reply.text);
    std::vector<widgets::TokenHeat> heat;
    for (std::size_t i = 0; i < reply.values.size(); ++i) {
        const app::TokenLogProb& value = reply.values[i];
        const auto [begin, end] = reply.tokens.offsets[i];
        if (std::isnan(value.now) || begin >= end || end >= units.size()) // the first, and tokens that write nothing
            continue;
        heat.push_back({.begin = units[begin],
                        .end = units[end],
                        .strength = std::clamp(-value.now / kUnlikely, 0.0, 1.0),
                        .lost = value.baseline - value.now > kLost,
                        .tip = tipOf(reply.tokens.tokens[i], value)});
    }
    return heat;
}

} // namespace headscope::gui
