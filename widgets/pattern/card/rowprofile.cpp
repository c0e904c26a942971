// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/card/rowprofile.h"

#include "widgets/look/numbertext.h"
#include "widgets/pattern/patterndata.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

struct RowProfileText {
    Q_DECLARE_TR_FUNCTIONS(headscope::widgets::RowProfile)
};

QString percent(double share)
{
    const double hundredths = 100 * share;
    return RowProfileText::tr("%1 %").arg(numberText(hundredths, hundredths < 99.95 && hundredths >= 0.05 ? 1 : 0));
}

// The next round number; a sum of shares may be a little more than 1.
double roundUp(double value)
{
    return value > 0 ? niceStep(value * (1 - 1e-6), 1) : 0;
}

} // namespace

int RowProfile::strongest() const
{
    const auto most =
        std::max_element(values.begin(), values.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
    return most == values.end() ? -1 : static_cast<int>(most - values.begin());
}

bool RowProfile::peaked() const
{
    return effectiveTokens <= kPeakedTokens;
}

std::vector<RowBar> rowBars(const std::vector<float>& values, double cell)
{
    const int all = static_cast<int>(values.size());
    const double sharing = cell > 0 && cell < 1 ? std::ceil(1 / cell) : 1;
    const int shared = static_cast<int>(std::min<double>(sharing, std::max(all, 1)));
    std::vector<RowBar> bars;
    for (int first = 0; first < all; first += shared) {
        RowBar bar{first, std::min(shared, all - first), values[static_cast<std::size_t>(first)]};
        for (int i = first + 1; i < first + bar.count; ++i) {
            const float value = values[static_cast<std::size_t>(i)];
            if (!std::isfinite(bar.value) || std::abs(value) > std::abs(bar.value))
                bar.value = value;
        }
        bars.push_back(bar);
    }
    return bars;
}

QString rowSentence(const RowProfile& profile)
{
    if (profile.values.empty())
        return {};
    const QString from = tokenLabelAt(profile.tokens, profile.row),
                  to = tokenLabelAt(profile.tokens, profile.strongest());
    if (profile.isChange)
        return RowProfileText::tr("Row “%1” changed most at “%2”").arg(from, to);
    if (std::isnan(profile.effectiveTokens))
        return RowProfileText::tr("Row “%1” reads “%2” most").arg(from, to);
    const QString spread = numberText(profile.effectiveTokens, profile.effectiveTokens < 10 ? 1 : 0);
    return profile.peaked()
               ? RowProfileText::tr("Row “%1” reads “%2”: peaked, %3 effective tokens").arg(from, to, spread)
               : RowProfileText::tr("Row “%1” reads “%2” most: diffuse, %3 effective tokens").arg(from, to, spread);
}

QString briefRowSentence(const RowProfile& profile)
{
    if (profile.values.empty() || profile.isChange || std::isnan(profile.effectiveTokens))
        return {};
    const QString spread = numberText(profile.effectiveTokens, profile.effectiveTokens < 10 ? 1 : 0);
    return (profile.peaked() ? RowProfileText::tr("“%1” → “%2”: peaked, %3 tokens")
                             : RowProfileText::tr("“%1” → “%2”: diffuse, %3 tokens"))
        .arg(tokenLabelAt(profile.tokens, profile.row), tokenLabelAt(profile.tokens, profile.strongest()), spread);
}

QString rowDetail(const RowProfile& profile)
{
    QStringList parts;
    if (!std::isnan(profile.targetMass))
        parts << RowProfileText::tr("%1 on the answer “%2”").arg(percent(profile.targetMass), profile.target);
    if (!std::isnan(profile.entropy))
        parts << RowProfileText::tr("entropy %1 nats").arg(numberText(profile.entropy));
    if (!std::isnan(profile.sinkMass))
        parts << RowProfileText::tr("first token %1").arg(percent(profile.sinkMass));
    return parts.join(u" · "_s);
}

QString rowSummary(Side side, const RowProfile& profile, int limit)
{
    QStringList parts;
    if (!std::isnan(profile.effectiveTokens))
        parts << (profile.peaked() ? RowProfileText::tr("peaked") : RowProfileText::tr("diffuse"))
              << RowProfileText::tr("%1 effective tokens")
                     .arg(numberText(profile.effectiveTokens, profile.effectiveTokens < 10 ? 1 : 0));
    if (!std::isnan(profile.targetMass))
        parts << RowProfileText::tr("%1 on “%2”").arg(numberText(profile.targetMass), profile.target);
    if (!std::isnan(profile.sinkMass))
        parts << RowProfileText::tr("sink %1").arg(numberText(profile.sinkMass));
    if (!std::isnan(profile.entropy))
        parts << RowProfileText::tr("entropy %1").arg(numberText(profile.entropy));
    return u"%1  %2  "_s.arg(side == Side::A ? u"A"_s : u"B"_s, profile.head) + parts.mid(0, limit).join(u" · "_s);
}

ValueAxis commonAxis(const std::vector<const RowProfile*>& rows)
{
    double low = 0, high = 0;
    for (const RowProfile* row : rows)
        for (const float value : row->values)
            if (std::isfinite(value)) {
                low = std::min(low, static_cast<double>(value));
                high = std::max(high, static_cast<double>(value));
            }
    const ValueAxis axis{-roundUp(-low), roundUp(high)};
    return axis.high > axis.low ? axis : ValueAxis{0, 1};
}

} // namespace headscope::widgets
