// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figurepainter.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int kMostColumns = 6;
constexpr int kMostColumnsOfAPage = 3; // where there is no height to fill, more are only smaller
constexpr double kLeastStretch = 0.15;
constexpr double kReadable = 0.4; // stretch below which smaller letters serve better
constexpr double kMostStretch = 3;
constexpr double kLetters[] = {1, 0.85, 0.7};
constexpr double kTogether = 1.15; // how much larger plots must be for panels to part that belong side by side

/// The largest of [low, high] for which `fits`; low where none does.
template <typename Fits> double largest(double low, double high, const Fits& fits)
{
    for (int step = 0; step < 12; ++step) {
        const double middle = (low + high) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

std::vector<int> candidates(const Figure& figure)
{
    const int panels = std::max(1, static_cast<int>(figure.panels.size()));
    if (figure.columns > 0)
        return {std::min(figure.columns, panels)};
    std::vector<int> columns;
    for (int count = 1; count <= std::min(panels, kMostColumns); ++count)
        columns.push_back(count);
    return columns;
}

/// The part of the places that hold a panel.
double filled(const Figure& figure, int columns)
{
    const auto panels = static_cast<double>(figure.panels.size());
    return panels / (columns * std::ceil(panels / columns));
}

} // namespace

FigureFit fitFor(const Figure& figure, const FigureStyle& style)
{
    const auto height = [&](const FigureFit& fit) { return FigurePainter(nullptr, style, fit).draw(figure); };
    const auto wideEnough = [&](const FigureFit& fit) {
        const FigurePainter painter(nullptr, style, fit);
        return fit.columns == 1 || figure.columns > 0 || painter.columnWidth(fit.columns) >= painter.narrowest(figure);
    };
    const std::vector<int> all = candidates(figure);
    const auto sideBySide = [&](int columns) { return columns % std::max(1, figure.together) == 0; };
    if (style.heightMm <= 0) {
        FigureFit best{.columns = all.front()};
        for (const int columns : all)
            if (columns <= kMostColumnsOfAPage && wideEnough({.columns = columns})
                && (sideBySide(columns) || !sideBySide(best.columns)))
                best.columns = columns;
        return best;
    }
    const double page = style.heightMm * FigureCanvas::kUnitsPerMm;
    for (const double letters : kLetters) {
        FigureFit best;
        double bestSize = 0;
        for (const int columns : all) {
            FigureFit fit{.columns = columns, .stretch = kReadable, .letters = letters};
            if (!wideEnough(fit) || height(fit) > page)
                continue;
            fit.stretch = largest(kReadable, kMostStretch, [&](double stretch) {
                return height({.columns = columns, .stretch = stretch, .letters = letters}) <= page;
            });
            const double size = FigurePainter(nullptr, style, fit).columnWidth(columns) * std::min(1.0, fit.stretch)
                                * (sideBySide(columns) ? kTogether : 1.0) * filled(figure, columns);
            if (size > bestSize) {
                best = fit;
                bestSize = size;
            }
        }
        if (bestSize > 0)
            return best;
    }
    // Still too much: rows of tables and bars give way, then the plots.
    const double letters = kLetters[std::size(kLetters) - 1];
    FigureFit best{.columns = all.front(), .stretch = kReadable, .letters = letters, .rows = 1};
    for (const int columns : all) {
        FigureFit fit{.columns = columns, .stretch = kReadable, .letters = letters};
        if (!wideEnough(fit))
            continue;
        fit.rows = static_cast<int>(largest(1, 200, [&](double rows) {
            return height(
                       {.columns = columns, .stretch = kReadable, .letters = letters, .rows = static_cast<int>(rows)})
                   <= page;
        }));
        if (fit.rows > best.rows)
            best = fit;
    }
    if (height(best) > page)
        best.stretch = largest(kLeastStretch, kReadable, [&](double stretch) {
            return height({best.columns, stretch, letters, best.rows}) <= page;
        });
    return best;
}

} // namespace headscope::widgets
