// SPDX-License-Identifier: GPL-3.0-or-later
// The conditions of an exercise, and their current values in the window. Pure functions; GUI thread.
#pragma once

#include "app/state/windowstate.h"

#include <QJsonValue>
#include <QString>

#include <optional>

namespace headscope::gui {

/// One condition; an exercise is done when all of its conditions hold at once.
struct Condition {
    enum class Kind {
        Score,           ///< a benchmark's score, with all rows scored
        AblatedHeads,    ///< the number of ablated heads, without other interventions
        EffectiveTokens, ///< exp(entropy) of the last row of the shown head
        TargetShare      ///< the share of that row on the tokens of the answer
    };
    Kind kind = Kind::Score;
    Side side = Side::A;
    QString benchmark;        ///< Score: "toy_kv:pairs=8"
    std::optional<int> layer; ///< AblatedHeads: all are in this layer
    double low = 0;           ///< lower and upper limit, both included
    double high = 0;
    bool operator==(const Condition&) const = default;
};

/// Whether a condition holds; `met` is empty until that is known.
struct Checked {
    std::optional<bool> met;
    QString measured; ///< "0.04 on 256 examples"; empty: not yet
    bool operator==(const Checked&) const = default;
};

/// Parses `{"score": "toy_kv:pairs=8", "high": 0.1}`, `{"heads": [1, 2]}`, `{"heads": [2, 8], "of
/// layer": 2}`, `{"effective": [8, 1000], "side": "B"}`, `{"target": [0.5, 1]}`. Fails for anything
/// else.
[[nodiscard]] Result<Condition> readCondition(const QJsonValue& value);
/// Returns "KV retrieval, 8 pairs at most 0.10 (A)".
[[nodiscard]] QString conditionWords(const Condition& condition);
[[nodiscard]] Checked check(const Condition& condition, const WindowState& state);
/// Returns the number of individually ablated heads; empty if there are other interventions.
[[nodiscard]] std::optional<int> ablatedHeadCount(const interventions::InterventionSet& set);

} // namespace headscope::gui
