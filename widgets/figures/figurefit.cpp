// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figurepainter.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int kMostColumns = 6;
constexpr int kMostColumnsOfAPage = 3; // more would only be smaller if there is no height to fill
constexpr double kLeastStretch = 0.15;
constexpr double kReadable = 0.4; // below this stretch, smaller letters read better
constexpr double kMostStretch = 3;
constexpr double kLetters[] = {1, 0.85, 0.7};
constexpr double kPaperMm = 250; // printable height of a sheet, at 8 points
constexpr double kLeastRows = 12, kMostRows = 200;
constexpr double kTogether = 1.15; // plots must grow by this factor before panels that belong together are separated

/// Returns the largest number in [low, high] for which `fits`; low if there is none.
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
    if (!figure.parts.isEmpty()) // FigureLayout finds their places
        return {1};
    const int panels = std::max(1, static_cast<int>(figure.panels.size()));
    if (figure.columns > 0)
        return {std::min(figure.columns, panels)};
    std::vector<int> columns;
    for (int count = 1; count <= std::min(panels, kMostColumns); ++count)
        columns.push_back(count);
    return columns;
}

bool onlyRows(const Figure& figure)
{
    return std::ranges::all_of(figure.panels, [](const FigurePanel& panel) {
        return std::holds_alternative<TableFigure>(panel.content) || std::holds_alternative<BarFigure>(panel.content);
    });
}

/// Returns the fraction of the grid cells that hold a panel.
double filled(const Figure& figure, int columns)
{
    const auto panels = static_cast<double>(figure.panels.size());
    return panels / (columns * std::ceil(panels / columns));
}

/// One figure and one paper.
class Fitter
{
public:
    Fitter(const Figure& figure, const FigureStyle& style)
        : m_figure(figure), m_style(style), m_columns(candidates(figure)),
          m_page(style.heightMm * FigureCanvas::kUnitsPerMm)
    {
    }
    [[nodiscard]] FigureFit asHighAsNeeded() const;
    /// Scales letters down and keeps the largest plots; returns nothing if the page is too low.
    [[nodiscard]] std::optional<FigureFit> onPage(double letters) const;
    /// Shortens tables and bars first, then the plots.
    [[nodiscard]] FigureFit leavingOut(double letters) const;

private:
    [[nodiscard]] double height(const FigureFit& fit) const
    {
        return FigurePainter(nullptr, m_style, fit).draw(m_figure);
    }
    [[nodiscard]] bool wideEnough(const FigureFit& fit) const
    {
        const FigurePainter painter(nullptr, m_style, fit);
        return fit.columns == 1 || m_figure.columns > 0
               || painter.columnWidth(fit.columns) >= painter.narrowest(m_figure);
    }
    [[nodiscard]] bool sideBySide(int columns) const { return columns % std::max(1, m_figure.together) == 0; }
    /// Returns the largest number of rows with which the figure is at most `most` high.
    [[nodiscard]] int rowsFor(FigureFit fit, double least, double most) const
    {
        return static_cast<int>(largest(least, kMostRows, [&](double rows) {
            fit.rows = static_cast<int>(rows);
            return height(fit) <= most;
        }));
    }

    const Figure& m_figure;
    const FigureStyle& m_style;
    std::vector<int> m_columns;
    double m_page; ///< its height
};

FigureFit Fitter::asHighAsNeeded() const
{
    FigureFit best{.columns = m_columns.front()};
    for (const int columns : m_columns)
        if (columns <= kMostColumnsOfAPage && wideEnough({.columns = columns})
            && (sideBySide(columns) || !sideBySide(best.columns)))
            best.columns = columns;
    // Long tables omit rows, and say so, rather than run off the paper.
    const double paper = kPaperMm * FigureCanvas::kUnitsPerMm * std::max(1.0, m_style.fontPt / 8);
    if (onlyRows(m_figure) && height(best) > paper)
        best.rows = rowsFor(best, kLeastRows, paper);
    return best;
}

std::optional<FigureFit> Fitter::onPage(double letters) const
{
    std::optional<FigureFit> best;
    double bestSize = 0;
    for (const int columns : m_columns) {
        FigureFit fit{.columns = columns, .stretch = kReadable, .letters = letters};
        if (!wideEnough(fit) || height(fit) > m_page)
            continue;
        fit.stretch = largest(kReadable, kMostStretch, [&](double stretch) {
            return height({.columns = columns, .stretch = stretch, .letters = letters}) <= m_page;
        });
        const double size = FigurePainter(nullptr, m_style, fit).columnWidth(columns) * std::min(1.0, fit.stretch)
                            * (sideBySide(columns) ? kTogether : 1.0) * filled(m_figure, columns);
        if (size > bestSize) {
            best = fit;
            bestSize = size;
        }
    }
    return best;
}

FigureFit Fitter::leavingOut(double letters) const
{
    FigureFit best{.columns = m_columns.front(), .stretch = kReadable, .letters = letters, .rows = 1};
    for (const int columns : m_columns) {
        FigureFit fit{.columns = columns, .stretch = kReadable, .letters = letters};
        if (!wideEnough(fit))
            continue;
        fit.rows = rowsFor(fit, 1, m_page);
        if (fit.rows > best.rows)
            best = fit;
    }
    if (height(best) > m_page)
        best.stretch = largest(kLeastStretch, kReadable, [&](double stretch) {
            return height({best.columns, stretch, letters, best.rows}) <= m_page;
        });
    return best;
}

} // namespace

FigureFit fitFor(const Figure& figure, const FigureStyle& style)
{
    const Fitter fitter(figure, style);
    if (style.heightMm <= 0)
        return fitter.asHighAsNeeded();
    for (const double letters : kLetters)
        if (const auto fit = fitter.onPage(letters))
            return *fit;
    return fitter.leavingOut(kLetters[std::size(kLetters) - 1]);
}

} // namespace headscope::widgets
