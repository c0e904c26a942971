// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/survey/surveyfiles.h"

#include "app/workbench/heads/headcolumns.h"
#include "core/base/csv.h"
#include "core/base/writefile.h"

#include <QAbstractProxyModel>
#include <QTableView>

namespace headscope::gui {

namespace {

bool hasSuffix(const QString& path, QLatin1String suffix)
{
    return path.endsWith(suffix, Qt::CaseInsensitive);
}

} // namespace

Result<void> writeSurveyTable(const widgets::SurveyPage& page, const QString& source, const QString& path)
{
    const widgets::SurveyModel& model = *page.model();
    if (model.rows().empty())
        return inputError("There is no survey to save yet.");
    std::vector<std::string> heads;
    std::vector<app::HeadColumn> columns;
    for (const QString& name : model.metrics())
        columns.push_back({name.toStdString(), {}});
    const auto& shown = *qobject_cast<const QAbstractProxyModel*>(page.table()->model()); // filtered and sorted
    for (int at = 0; at < shown.rowCount(); ++at) {
        const auto row = static_cast<std::size_t>(shown.mapToSource(shown.index(at, 0)).row());
        heads.push_back(model.label(row).toStdString());
        for (std::size_t column = 0; column < columns.size(); ++column)
            columns[column].values.push_back(model.rows()[row].values[column]);
    }
    return writeFile(path.toStdString(), hasSuffix(path, QLatin1String(".tex"))
                                             ? app::headLatex(heads, columns, source.toStdString())
                                             : app::headCsv(heads, columns, source.toStdString()));
}

Result<void> writeSurveyDots(const widgets::SurveyPage& page, const QString& source, const QString& path)
{
    const widgets::Scatter& scatter = page.scatter()->scatter();
    if (scatter.dots.empty())
        return inputError("There are no dots to save yet.");
    if (!hasSuffix(path, QLatin1String(".csv")))
        return page.scatter()->save(path, page.correlation() + QStringLiteral(". ") + source);
    std::vector<std::string> heads;
    std::vector<app::HeadColumn> columns{{scatter.xTitle.toStdString(), {}}, {scatter.yTitle.toStdString(), {}}};
    for (const widgets::ScatterDot& dot : scatter.dots) {
        heads.push_back(dot.head.toStdString());
        columns[0].values.push_back(dot.x);
        columns[1].values.push_back(dot.y);
    }
    return writeFile(path.toStdString(), app::headCsv(heads, columns, source.toStdString()));
}

Result<void> writeSurveyMatches(const widgets::SurveyPage& page, const QString& source, const QString& path)
{
    const widgets::HeadPairs& shown = page.matches()->view()->pairs();
    if (shown.pairs.empty())
        return inputError("There are no similar heads to save yet.");
    if (!hasSuffix(path, QLatin1String(".csv")))
        return page.matches()->view()->save(path, page.matches()->sentence());
    std::string csv = "a,b,distance,mutual\n";
    for (const widgets::HeadPair& pair : shown.pairs)
        csv += csvCell(shown.a[pair.a].toStdString()) + ',' + csvCell(shown.b[pair.b].toStdString()) + ','
               + QByteArray::number(pair.distance, 'g', 17).toStdString() + (pair.mutual ? ",yes\n" : ",no\n");
    return writeFile(path.toStdString(), csv + "# " + csvCell(source.toStdString()) + '\n');
}

} // namespace headscope::gui
