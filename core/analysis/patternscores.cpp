// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/patternscores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace headscope::analysis {

namespace {

double absoluteSum(std::span<const float> row)
{
    return std::accumulate(row.begin(), row.end(), 0.0,
                           [](double sum, float v) { return sum + std::abs(static_cast<double>(v)); });
}

} // namespace

RowScores rowScores(std::span<const float> row, int query)
{
    RowScores scores;
    const double total = absoluteSum(row);
    if (total <= 0)
        return scores;
    for (const float value : row) {
        const double share = std::abs(static_cast<double>(value)) / total;
        if (share > 0)
            scores.entropy -= share * std::log(share);
    }
    scores.effectiveTokens = std::exp(scores.entropy);
    scores.sinkMass = massOn(row, 0, 1);
    scores.diagonalMass = massOn(row, query, query + 1);
    return scores;
}

RowScores matrixScores(const Matrix& matrix)
{
    RowScores mean{0, 0, 0, 0};
    if (matrix.rows < 2)
        return matrix.rows == 1 ? rowScores(matrix.row(0), 0) : RowScores{};
    for (int t = 1; t < matrix.rows; ++t) {
        const RowScores row = rowScores(matrix.row(t), t);
        mean.entropy += row.entropy;
        mean.effectiveTokens += row.effectiveTokens;
        mean.sinkMass += row.sinkMass;
        mean.diagonalMass += row.diagonalMass;
    }
    const double count = matrix.rows - 1;
    return {mean.entropy / count, mean.effectiveTokens / count, mean.sinkMass / count, mean.diagonalMass / count};
}

double massOn(std::span<const float> row, int begin, int end)
{
    const double total = absoluteSum(row);
    begin = std::clamp(begin, 0, static_cast<int>(row.size()));
    end = std::clamp(end, begin, static_cast<int>(row.size()));
    const auto part = row.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    return total > 0 ? absoluteSum(part) / total : 0;
}

std::vector<TopEntry> topEntries(std::span<const float> row, int count)
{
    std::vector<int> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    const auto kept = std::min<std::size_t>(static_cast<std::size_t>(std::max(count, 0)), row.size());
    const auto size = [&](int t) { return std::abs(row[static_cast<std::size_t>(t)]); };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                      [&](int a, int b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
    const double total = absoluteSum(row);
    std::vector<TopEntry> top;
    for (std::size_t i = 0; i < kept; ++i) {
        const double value = row[static_cast<std::size_t>(order[i])];
        top.push_back({order[i], total > 0 ? std::abs(value) / total : 0, value});
    }
    return top;
}

double gatherScore(const Matrix& matrix, std::span<const TokenSegment> segments)
{
    double sum = 0;
    int count = 0;
    for (const TokenSegment& segment : segments)
        if (segment.end - segment.begin >= 2 && segment.end <= matrix.rows) {
            sum += massOn(matrix.row(segment.end - 1), segment.begin, segment.end - 1);
            ++count;
        }
    return count > 0 ? sum / count : 0;
}

double aggregateScore(const Matrix& matrix, std::span<const TokenSegment> segments)
{
    double sum = 0;
    if (matrix.rows > 0)
        for (const TokenSegment& segment : segments)
            sum += massOn(matrix.row(matrix.rows - 1), segment.end - 1, segment.end);
    return sum;
}

double uniformGatherScore(std::span<const TokenSegment> segments, int tokens)
{
    double sum = 0;
    int count = 0;
    for (const TokenSegment& segment : segments)
        if (segment.end - segment.begin >= 2 && segment.end <= tokens) {
            sum += static_cast<double>(segment.end - 1 - segment.begin) / segment.end;
            ++count;
        }
    return count > 0 ? sum / count : 0;
}

double uniformAggregateScore(std::span<const TokenSegment> segments, int tokens)
{
    return tokens > 0 ? static_cast<double>(segments.size()) / tokens : 0;
}

double targetMass(const Matrix& matrix, std::span<const TokenSegment> segments)
{
    double sum = 0;
    if (matrix.rows > 0)
        for (const TokenSegment& segment : segments)
            if (segment.target)
                sum += massOn(matrix.row(matrix.rows - 1), segment.begin, segment.end);
    return sum;
}

double retrievalScore(const Matrix& matrix, std::span<const int> ids, int answerBegin,
                      std::span<const TokenSegment> segments)
{
    const auto inNeedle = [&](int token) {
        return std::any_of(segments.begin(), segments.end(),
                           [token](const TokenSegment& s) { return s.target && token >= s.begin && token < s.end; });
    };
    const auto idOf = [&](int token) { return ids[static_cast<std::size_t>(token)]; };
    std::set<int> needle, copied;
    for (int t = 0; t < std::min(answerBegin, matrix.cols); ++t)
        if (inNeedle(t) && std::find(ids.begin() + answerBegin, ids.end(), idOf(t)) != ids.end())
            needle.insert(idOf(t));
    for (int t = std::max(answerBegin - 1, 0); t + 1 < static_cast<int>(ids.size()) && t < matrix.rows; ++t)
        if (const auto top = topEntries(matrix.row(t), 1);
            !top.empty() && inNeedle(top[0].token) && idOf(top[0].token) == idOf(t + 1))
            copied.insert(idOf(t + 1));
    return needle.empty() ? std::numeric_limits<double>::quiet_NaN()
                          : static_cast<double>(copied.size()) / static_cast<double>(needle.size());
}

double previousTokenScore(const Matrix& matrix)
{
    double sum = 0;
    for (int t = 1; t < matrix.rows; ++t)
        sum += massOn(matrix.row(t), t - 1, t);
    return matrix.rows > 1 ? sum / (matrix.rows - 1) : 0;
}

double inductionScore(const Matrix& matrix, std::span<const int> ids)
{
    double sum = 0;
    int count = 0;
    const int length = std::min(matrix.rows, static_cast<int>(ids.size()));
    for (int t = 1; t < length; ++t) {
        double mass = 0;
        bool repeated = false;
        for (int s = 0; s + 1 < t; ++s)
            if (ids[static_cast<std::size_t>(s)] == ids[static_cast<std::size_t>(t)]) {
                mass += massOn(matrix.row(t), s + 1, s + 2);
                repeated = true;
            }
        sum += mass;
        count += repeated;
    }
    return count > 0 ? sum / count : 0;
}

RepeatScores repeatScores(const Matrix& matrix, int repeat)
{
    RepeatScores scores;
    for (int t = 1; t < matrix.rows; ++t) {
        const double sum = absoluteSum(matrix.row(t));
        if (sum <= 0)
            continue;
        const auto share = [&](int token) { return std::abs(static_cast<double>(matrix.at(t, token))) / sum; };
        scores.previous += share(t - 1);
        scores.sink += share(0);
        if (t > repeat) {
            scores.induction += share(t - repeat + 1);
            scores.duplicate += share(t - repeat);
        }
    }
    for (double* const score : {&scores.previous, &scores.sink})
        *score /= std::max(matrix.rows - 1, 1);
    for (double* const score : {&scores.induction, &scores.duplicate})
        *score /= std::max(repeat, 1);
    return scores;
}

} // namespace headscope::analysis
