// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figurerenderer.h"

#include "widgets/figures/figurepainter.h"
#include "widgets/figures/figuretext.h"
#include "widgets/figures/fontsubset.h"
#include "widgets/figures/pdfdates.h"
#include "widgets/look/picturefile.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImageWriter>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kUnits = FigurePainter::kUnitsPerMm;

QString metadata(const Figure& figure)
{
    return figure.title.isEmpty()        ? figure.provenance
           : figure.provenance.isEmpty() ? figure.title
                                         : figure.title + u" | "_s + figure.provenance;
}

void paintAll(QPainter& painter, const Figure& figure, const FigureStyle& style, const QSizeF& units)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setRenderHint(QPainter::TextAntialiasing, true);
    if (!style.transparent)
        painter.fillRect(QRectF(QPointF(0, 0), units), themeOf(style.dark ? darkPalette() : lightPalette()).base);
    const FigureFit fit = fitFor(figure, style);
    // On a page of a given height the figure stands in the middle.
    const double spare = style.heightMm > 0 ? units.height() - FigurePainter(nullptr, style, fit).draw(figure) : 0;
    FigurePainter(&painter, style, fit).draw(figure, std::max(0.0, spare / 2));
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

/// The letters of an SVG's texts, each once.
QString lettersOf(const QByteArray& svg)
{
    static const QRegularExpression pattern(u">([^<]*)</text>"_s);
    QString letters;
    const QString text = QString::fromUtf8(svg);
    for (const QRegularExpressionMatch& match : pattern.globalMatch(text)) {
        QString words = match.captured(1);
        words.replace(u"&lt;"_s, u"<"_s)
            .replace(u"&gt;"_s, u">"_s)
            .replace(u"&quot;"_s, u"\""_s)
            .replace(u"&amp;"_s, u"&"_s);
        for (const QChar letter : words)
            if (!letters.contains(letter))
                letters += letter;
    }
    return letters;
}

/// The fonts of the texts, so that they look the same where they are not installed.
void embedFonts(QByteArray& svg, const FigureStyle& style)
{
    const QString letters = lettersOf(svg);
    const QString family = style.fontFamily.isEmpty() ? figureFontFamily() : style.fontFamily;
    QByteArray faces;
    for (const bool bold : {false, true}) {
        QFont font(family);
        font.setBold(bold);
        const QByteArray subset = fontSubset(font, letters);
        if (!subset.isEmpty())
            faces += "@font-face{font-family:'" + family.toUtf8() + "';font-weight:" + (bold ? "bold" : "normal")
                     + ";src:url(data:font/" + (subset.startsWith("OTTO") ? "otf" : "ttf") + ";base64,"
                     + subset.toBase64() + ")}\n";
    }
    const qsizetype at = svg.indexOf("<defs>");
    if (!faces.isEmpty() && at >= 0)
        svg.insert(at + 6, "<style>" + faces + "</style>");
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
    embedFonts(bytes, style);
    return bytes;
}

Result<QByteArray> renderPng(const Figure& figure, const FigureStyle& style, const QSizeF& mm)
{
    const double scale = style.dpi / 25.4;
    const QSize pixels(static_cast<int>(std::lround(mm.width() * scale)),
                       static_cast<int>(std::lround(mm.height() * scale)));
    QImage image(pixels, QImage::Format_ARGB32);
    if (image.isNull())
        return Error{Error::Kind::Memory,
                     "A picture of " + std::to_string(pixels.width()) + " x " + std::to_string(pixels.height())
                         + " pixels does not fit into memory; choose a lower dpi.",
                     {}};
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

bool isEmpty(const FigureContent& content)
{
    return std::visit(
        [](const auto& figure) {
            using Kind = std::decay_t<decltype(figure)>;
            if constexpr (std::is_same_v<Kind, PatternFigure>)
                return figure.data.empty();
            else if constexpr (std::is_same_v<Kind, RowFigure>)
                return figure.profile.values.empty();
            else if constexpr (std::is_same_v<Kind, TableFigure>)
                return figure.header.isEmpty();
            else if constexpr (std::is_same_v<Kind, ChartFigure>)
                return figure.curves.empty();
            else if constexpr (std::is_same_v<Kind, BarFigure>)
                return figure.bars.empty();
            else if constexpr (std::is_same_v<Kind, EdgeFigure>)
                return figure.data.edges.empty();
            else if constexpr (std::is_same_v<Kind, Plot>)
                return figure.series.empty() && figure.grid.rows.isEmpty();
            else
                return figure.lines.empty();
        },
        content);
}

bool hasContent(const Figure& figure)
{
    return !figure.panels.empty()
           && std::none_of(figure.panels.begin(), figure.panels.end(),
                           [](const FigurePanel& panel) { return isEmpty(panel.content); });
}

} // namespace

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

Result<FigureFormat> figureFormatOf(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == "pdf"_L1)
        return FigureFormat::Pdf;
    if (suffix == "svg"_L1)
        return FigureFormat::Svg;
    if (suffix == "png"_L1)
        return FigureFormat::Png;
    return inputError("A figure can be written as .pdf, .svg, .png, .csv, .tex or .md; got '" + path.toStdString()
                      + "'.");
}

QSizeF figureSizeMm(const Figure& figure, const FigureStyle& style)
{
    if (style.heightMm > 0)
        return {style.widthMm, style.heightMm};
    // Whole hundredths, so that all formats agree.
    const double height = std::ceil(FigurePainter(nullptr, style, fitFor(figure, style)).draw(figure));
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
        return inputError("The figure is empty: it has no panel, or a panel without numbers.");
    if (style.heightMm != 0 && !(style.heightMm >= 20 && style.heightMm <= 2000))
        return inputError("A figure is 20 to 2000 mm high, or 0 for as high as it needs to be; got "
                          + std::to_string(style.heightMm) + ".");
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
    Result<QByteArray> bytes = QByteArray();
    if (const auto text = figureTextOf(path)) {
        bytes = figureText(figure, *text);
    } else {
        const Result<FigureFormat> format = figureFormatOf(path);
        if (!format.has_value())
            return format.error();
        bytes = renderFigure(figure, style, *format);
    }
    if (!bytes.has_value())
        return bytes.error();
    return writeBytes(*bytes, path);
}

QImage figurePreview(const Figure& figure, const QSize& pixels)
{
    constexpr double kMostCut = 1.6; // how much higher than the picture a figure is before its lower part is cut
    Figure shown = figure;
    shown.title.clear();
    shown.caption.clear();
    shown.provenance.clear();
    const FigureStyle style{.widthMm = figure.panels.size() > 1 ? 120.0 : 70.0};
    const QSizeF mm = figureSizeMm(shown, style);
    const double wide = pixels.width() / mm.width();
    const QSizeF size = mm * std::min(wide, std::max(wide / kMostCut, pixels.height() / mm.height()));
    QImage image(pixels, QImage::Format_RGB32);
    image.fill(themeOf(lightPalette()).base);
    QPainter painter(&image);
    paintFigure(
        painter, shown, style,
        QRectF(QPointF((pixels.width() - size.width()) / 2, std::max(0.0, (pixels.height() - size.height()) / 2)),
               size));
    return image;
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
