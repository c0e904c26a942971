// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/scores/experimenttable.h"

#include "app/present/text.h"
#include "core/experiments/words/language.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace headscope::gui {

namespace {

using experiments::Cell;
using experiments::Column;
using experiments::Row;
using experiments::Unit;

struct ExperimentTexts {
    Q_DECLARE_TR_FUNCTIONS(ExperimentTexts)
};

/// Whether a column says something: a word that stands in every row does not.
bool filled(const experiments::Table& table, std::size_t column)
{
    const Column& declared = table.columns[column];
    if (declared.unit == Unit::Text && table.rows.size() > 1 && table.distinct(declared.key).size() == 1)
        return false;
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [&](const Row& row) { return row.cells[column].value || !row.cells[column].text.empty(); });
}

QString numberOf(double value, Unit unit)
{
    return unit == Unit::Share ? widgets::numberText(value) : text(experiments::shown(value, unit));
}

QString scoreOf(const Cell& cell, Unit unit)
{
    if (unit == Unit::Text)
        return text(experiments::translatedName(cell.text));
    if (!cell.value)
        return QString();
    QString shown = numberOf(*cell.value, unit);
    if (cell.interval)
        shown +=
            QStringLiteral(" [%1, %2]").arg(numberOf(cell.interval->low, unit), numberOf(cell.interval->high, unit));
    return shown;
}

QString changeOf(const Cell& cell, const std::optional<double>& p)
{
    if (!cell.contrast || !p)
        return QString();
    return QStringLiteral("%1, p %2 %3")
        .arg(widgets::signedText(cell.contrast->difference), *p < 0.001 ? QStringLiteral("<") : QStringLiteral("="),
             *p < 0.001 ? QStringLiteral("0.001") : widgets::pText(*p));
}

/// "n = 256" where all cells of a column agree.
QString examplesOf(const experiments::Table& table, std::size_t column)
{
    std::set<int> counts;
    for (const Row& row : table.rows)
        if (row.cells[column].n > 0)
            counts.insert(row.cells[column].n);
    return counts.size() == 1 ? ExperimentTexts::tr(" (n = %1)").arg(*counts.begin()) : QString();
}

bool contrasted(const experiments::Table& table, std::size_t column)
{
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [&](const Row& row) { return row.cells[column].contrast.has_value(); });
}

/// Whether the change beside a score says it already, with a corrected p.
bool repeated(const experiments::Table& table, std::size_t column)
{
    const Column& declared = table.columns[column];
    if (declared.unit != Unit::Change && declared.key != "p")
        return false;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (contrasted(table, c))
            return true;
    return false;
}

} // namespace

ExperimentTable experimentTable(const experiments::Report& report)
{
    const experiments::Table& table = report.table;
    const auto corrected = experiments::correctedP(table);
    ExperimentTable shown;
    shown.rows.resize(table.rows.size());
    const auto add = [&](const QString& title, const auto& textOf) {
        shown.titles.append(title);
        for (std::size_t r = 0; r < table.rows.size(); ++r)
            shown.rows[r].append(textOf(r));
    };
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (!filled(table, c) || repeated(table, c))
            continue;
        const QString title = text(experiments::heading(table, c));
        const QString count = examplesOf(table, c);
        add(title + count, [&](std::size_t r) {
            const Cell& cell = table.rows[r].cells[c];
            const QString score = scoreOf(cell, table.columns[c].unit);
            return count.isEmpty() && cell.n > 0 ? ExperimentTexts::tr("%1, n = %2").arg(score).arg(cell.n) : score;
        });
        if (contrasted(table, c))
            add(ExperimentTexts::tr("change"),
                [&](std::size_t r) { return changeOf(table.rows[r].cells[c], corrected[r][c]); });
    }
    for (const Column& column : table.columns) {
        const auto paper = [&](std::size_t r) {
            const int index = table.rows[r].paper;
            return index < 0 ? std::nullopt
                             : report.experiment->paper[static_cast<std::size_t>(index)].find(column.key);
        };
        bool any = false;
        for (std::size_t r = 0; r < table.rows.size(); ++r)
            any = any || paper(r).has_value();
        if (any)
            add(ExperimentTexts::tr("paper: %1").arg(text(experiments::translated(column.title))), [&](std::size_t r) {
                const auto value = paper(r);
                return value ? numberOf(*value, column.unit) : QString();
            });
    }
    return shown;
}

} // namespace headscope::gui
