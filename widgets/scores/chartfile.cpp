// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/chartfile.h"

#include "core/base/csv.h"
#include "widgets/scores/themedchart.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <map>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

QString quoted(const QString& text)
{
    return QString::fromStdString(csvCell(text.toStdString(), true));
}

void paintChart(ThemedChart& chart, QPaintDevice& device, const QSizeF& size)
{
    QPainter painter(&device);
    painter.setRenderHint(QPainter::Antialiasing);
    chart.scene()->render(&painter, QRectF(QPointF(0, 0), size), chart.sceneRect(), Qt::KeepAspectRatio);
}

QByteArray picture(ThemedChart& chart, const QString& suffix)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QSize size = chart.size();
    if (suffix == "svg"_L1) {
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setSize(size);
        svg.setViewBox(QRect(QPoint(0, 0), size));
        svg.setTitle(chart.chartTitle());
        paintChart(chart, svg, size);
    } else if (suffix == "pdf"_L1) {
        QPdfWriter pdf(&buffer);
        pdf.setTitle(chart.chartTitle());
        pdf.setPageSize(QPageSize(QSizeF(size) * 72 / 96, QPageSize::Point));
        pdf.setPageMargins({});
        paintChart(chart, pdf, QSizeF(pdf.width(), pdf.height()));
    } else {
        QImage image(size * 2, QImage::Format_ARGB32);
        image.fill(chart.backgroundBrush().color());
        paintChart(chart, image, image.size());
        image.save(&buffer, "PNG");
    }
    return bytes;
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
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return ioError("The chart could not be written to '" + path.toStdString()
                       + "': " + file.errorString().toStdString() + ".");
    return {};
}

} // namespace headscope::widgets
