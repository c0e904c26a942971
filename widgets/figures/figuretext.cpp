// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figuretext.h"

#include "core/base/csv.h"
#include "core/base/words/latex.h"
#include "widgets/look/numbertext.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kWidestTable = 30; // columns of numbers that a printed page can hold

/// A panel as lines of cells, the first of them the header.
struct Sheet {
    std::vector<QStringList> lines;
    int words = 1; ///< columns at the left that hold words
};

QString exact(double value)
{
    return std::isfinite(value) ? QString::number(value, 'g', 9) : QString();
}

/// Numbers as `numbers` writes them.
struct SheetMaker {
    QString (*number)(double);

    Sheet operator()(const PatternFigure& figure) const
    {
        Sheet sheet;
        QStringList header{u"query"_s};
        for (int c = 0; c < figure.data.cols(); ++c)
            header << figure.data.tokens.value(c);
        sheet.lines.push_back(header);
        for (int r = 0; r < figure.data.rows(); ++r) {
            QStringList line{figure.data.tokens.value(r)};
            for (const float value : figure.data.values->row(r))
                line << number(static_cast<double>(value));
            sheet.lines.push_back(line);
        }
        return sheet;
    }

    Sheet operator()(const RowFigure& figure) const
    {
        Sheet sheet;
        sheet.lines.push_back({u"index"_s, u"token"_s, figure.profile.head + u" share of the row"_s});
        for (std::size_t i = 0; i < figure.profile.values.size(); ++i)
            sheet.lines.push_back({QString::number(i), figure.profile.tokens.value(static_cast<int>(i)),
                                   number(static_cast<double>(figure.profile.values[i]))});
        sheet.words = 2;
        return sheet;
    }

    Sheet operator()(const TableFigure& figure) const
    {
        Sheet sheet;
        sheet.lines.push_back(figure.header);
        for (const auto& row : figure.rows) {
            QStringList line;
            for (const TableCell& cell : row)
                line << cell.text;
            sheet.lines.push_back(line);
        }
        return sheet;
    }

    Sheet operator()(const ChartFigure& figure) const
    {
        Sheet sheet;
        sheet.lines.push_back({u"line"_s, figure.xTitle, figure.yTitle, u"low"_s, u"high"_s});
        for (const ChartCurve& curve : figure.curves)
            for (const ChartPoint& point : curve.points)
                sheet.lines.push_back(
                    {curve.name, figure.xLabels.value(static_cast<int>(point.x), QString::number(point.x, 'g', 9)),
                     number(point.y.value), number(point.y.low), number(point.y.high)});
        return sheet;
    }

    Sheet operator()(const Plot& plot) const
    {
        Sheet sheet;
        if (!plot.grid.rows.isEmpty()) {
            sheet.lines.push_back(QStringList{QString()} + plot.grid.columns);
            for (qsizetype r = 0; r < plot.grid.rows.size(); ++r) {
                QStringList line{plot.grid.rows[r]};
                for (qsizetype c = 0; c < plot.grid.columns.size(); ++c) {
                    const qsizetype at = r * plot.grid.columns.size() + c;
                    const QString value = number(plot.grid.values[static_cast<std::size_t>(at)]);
                    line << (at < plot.grid.words.size() ? plot.grid.words[at] + u' ' + value : value);
                }
                sheet.lines.push_back(line);
            }
            return sheet;
        }
        const bool named = std::ranges::any_of(plot.series, [](const PlotSeries& series) {
            return std::ranges::any_of(series.points, [](const PlotPoint& point) { return !point.name.isEmpty(); });
        });
        QStringList header{u"line"_s, plot.conditions.isEmpty() ? plot.xTitle : u"condition"_s, plot.title, u"low"_s,
                           u"high"_s};
        if (named)
            header.insert(1, u"name"_s);
        sheet.lines.push_back(header);
        for (const PlotSeries& series : plot.series)
            for (const PlotPoint& point : series.points) {
                QStringList line{
                    series.name,
                    (plot.conditions + plot.xLabels).value(static_cast<int>(point.x), QString::number(point.x, 'g', 9)),
                    number(point.value), number(point.interval ? point.interval->first : kUnknown),
                    number(point.interval ? point.interval->second : kUnknown)};
                if (named)
                    line.insert(1, point.name);
                sheet.lines.push_back(line);
            }
        sheet.words = plot.conditions.isEmpty() && !named ? 1 : 2;
        return sheet;
    }

    Sheet operator()(const BarFigure& figure) const
    {
        Sheet sheet;
        sheet.lines.push_back({u"label"_s, u"bar"_s, figure.xTitle, u"low"_s, u"high"_s});
        for (const BarFigure::Bar& bar : figure.bars)
            for (std::size_t s = 0; s < bar.values.size(); ++s)
                sheet.lines.push_back({bar.label, figure.series.value(static_cast<int>(s)), number(bar.values[s].value),
                                       number(bar.values[s].low), number(bar.values[s].high)});
        sheet.words = 2;
        return sheet;
    }

    Sheet operator()(const EdgeFigure& figure) const
    {
        Sheet sheet;
        sheet.lines.push_back({u"sender"_s, u"receiver"_s, u"change"_s, u"share"_s, u"low"_s, u"high"_s});
        for (const GraphEdge& edge : figure.data.edges)
            sheet.lines.push_back({figure.data.sender(edge), figure.data.receiver(edge), number(edge.change),
                                   number(edge.share), number(edge.low), number(edge.high)});
        sheet.words = 2;
        return sheet;
    }

    Sheet operator()(const HeadMapFigure& figure) const
    {
        Sheet sheet;
        sheet.lines.push_back({u"layer"_s, u"mark"_s, u"head"_s, figure.metric, u"off"_s});
        for (const HeadMapFigure::Line& line : figure.lines)
            for (std::size_t i = 0; i < line.values.size(); ++i)
                sheet.lines.push_back({line.label, i < line.marks.size() ? line.marks[i] : QString(),
                                       QString::number(line.first + static_cast<int>(i) * line.block),
                                       number(static_cast<double>(line.values[i])),
                                       i < line.off.size() && line.off[i] ? u"1"_s : u"0"_s});
        sheet.words = 2;
        return sheet;
    }
};

QString csvCell(const QString& text)
{
    return QString::fromStdString(headscope::csvCell(text.toStdString()));
}

QString latexCell(const QString& text)
{
    QString out = QString::fromStdString(latexText(text.toStdString()));
    for (const auto& [sign, command] :
         {std::pair(u'\u2212', "$-$"), // the true minus of our numbers
          std::pair(u'\u2191', "$\\uparrow$"), std::pair(u'\u2014', "---"), std::pair(u'\u00d7', "$\\times$")})
        out.replace(sign, QLatin1String(command));
    return out;
}

QString markdownCell(QString text)
{
    for (const char* special : {"\\", "|", "*", "`", "_"})
        text.replace(QLatin1String(special), u'\\' + QString::fromLatin1(special));
    return text.replace(u'\n', u' ');
}

QString joined(const QStringList& cells, const QString& between, QString (*escaped)(const QString&))
{
    QStringList out;
    for (const QString& cell : cells)
        out << escaped(cell);
    return out.join(between);
}

QString csv(const Sheet& sheet)
{
    QString out;
    for (const QStringList& line : sheet.lines)
        out += joined(line, u","_s, csvCell) + u"\r\n"_s;
    return out;
}

QString latex(const Sheet& sheet)
{
    const auto columns = sheet.lines.front().size();
    QString out = u"\\begin{tabular}{"_s;
    for (qsizetype i = 0; i < columns; ++i)
        out += i < sheet.words ? u'l' : u'r';
    out += u"}\n\\toprule\n"_s;
    for (std::size_t i = 0; i < sheet.lines.size(); ++i)
        out += joined(sheet.lines[i], u" & "_s, latexCell) + u" \\\\\n"_s + (i == 0 ? u"\\midrule\n"_s : QString());
    return out + u"\\bottomrule\n\\end{tabular}\n"_s;
}

QString markdown(const Sheet& sheet)
{
    const auto row = [](const QStringList& line) {
        return u"| "_s + joined(line, u" | "_s, [](const QString& cell) { return markdownCell(cell); }) + u" |\n"_s;
    };
    QString out = row(sheet.lines.front()) + u"|"_s;
    for (qsizetype i = 0; i < sheet.lines.front().size(); ++i)
        out += i < sheet.words ? u" --- |"_s : u" ---: |"_s;
    out += u'\n';
    for (std::size_t i = 1; i < sheet.lines.size(); ++i)
        out += row(sheet.lines[i]);
    return out;
}

QString heading(const Figure& figure, std::size_t panel)
{
    const FigurePanel& shown = figure.panels[panel];
    QString words = figure.letters ? partLetter(shown.part > 0 ? shown.part - 1 : static_cast<int>(panel)) : QString();
    words += u' ' + figure.parts.value(shown.part - 1);
    if (const auto* map = std::get_if<PatternFigure>(&shown.content))
        words += u' ' + map->data.head + u", "_s + map->data.meaning;
    return (words + u' ' + shown.heading).simplified();
}

QString remarks(const Figure& figure, const QString& prefix, const QString& suffix = {})
{
    QString out;
    QStringList all{figure.title};
    for (const FigurePanel& panel : figure.panels)
        if (const auto* plot = std::get_if<Plot>(&panel.content))
            all << plot->remarks.join(u' ');
    all << figure.provenance;
    for (const QString& words : all)
        if (!words.isEmpty())
            out += prefix + QString(words).replace(u'\n', u' ') + suffix + u'\n';
    return out;
}

} // namespace

std::optional<FigureText> figureTextOf(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == "csv"_L1)
        return FigureText::Csv;
    if (suffix == "tex"_L1)
        return FigureText::Latex;
    if (suffix == "md"_L1)
        return FigureText::Markdown;
    return std::nullopt;
}

Result<QByteArray> figureText(const Figure& figure, FigureText format)
{
    const bool csvWanted = format == FigureText::Csv;
    QStringList blocks;
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const Sheet sheet = csvWanted ? std::visit(SheetMaker{exact}, figure.panels[i].content)
                                      : std::visit(SheetMaker{[](double value) { return numberText(value, 4); }},
                                                   figure.panels[i].content);
        if (!csvWanted && sheet.lines.front().size() > kWidestTable + 1)
            continue;
        const QString name = heading(figure, i);
        const bool named = figure.panels.size() > 1 && !name.isEmpty();
        switch (format) {
        case FigureText::Csv: blocks << (named ? u"# "_s + name + u"\r\n"_s : QString()) + csv(sheet); break;
        case FigureText::Latex: blocks << (named ? u"% "_s + name + u'\n' : QString()) + latex(sheet); break;
        case FigureText::Markdown:
            blocks << (named ? u"**"_s + markdownCell(name) + u"**\n\n"_s : QString()) + markdown(sheet);
            break;
        }
    }
    if (blocks.isEmpty())
        return inputError("The figure has no table that fits a page; expected one with at most "
                          + std::to_string(kWidestTable) + " columns. Write it as CSV.");
    const QString before = csvWanted                     ? remarks(figure, u"# "_s).replace(u"\n"_s, u"\r\n"_s)
                           : format == FigureText::Latex ? remarks(figure, u"% "_s)
                                                         : QString();
    const QString after = format == FigureText::Markdown && !figure.provenance.isEmpty()
                              ? u"\n"_s + remarks({.provenance = figure.provenance}, u"<small>"_s, u"</small>"_s)
                              : QString();
    return (before + blocks.join(csvWanted ? u"\r\n"_s : u"\n"_s) + after).toUtf8();
}

} // namespace headscope::widgets
