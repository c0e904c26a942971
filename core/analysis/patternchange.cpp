// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/patternchange.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headscope::analysis {

namespace {

float rowSize(std::span<const float> row)
{
    double sum = 0;
    for (const float v : row)
        sum += std::abs(static_cast<double>(v));
    return static_cast<float>(sum);
}

} // namespace

Matrix difference(const Matrix& a, const Matrix& b)
{
    assert(a.rows == b.rows && a.cols == b.cols);
    Matrix result(a.rows, a.cols);
    std::transform(a.values.begin(), a.values.end(), b.values.begin(), result.values.begin(),
                   [](float x, float y) { return x - y; });
    return result;
}

std::vector<float> rowShare(std::span<const float> row)
{
    std::vector<float> shares(row.begin(), row.end());
    if (const float sum = rowSize(row); sum > 0)
        for (float& share : shares)
            share /= sum;
    return shares;
}

Matrix rowShares(Matrix matrix)
{
    for (int row = 0; row < matrix.rows; ++row)
        std::ranges::copy(rowShare(matrix.row(row)), &matrix.at(row, 0));
    return matrix;
}

Matrix weighted(Matrix matrix, std::span<const float> weights)
{
    assert(static_cast<int>(weights.size()) == matrix.cols);
    for (int row = 0; row < matrix.rows; ++row)
        for (int col = 0; col < matrix.cols; ++col)
            matrix.at(row, col) *= weights[static_cast<std::size_t>(col)];
    return matrix;
}

double patternDistance(const Matrix& a, const Matrix& b)
{
    assert(a.rows == b.rows && a.cols == b.cols);
    double total = 0;
    for (int row = 0; row < a.rows; ++row) {
        const std::span<const float> x = a.row(row), y = b.row(row);
        const double sumX = static_cast<double>(rowSize(x)), sumY = static_cast<double>(rowSize(y));
        for (std::size_t i = 0; i < x.size(); ++i)
            total += std::abs((sumX > 0 ? static_cast<double>(x[i]) / sumX : 0)
                              - (sumY > 0 ? static_cast<double>(y[i]) / sumY : 0))
                     / 2;
    }
    return a.rows > 0 ? total / a.rows : 0;
}

double jensenShannonDistance(std::span<const float> a, std::span<const float> b)
{
    assert(a.size() == b.size());
    const double sumA = static_cast<double>(rowSize(a)), sumB = static_cast<double>(rowSize(b));
    double divergence = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double p = sumA > 0 ? std::abs(static_cast<double>(a[i])) / sumA : 0,
                     q = sumB > 0 ? std::abs(static_cast<double>(b[i])) / sumB : 0, middle = (p + q) / 2;
        if (p > 0)
            divergence += p / 2 * std::log2(p / middle);
        if (q > 0)
            divergence += q / 2 * std::log2(q / middle);
    }
    return std::sqrt(std::clamp(divergence, 0.0, 1.0));
}

} // namespace headscope::analysis
