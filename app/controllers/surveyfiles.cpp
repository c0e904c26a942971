// SPDX-License-Identifier: GPL-3.0-or-later
// The part of SurveyController that writes what is shown into files.
#include "app/controllers/surveycontroller.h"

#include "app/present/text.h"
#include "app/workbench/headcolumns.h"
#include "core/base/csv.h"
#include "core/io/writefile.h"

#include <QFileDialog>

namespace headscope::gui {

namespace {

bool hasSuffix(const QString& path, QLatin1String suffix)
{
    return path.endsWith(suffix, Qt::CaseInsensitive);
}

} // namespace

Result<void> SurveyController::writeTable(const QString& path) const
{
    const widgets::SurveyModel& model = *m_page.model();
    if (model.rows().empty())
        return inputError("There is no survey to save yet.");
    std::vector<std::string> heads;
    std::vector<app::HeadColumn> columns;
    for (const QString& name : model.metrics())
        columns.push_back({name.toStdString(), {}});
    for (std::size_t i = 0; i < model.rows().size(); ++i) {
        heads.push_back(model.label(i).toStdString());
        for (std::size_t column = 0; column < columns.size(); ++column)
            columns[column].values.push_back(model.rows()[i].values[column]);
    }
    const std::string source = provenance().toStdString();
    return io::writeFile(path.toStdString(), hasSuffix(path, QLatin1String(".tex"))
                                                 ? app::headLatex(heads, columns, source)
                                                 : app::headCsv(heads, columns, source));
}

Result<void> SurveyController::writeDots(const QString& path) const
{
    const widgets::Scatter& scatter = m_page.scatter()->scatter();
    if (scatter.dots.empty())
        return inputError("There are no dots to save yet.");
    if (!hasSuffix(path, QLatin1String(".csv")))
        return m_page.scatter()->save(path, m_page.correlation() + QStringLiteral(". ") + provenance());
    std::vector<std::string> heads;
    std::vector<app::HeadColumn> columns{{scatter.xTitle.toStdString(), {}}, {scatter.yTitle.toStdString(), {}}};
    for (const widgets::ScatterDot& dot : scatter.dots) {
        heads.push_back(dot.head.toStdString());
        columns[0].values.push_back(dot.x);
        columns[1].values.push_back(dot.y);
    }
    return io::writeFile(path.toStdString(), app::headCsv(heads, columns, provenance().toStdString()));
}

Result<void> SurveyController::writeMatches(const QString& path) const
{
    const widgets::HeadPairs& shown = m_page.matches()->view()->pairs();
    if (shown.pairs.empty())
        return inputError("There are no similar heads to save yet.");
    if (!hasSuffix(path, QLatin1String(".csv")))
        return m_page.matches()->view()->save(path, m_page.matches()->sentence());
    std::string csv = "a,b,distance,mutual\n";
    for (const widgets::HeadPair& pair : shown.pairs)
        csv += csvCell(shown.a[pair.a].toStdString()) + ',' + csvCell(shown.b[pair.b].toStdString()) + ','
               + QByteArray::number(pair.distance, 'g', 17).toStdString() + (pair.mutual ? ",yes\n" : ",no\n");
    return io::writeFile(path.toStdString(), csv + "# " + csvCell(provenance().toStdString()) + '\n');
}

void SurveyController::save(const QString& title, const QString& name, const QString& kinds,
                            Result<void> (SurveyController::*write)(const QString&) const)
{
    const QString path = QFileDialog::getSaveFileName(m_page.window(), title, name, kinds);
    if (path.isEmpty())
        return;
    if (const auto written = (this->*write)(path); !written.has_value())
        m_state.tellError(written.error());
}

} // namespace headscope::gui
