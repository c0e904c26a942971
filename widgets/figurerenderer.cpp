// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figurerenderer.h"

#include "widgets/figurepainter.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImageWriter>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSvgGenerator>

#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kUnits = FigurePainter::kUnitsPerMm;

QString metadata(const Figure& figure)
{
    return figure.title.isEmpty() ? figure.provenance
           : figure.provenance.isEmpty() ? figure.title
                                         : figure.title + u" | "_s + figure.provenance;
}

void paintAll(QPainter& painter, const Figure& figure, const FigureStyle& style, const QSizeF& units)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setRenderHint(QPainter::TextAntialiasing, true);
    if (!style.transparent)
        painter.fillRect(QRectF(QPointF(0, 0), units), themeOf(style.dark ? darkPalette() : lightPalette()).base);
    FigurePainter(&painter, style).draw(figure);
}

/// Replaces digits of the dates by zeros in place, so that all offsets of the file stay right.
void fixPdfDates(QByteArray& pdf)
{
    const QByteArray key("/CreationDate (D:");
    const qsizetype start = pdf.indexOf(key);
    if (start < 0)
        return;
    static constexpr char kDate[] = "20000101000000";
    qsizetype at = start + key.size();
    for (int i = 0; i < 14; ++i, ++at)
        pdf[at] = kDate[i];
    for (; at < pdf.size() && pdf[at] != ')'; ++at) {
        if (pdf[at] >= '0' && pdf[at] <= '9')
            pdf[at] = '0';
        else if (pdf[at] == '-')
            pdf[at] = '+';
    }
}

QByteArray renderPdf(const Figure& figure, const FigureStyle& style, const QSizeF& mm)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setTitle(metadata(figure));
        writer.setCreator(u"Headscope"_s);
        writer.setResolution(static_cast<int>(std::lround(25.4 * kUnits)));
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        writer.setPageSize(QPageSize(mm, QPageSize::Millimeter, QString(), QPageSize::ExactMatch));
        QPainter painter(&writer);
        paintAll(painter, figure, style, mm * kUnits);
    }
    fixPdfDates(bytes);
    return bytes;
}

QByteArray renderSvg(const Figure& figure, const FigureStyle& style, const QSizeF& mm)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setTitle(figure.title);
        generator.setDescription(metadata(figure));
        generator.setResolution(static_cast<int>(std::lround(25.4 * kUnits)));
        generator.setViewBox(QRectF(QPointF(0, 0), mm * kUnits));
        generator.setSize((mm * kUnits).toSize());
        QPainter painter(&generator);
        paintAll(painter, figure, style, mm * kUnits);
    }
    // Readers smooth enlarged images unless told otherwise.
    bytes.replace("<image ", "<image style=\"image-rendering:pixelated\" ");
    return bytes;
}

Result<QByteArray> renderPng(const Figure& figure, const FigureStyle& style, const QSizeF& mm)
{
    const double scale = style.dpi / 25.4;
    const QSize pixels(static_cast<int>(std::lround(mm.width() * scale)), static_cast<int>(std::lround(mm.height() * scale)));
    QImage image(pixels, QImage::Format_ARGB32);
    if (image.isNull())
        return Error{Error::Kind::Memory, "A picture of " + std::to_string(pixels.width()) + " x " +
                     std::to_string(pixels.height()) + " pixels does not fit into memory; choose a lower dpi.", {}};
    image.fill(Qt::transparent);
    image.setDotsPerMeterX(static_cast<int>(std::lround(scale * 1000)));
    image.setDotsPerMeterY(static_cast<int>(std::lround(scale * 1000)));
    {
        QPainter painter(&image);
        painter.scale(scale / kUnits, scale / kUnits);
        paintAll(painter, figure, style, mm * kUnits);
    }
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QImageWriter writer(&buffer, "png");
    writer.setText(u"Title"_s, figure.title);
    writer.setText(u"Description"_s, metadata(figure));
    writer.setText(u"Software"_s, u"Headscope"_s);
    if (!writer.write(image))
        return ioError("The picture could not be written as PNG: " + writer.errorString().toStdString() + ".");
    return bytes;
}

bool hasContent(const Figure& figure)
{
    if (const auto* pattern = std::get_if<PatternFigure>(&figure.content))
        return !pattern->panels.empty()
            && std::none_of(pattern->panels.begin(), pattern->panels.end(), [](const PatternData& d) { return d.empty(); });
    if (const auto* rows = std::get_if<RowFigure>(&figure.content))
        return !rows->panels.empty();
    return !std::get<TableFigure>(figure.content).header.isEmpty();
}

} // namespace

Result<FigureFormat> figureFormatOf(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == "pdf"_L1)
        return FigureFormat::Pdf;
    if (suffix == "svg"_L1)
        return FigureFormat::Svg;
    if (suffix == "png"_L1)
        return FigureFormat::Png;
    return inputError("A figure can be written as .pdf, .svg or .png; got '" + path.toStdString() + "'.");
}

QSizeF figureSizeMm(const Figure& figure, const FigureStyle& style)
{
    // Whole hundredths, so that all formats agree.
    const double height = std::ceil(FigurePainter(nullptr, style).draw(figure));
    return {style.widthMm, height / kUnits};
}

Result<QByteArray> renderFigure(const Figure& figure, const FigureStyle& style, FigureFormat format)
{
    if (!(style.widthMm >= 30 && style.widthMm <= 2000))
        return inputError("A figure is 30 to 2000 mm wide; got " + std::to_string(style.widthMm) + ".");
    if (style.dpi < 30 || style.dpi > 2400)
        return inputError("A picture has 30 to 2400 dots per inch; got " + std::to_string(style.dpi) + ".");
    if (!(style.fontPt >= 2 && style.fontPt <= 96))
        return inputError("Labels are 2 to 96 points high; got " + std::to_string(style.fontPt) + ".");
    if (!hasContent(figure))
        return inputError("The figure is empty: no map, row or table was given.");
    const QSizeF mm = figureSizeMm(figure, style);
    switch (format) {
    case FigureFormat::Pdf: return renderPdf(figure, style, mm);
    case FigureFormat::Svg: return renderSvg(figure, style, mm);
    case FigureFormat::Png: return renderPng(figure, style, mm);
    }
    return inputError("Unknown figure format.");
}

Result<void> writeFigure(const Figure& figure, const FigureStyle& style, const QString& path)
{
    const Result<FigureFormat> format = figureFormatOf(path);
    if (!format.has_value())
        return format.error();
    const Result<QByteArray> bytes = renderFigure(figure, style, *format);
    if (!bytes.has_value())
        return bytes.error();
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(*bytes) != bytes->size() || !file.commit())
        return ioError("The figure could not be written to '" + path.toStdString() + "': " + file.errorString().toStdString() + ".");
    return {};
}

void paintFigure(QPainter& painter, const Figure& figure, const FigureStyle& style, const QRectF& target)
{
    const QSizeF units = figureSizeMm(figure, style) * kUnits;
    const double scale = std::min(target.width() / units.width(), target.height() / units.height());
    painter.save();
    painter.translate(target.topLeft());
    painter.scale(scale, scale);
    paintAll(painter, figure, style, units);
    painter.restore();
}

} // namespace headscope::widgets
