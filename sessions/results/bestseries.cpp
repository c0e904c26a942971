// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/results/bestseries.h"

#include <algorithm>
#include <tuple>

namespace headscope::sessions {

bool isMoreInformative(const SeriesScore& a, const SeriesScore& b)
{
    const auto rank = [](const SeriesScore& score) {
        return std::tuple(!score.series.rowSource.empty(), score.n, score.id);
    };
    return rank(a) > rank(b);
}

const SeriesScore* bestSeries(std::span<const SeriesScore> scores, std::string_view modelHash, std::string_view task,
                              std::string_view ablation)
{
    const SeriesScore* best = nullptr;
    for (const SeriesScore& score : scores)
        if (score.series.modelHash == modelHash && score.series.task == task && score.series.ablation == ablation
            && score.n > 0 && (!best || isMoreInformative(score, *best)))
            best = &score;
    return best;
}

const SeriesScore* baselineFor(std::span<const SeriesScore> scores, const SeriesScore& now)
{
    const SeriesKey wanted = baselineOf(now.series);
    const auto found = std::ranges::find(scores, wanted, &SeriesScore::series);
    return found == scores.end() ? nullptr : &*found;
}

} // namespace headscope::sessions
