// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/numberfiles.h"

#include "app/workbench/heads/headcolumns.h"
#include "core/base/csv.h"
#include "core/base/matrix.h"
#include "core/base/printable.h"
#include "core/base/words/latex.h"
#include "core/base/writefile.h"
#include "core/io/numpy/npywriter.h"

#include <QFileInfo>

#include <cmath>

namespace headscope::gui {

using widgets::Numbers;

namespace {

bool isNumber(const QVariant& entry)
{
    return entry.typeId() == QMetaType::Double;
}

std::string csvOf(const Numbers& numbers)
{
    std::vector<std::string> cells;
    for (const QString& column : numbers.columns)
        cells.push_back(column.toStdString());
    std::string csv = csvLine(cells);
    for (const QVariantList& row : numbers.rows) {
        cells.clear();
        for (const QVariant& entry : row)
            cells.push_back(!isNumber(entry)               ? entry.toString().toStdString()
                            : std::isnan(entry.toDouble()) ? std::string()
                                                           : QString::number(entry.toDouble(), 'g', 9).toStdString());
        csv += csvLine(cells);
    }
    return numbers.of.isEmpty() ? csv : csv + "# " + csvCell(numbers.of.toStdString()) + '\n';
}

std::string latexOf(const Numbers& numbers)
{
    std::string tex =
        numbers.of.isEmpty() ? std::string() : "% " + printable(numbers.of.toStdString(), Newlines::Escape) + '\n';
    tex += "\\begin{tabular}{l" + std::string(static_cast<std::size_t>(numbers.columns.size() - 1), 'r')
           + "}\n\\toprule\n";
    const auto line = [&tex](const auto& entries, const auto& cell) {
        for (qsizetype i = 0; i < entries.size(); ++i)
            tex += (i == 0 ? "" : " & ") + cell(entries.at(i));
        tex += " \\\\\n";
    };
    line(numbers.columns, [](const QString& column) { return latexText(column.toStdString()); });
    tex += "\\midrule\n";
    for (const QVariantList& row : numbers.rows)
        line(row, [](const QVariant& entry) {
            return !isNumber(entry)               ? latexText(entry.toString().toStdString())
                   : std::isnan(entry.toDouble()) ? std::string("--")
                                                  : app::latexNumber(entry.toDouble());
        });
    return tex + "\\bottomrule\n\\end{tabular}\n";
}

Result<std::string> npzOf(const Numbers& numbers)
{
    std::vector<int> columns; // that hold numbers
    for (int column = 0; column < static_cast<int>(numbers.columns.size()); ++column)
        if (!numbers.rows.empty() && isNumber(numbers.rows.front().at(column)))
            columns.push_back(column);
    Matrix values(static_cast<int>(numbers.rows.size()), static_cast<int>(columns.size()));
    for (int row = 0; row < values.rows; ++row)
        for (int at = 0; at < values.cols; ++at)
            values.at(row, at) = static_cast<float>(
                numbers.rows[static_cast<std::size_t>(row)].at(columns[static_cast<std::size_t>(at)]).toDouble());
    const io::NamedMatrix named[] = {{"values", &values}};
    return io::npzBytes(named);
}

} // namespace

Result<void> writeNumbers(const Numbers& numbers, const QString& path)
{
    if (numbers.rows.empty())
        return inputError("There are no numbers to save yet.");
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == QLatin1String("csv"))
        return writeFile(path.toStdString(), csvOf(numbers));
    if (suffix == QLatin1String("tex"))
        return writeFile(path.toStdString(), latexOf(numbers));
    if (suffix != QLatin1String("npz"))
        return inputError("Numbers can be written as .csv, .npz or .tex; got '" + path.toStdString() + "'.");
    const auto bytes = npzOf(numbers);
    return bytes.has_value() ? writeFile(path.toStdString(), *bytes) : Result<void>(bytes.error());
}

} // namespace headscope::gui
