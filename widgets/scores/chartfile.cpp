// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/chartfile.h"

#include "core/base/csv.h"
#include "widgets/look/picturefile.h"
#include "widgets/scores/themedchart.h"

#include <QFileInfo>
#include <QPainter>

#include <map>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

QString quoted(const QString& text)
{
    return QString::fromStdString(csvCell(text.toStdString(), true));
}

QByteArray picture(ThemedChart& chart, const QString& suffix)
{
    const auto paint = [&chart](QPainter& painter, const QSizeF& size) {
        chart.scene()->render(&painter, QRectF(QPointF(0, 0), size), chart.sceneRect(), Qt::KeepAspectRatio);
    };
    return pictureBytes({chart.size(), chart.chartTitle(), chart.backgroundBrush().color(), paint}, suffix);
}

} // namespace

QString chartCsv(const ThemedChart& chart)
{
    std::map<double, QStringList> rows;
    const auto columns = static_cast<qsizetype>(chart.lines().size());
    QStringList header{u"x"_s};
    for (qsizetype i = 0; i < columns; ++i) {
        const ChartLine& line = chart.lines()[static_cast<std::size_t>(i)];
        header << quoted(line.name);
        for (const QPointF& point : line.points) {
            QStringList& row = rows[point.x()];
            row.resize(columns);
            row[i] = QString::number(point.y(), 'g', 10);
        }
    }
    QStringList lines{header.join(u',')};
    for (const auto& [x, row] : rows)
        lines << QString::number(x, 'g', 10) + u',' + row.join(u',');
    return lines.join(u'\n') + u'\n';
}

Result<void> writeChart(ThemedChart& chart, const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (!QStringList{u"svg"_s, u"pdf"_s, u"png"_s, u"csv"_s}.contains(suffix))
        return inputError("A chart can be written as .pdf, .svg, .png or .csv; got '" + path.toStdString() + "'.");
    const QByteArray bytes = suffix == "csv"_L1 ? chartCsv(chart).toUtf8() : picture(chart, suffix);
    return writeBytes(bytes, path);
}

} // namespace headscope::widgets
