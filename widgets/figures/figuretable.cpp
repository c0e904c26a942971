// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figuretable.h"

#include <algorithm>
#include <numeric>

namespace headscope::widgets {

namespace {

constexpr double kLeastShrink = 0.66; // of the letters' size, to which a table too wide for its place may shrink them
constexpr double kWordEms = 8;        // what is always left of a column of words; numbers are never cut

bool readsAsNumber(const QString& text)
{
    return std::none_of(text.begin(), text.end(), [](QChar letter) { return letter.isLetter() && letter != u'e'; });
}

// A column of names is set flush left and may be cut, one of numbers is set flush right.
bool holdsWords(const TableFigure& table, std::size_t column)
{
    const auto words = std::count_if(table.rows.begin(), table.rows.end(), [column](const auto& row) {
        return column < row.size() && !readsAsNumber(row[column].text);
    });
    return 2 * static_cast<std::size_t>(words) > table.rows.size();
}

/// The header in one line or, where that is wider than what stands below it, in two.
QStringList broken(const QString& header, const FigureMetrics& metrics, double room)
{
    if (metrics.horizontalAdvance(header) <= room)
        return {header};
    std::vector<qsizetype> spaces;
    for (qsizetype at = header.indexOf(u' '); at >= 0; at = header.indexOf(u' ', at + 1))
        spaces.push_back(at);
    const auto first = [&](qsizetype at) { return metrics.horizontalAdvance(header.left(at)); };
    const auto second = [&](qsizetype at) { return metrics.horizontalAdvance(header.mid(at + 1)); };
    // The first line grows and the second shrinks: the best place is where they meet, or the one before.
    const auto meet = std::ranges::partition_point(spaces, [&](qsizetype at) { return first(at) < second(at); });
    QStringList best{header};
    double least = metrics.horizontalAdvance(header);
    for (auto at = meet == spaces.begin() ? meet : meet - 1; at != spaces.end() && at <= meet; ++at)
        if (const double width = std::max(first(*at), second(*at)); width < least) {
            least = width;
            best = {header.left(*at), header.mid(*at + 1)};
        }
    return best;
}

struct Columns {
    std::vector<double> widths;
    std::vector<QStringList> headers;
    std::vector<bool> words;
    double total = 0;
};

Columns measured(const TableFigure& table, int rows, const QFont& bold, const QFont& plain)
{
    const FigureMetrics headMetrics(bold), metrics(plain);
    Columns columns;
    for (std::size_t i = 0; i < static_cast<std::size_t>(table.header.size()); ++i) {
        double width = 0;
        for (std::size_t row = 0; row < std::min(table.rows.size(), static_cast<std::size_t>(rows)); ++row)
            if (i < table.rows[row].size())
                width = std::max(width, metrics.horizontalAdvance(table.rows[row][i].text));
        columns.words.push_back(i == 0 || holdsWords(table, i));
        columns.headers.push_back(broken(table.header[static_cast<int>(i)], headMetrics, width));
        for (const QString& line : columns.headers.back())
            width = std::max(width, headMetrics.horizontalAdvance(line));
        columns.widths.push_back(width);
    }
    columns.total = std::accumulate(columns.widths.begin(), columns.widths.end(), 0.0);
    return columns;
}

// Takes what is too much from the columns of words, the widest first.
void cut(Columns& columns, double room, double em)
{
    while (columns.total > room) {
        double widest = 0;
        for (std::size_t i = 0; i < columns.widths.size(); ++i)
            if (columns.words[i])
                widest = std::max(widest, columns.widths[i]);
        if (widest <= kWordEms * em)
            return;
        for (std::size_t i = 0; i < columns.widths.size(); ++i)
            if (columns.words[i] && columns.widths[i] > widest - em / 2)
                columns.widths[i] = widest - em / 2;
        columns.total = std::accumulate(columns.widths.begin(), columns.widths.end(), 0.0);
    }
}

} // namespace

double TablePainter::narrowest(const TableFigure& figure) const
{
    const QFont bold = fontOf(kLeastShrink, true), plain = fontOf(kLeastShrink);
    Columns columns = measured(figure, m_fit.rows, bold, plain);
    cut(columns, 0, FigureMetrics(plain).height());
    return columns.total + m_gap * kLeastShrink * static_cast<double>(columns.widths.size());
}

// A table too wide for its place breaks: columns of numbers go below, behind the names of the lines again.
std::vector<TableFigure> TablePainter::parts(const TableFigure& figure, double width) const
{
    const auto columns = static_cast<std::size_t>(figure.header.size());
    std::size_t names = 1;
    while (names < columns && holdsWords(figure, names))
        ++names;
    const auto part = [&](std::size_t begin, std::size_t end) {
        TableFigure some;
        for (std::size_t i = 0; i < columns; ++i)
            if (i < names || (i >= begin && i < end))
                some.header << figure.header[static_cast<qsizetype>(i)];
        for (const auto& row : figure.rows) {
            some.rows.emplace_back();
            for (std::size_t i = 0; i < row.size(); ++i)
                if (i < names || (i >= begin && i < end))
                    some.rows.back().push_back(row[i]);
        }
        return some;
    };
    for (std::size_t count = 1; count + names < columns; ++count) { // as few as there may be, and alike
        std::vector<TableFigure> parts;
        bool fits = true;
        const std::size_t numbers = columns - names;
        for (std::size_t i = 0; i < count && fits; ++i) {
            parts.push_back(part(names + i * numbers / count, names + (i + 1) * numbers / count));
            fits = narrowest(parts.back()) <= width;
        }
        if (fits)
            return parts;
    }
    return {figure};
}

double TablePainter::draw(const TableFigure& figure, const QRectF& box)
{
    double height = 0;
    const std::vector<TableFigure> broken = parts(figure, box.width());
    for (const TableFigure& part : broken)
        height += onePart(part, QRectF(box.left(), box.top() + height, box.width(), 0)) + m_gap;
    const double top = box.top() + height - m_gap;
    return height - m_gap + rowsLeftOut(figure.rows.size(), box.left(), top);
}

double TablePainter::onePart(const TableFigure& figure, const QRectF& box)
{
    // A table too wide for its place gets smaller letters, then its words are cut. Columns share what room is left, up
    // to three ems each.
    Columns columns = measured(figure, m_fit.rows, fontOf(1, true), fontOf(1));
    const double gaps = std::max(1.0, static_cast<double>(columns.widths.size()) - 1);
    const double shrink = std::clamp(box.width() / (columns.total + m_gap * gaps), kLeastShrink, 1.0);
    const QFont bold = fontOf(shrink, true), plain = fontOf(shrink);
    const FigureMetrics metrics(plain);
    columns = measured(figure, m_fit.rows, bold, plain);
    cut(columns, box.width() - m_gap * shrink * gaps, metrics.height());
    const double between = std::clamp((box.width() - columns.total) / gaps, m_gap * shrink * 0.5, 3 * m_line);
    const double used = columns.total + between * gaps;
    const double left = box.left() + std::max(0.0, (box.width() - used) / 2);
    const double step = m_line * 1.35 * shrink;
    double y = box.top();
    const auto rule = [&](double width) { line({left, y}, {left + used, y}, m_theme.text, m_line * width); };
    const auto cell = [&](std::size_t column, double x, const QString& words, const QFont& font, const QColor& color) {
        const double width = columns.widths[column];
        text(QRectF(x, y, width + 1, step), (columns.words[column] ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
             FigureMetrics(font).elidedText(words, Qt::ElideRight, width + 1), font, color);
    };
    rule(0.09);
    const bool two = std::any_of(columns.headers.begin(), columns.headers.end(),
                                 [](const QStringList& lines) { return lines.size() > 1; });
    for (int at = two ? 0 : 1; at < 2; ++at, y += step * (at == 0 ? 0.8 : 1)) {
        double x = left;
        for (std::size_t i = 0; i < columns.widths.size(); ++i) {
            const QStringList& lines = columns.headers[i];
            cell(i, x,
                 at == 1            ? lines.constLast()
                 : lines.size() > 1 ? lines.constFirst()
                                    : QString(),
                 bold, m_theme.text);
            x += columns.widths[i] + between;
        }
    }
    rule(0.05);
    for (std::size_t i = 0; i < std::min(figure.rows.size(), static_cast<std::size_t>(m_fit.rows)); ++i, y += step) {
        double x = left;
        for (std::size_t column = 0; column < columns.widths.size(); ++column) {
            if (column < figure.rows[i].size())
                cell(column, x, figure.rows[i][column].text, plain, toneColor(figure.rows[i][column].tone));
            x += columns.widths[column] + between;
        }
    }
    rule(0.09);
    return y - box.top() + m_gap;
}

QColor TablePainter::toneColor(TableCell::Tone tone) const
{
    switch (tone) {
    case TableCell::Tone::Good: return m_theme.good;
    case TableCell::Tone::Bad: return m_theme.bad;
    case TableCell::Tone::Muted: return m_theme.muted;
    case TableCell::Tone::Plain: break;
    }
    return m_theme.text;
}

} // namespace headscope::widgets
