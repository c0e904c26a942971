// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One row of a map and the numbers that describe it, as plain values. Any thread.

#include "core/analysis/patternscores.h"
#include "core/base/role.h"
#include "core/base/side.h"
#include "widgets/pattern/patterndata.h"

#include <QString>
#include <QStringList>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace headscope::widgets {

/// The numbers are computed in core/analysis. NaN: not known, not printed.
struct RowProfile {
    QString head; ///< "L2H5"
    int row = 0;  ///< index of the looking token
    QStringList tokens;
    std::vector<float> values; ///< one a token: its share of the row; signed only where differences are shown
    bool isChange = false;     ///< differences to a baseline instead, on an axis of their own
    double effectiveTokens = std::numeric_limits<double>::quiet_NaN();
    double entropy = std::numeric_limits<double>::quiet_NaN();    ///< nats
    double targetMass = std::numeric_limits<double>::quiet_NaN(); ///< on the tokens that hold the answer
    QString target;                                               ///< what those tokens write
    double sinkMass = std::numeric_limits<double>::quiet_NaN();

    /// The token with the largest magnitude; -1 without tokens.
    [[nodiscard]] int strongest() const;
    /// A row is peaked if it reads at most this many effective tokens, whatever its length.
    static constexpr int kPeakedTokens = 3;
    [[nodiscard]] bool peaked() const;
};

/// Adds the share of `row` that lies on the spans that hold the answer, as far as the row can see them. Spans are those
/// of a prompt, a stored pattern or a figure: role, begin, end and target.
template <typename Spans> void setTarget(RowProfile& profile, std::span<const float> row, const Spans& spans)
{
    for (const auto& span : spans) {
        const int begin = static_cast<int>(span.begin), end = static_cast<int>(span.end);
        if (!span.target || !holdsAnswer(span.role) || begin >= end || end > profile.row + 1)
            continue;
        const double before = std::isnan(profile.targetMass) ? 0 : profile.targetMass;
        profile.targetMass = before + analysis::massOn(row, begin, end);
        profile.target += (profile.target.isEmpty() ? QString() : QStringLiteral(", "))
                          + tokenLabel(profile.tokens.mid(begin, end - begin).join(QString()));
    }
}

/// Some tokens of a row that are beside each other, and what the most read of them takes.
struct RowBar {
    int first = 0;
    int count = 1;
    float value = 0; ///< the largest magnitude
};
/// One bar a token; where a token is narrower than a pixel, one for those that share it. `cell`: pixels of a token.
[[nodiscard]] std::vector<RowBar> rowBars(const std::vector<float>& values, double cell);

/// "Row “is” reads “80”: peaked, 1.0 effective tokens"
[[nodiscard]] QString rowSentence(const RowProfile& profile);
/// The same for a line that has less room: "“is” → “93”: peaked, 1.0 tokens".
[[nodiscard]] QString briefRowSentence(const RowProfile& profile);
/// "99.7 % on the value “80” · entropy 0.02 nats · 0.1 % on the first token"
[[nodiscard]] QString rowDetail(const RowProfile& profile);

/// "A  L2H5  peaked · 1.4 effective tokens · 0.92 on “62”": one line of a figure. The most important part comes first;
/// `parts` limits how many are written.
[[nodiscard]] QString rowSummary(Side side, const RowProfile& profile, int parts = 9);

struct ValueAxis {
    double low = 0;
    double high = 1;
    bool operator==(const ValueAxis&) const = default;
};

/// An axis with round ends that holds all values of rows that are beside each other: a diffuse row looks diffuse
/// beside a peaked one, and one that is alone fills its picture.
[[nodiscard]] ValueAxis commonAxis(const std::vector<const RowProfile*>& rows);

} // namespace headscope::widgets
