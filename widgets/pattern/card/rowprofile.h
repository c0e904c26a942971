// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One row of a map and the statistics that describe it, as plain values. Any thread.

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

/// The statistics are computed in core/analysis. NaN: unknown, not printed.
struct RowProfile {
    QString head; ///< "L2H5"
    int row = 0;  ///< index of the query token
    QStringList tokens;
    std::vector<float> values; ///< one per token: its share of the row; signed only for differences
    bool isChange = false;     ///< differences from a baseline instead, on their own axis
    double effectiveTokens = std::numeric_limits<double>::quiet_NaN();
    double entropy = std::numeric_limits<double>::quiet_NaN();    ///< nats
    double targetMass = std::numeric_limits<double>::quiet_NaN(); ///< on the tokens that contain the answer
    QString target;                                               ///< text of those tokens
    double sinkMass = std::numeric_limits<double>::quiet_NaN();

    /// Returns the token with the largest magnitude; -1 without tokens.
    [[nodiscard]] int strongest() const;
    /// A row is peaked if it reads at most this many effective tokens, at any length.
    static constexpr int kPeakedTokens = 3;
    [[nodiscard]] bool peaked() const;
};

/// Adds the share of `row` on the spans that contain the answer, as far as they are visible to the row. Spans are those
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

/// Some adjacent tokens of a row, with the value of the one read most.
struct RowBar {
    int first = 0;
    int count = 1;
    float value = 0; ///< the largest magnitude
};
/// Returns one bar per token; for tokens narrower than a pixel, one per group that shares it. `cell`: pixels per token.
[[nodiscard]] std::vector<RowBar> rowBars(const std::vector<float>& values, double cell);

/// Returns "Row “is” reads “80”: peaked, 1.0 effective tokens".
[[nodiscard]] QString rowSentence(const RowProfile& profile);
/// Returns the same for less room: "“is” → “93”: peaked, 1.0 tokens".
[[nodiscard]] QString briefRowSentence(const RowProfile& profile);
/// Returns "99.7 % on the value “80” · entropy 0.02 nats · 0.1 % on the first token".
[[nodiscard]] QString rowDetail(const RowProfile& profile);

/// Returns "A  L2H5  peaked · 1.4 effective tokens · 0.92 on “62”", a line of a figure. The most important part comes
/// first; `parts` limits their number.
[[nodiscard]] QString rowSummary(Side side, const RowProfile& profile, int parts = 9);

struct ValueAxis {
    double low = 0;
    double high = 1;
    bool operator==(const ValueAxis&) const = default;
};

/// Returns an axis with round ends that covers all values of adjacent rows: a diffuse row looks diffuse beside a peaked
/// one, and a single row fills its picture.
[[nodiscard]] ValueAxis commonAxis(const std::vector<const RowProfile*>& rows);

} // namespace headscope::widgets
