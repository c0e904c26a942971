// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/documents/studypdf.h"

#include "widgets/figures/figurepainter.h"
#include "widgets/figures/figurerenderer.h"
#include "widgets/figures/pdfdates.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>
#include <QUrl>
#include <QVariant>

#include <algorithm>

namespace headscope::figures {

using namespace Qt::StringLiterals;

namespace {

constexpr int kDotsPerInch = 600;
constexpr double kDotsPerMm = kDotsPerInch / 25.4;
constexpr double kMarginMm = 17.5; // leaves 175 mm of A4
constexpr double kFooterMm = 8;
constexpr double kTextPt = 9, kTablePt = 7;
constexpr double kBelowTable = 10; // 1/96 inch
constexpr double kPixels =
    96.0 / kDotsPerInch; // pictures and tables are given in 1/96 inch, whatever they are painted on

/// Where a figure stands in the laid-out document.
struct Place {
    const StudyPicture* picture;
    int position; ///< in the text
    QSizeF size;  ///< in dots
};

/// Keeps room for each figure: a picture of nothing that is as large.
std::vector<Place> placeFigures(QTextDocument& document, const std::vector<StudyPicture>& pictures, const QSizeF& page)
{
    QImage nothing(1, 1, QImage::Format_ARGB32);
    nothing.fill(Qt::transparent);
    std::vector<Place> places;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextCharFormat format = it.fragment().charFormat();
            if (!format.isImageFormat())
                continue;
            const QString name = format.toImageFormat().name();
            const auto picture = std::find_if(pictures.begin(), pictures.end(), [&](const StudyPicture& one) {
                return QString::fromStdString(one.name) == name;
            });
            if (picture == pictures.end())
                continue;
            const QSizeF mm = widgets::figureSizeMm(picture->figure, picture->style);
            QSizeF size = mm * kDotsPerMm;
            if (size.width() > page.width() || size.height() > page.height() * 0.9)
                size.scale(QSizeF(page.width(), page.height() * 0.9), Qt::KeepAspectRatio);
            document.addResource(QTextDocument::ImageResource, QUrl(name), nothing);
            places.push_back({&*picture, it.fragment().position(), size});
        }
    for (const Place& place : places) {
        QTextImageFormat format;
        format.setName(QString::fromStdString(place.picture->name));
        format.setWidth(place.size.width() * kPixels);
        format.setHeight(place.size.height() * kPixels);
        QTextCursor cursor(&document);
        cursor.setPosition(place.position);
        cursor.setPosition(place.position + 1, QTextCursor::KeepAnchor);
        cursor.setCharFormat(format);
    }
    return places;
}

void breakBeforePages(QTextDocument& document)
{
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        if (block.blockFormat().headingLevel() == 2) {
            QTextBlockFormat format;
            format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
            QTextCursor(block).mergeBlockFormat(format);
        }
}

void styleTables(QTextDocument& document)
{
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table)
            continue;
        QTextTableFormat format = table->format();
        format.setBorder(0.5);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderBrush(QColor(0xb0, 0xb0, 0xb0));
        format.setBorderCollapse(true);
        format.setCellPadding(2.5);
        format.setCellSpacing(0);
        format.setHeaderRowCount(1);
        format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
        table->setFormat(format);
        // What follows keeps away from it by its own margin: one of the table's that falls on the next page repeats
        // the heading there, under the text.
        if (const QTextBlock next = document.findBlock(table->lastPosition() + 1); next.isValid()) {
            QTextBlockFormat below;
            below.setTopMargin(std::max(next.blockFormat().topMargin(), kBelowTable));
            QTextCursor(next).mergeBlockFormat(below);
        }
        QTextCursor cells = table->firstCursorPosition();
        cells.setPosition(table->lastCursorPosition().position(), QTextCursor::KeepAnchor);
        QTextCharFormat letters;
        letters.setFontPointSize(kTablePt);
        cells.mergeCharFormat(letters);
    }
}

void paintPages(QPdfWriter& writer, QTextDocument& document, const std::vector<Place>& places)
{
    QPainter painter(&writer);
    const QSizeF page = document.pageSize();
    const int pages = document.pageCount();
    for (int number = 0; number < pages; ++number) {
        if (number > 0)
            writer.newPage();
        painter.save();
        painter.translate(0, -number * page.height());
        QAbstractTextDocumentLayout::PaintContext context;
        context.clip = QRectF(QPointF(0, number * page.height()), page);
        context.palette.setColor(QPalette::Text, Qt::black);
        painter.setClipRect(context.clip);
        document.documentLayout()->draw(&painter, context);
        for (const Place& place : places) {
            const QTextBlock block = document.findBlock(place.position);
            const QTextLine line = block.layout()->lineForTextPosition(place.position - block.position());
            const QPointF at = block.layout()->position() + line.position();
            const QRectF target(at, place.size);
            if (context.clip.contains(target.center()))
                widgets::paintFigure(painter, place.picture->figure, place.picture->style, target);
        }
        painter.restore();
        painter.setFont(QFont(widgets::figureFontFamily(), static_cast<int>(kTablePt)));
        painter.drawText(QRectF(0, page.height(), page.width(), kFooterMm * kDotsPerMm),
                         Qt::AlignRight | Qt::AlignBottom, u"%1 / %2"_s.arg(number + 1).arg(pages));
    }
}

} // namespace

QByteArray studyPdf(const std::string& markdown, const std::vector<StudyPicture>& pictures)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setCreator(u"Headscope"_s);
        writer.setResolution(kDotsPerInch);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF(kMarginMm, kMarginMm, kMarginMm, kMarginMm), QPageLayout::Millimeter);
        const QSizeF paper = writer.pageLayout().paintRectPixels(kDotsPerInch).size();
        const QSizeF page(paper.width(), paper.height() - kFooterMm * kDotsPerMm);
        QTextDocument document;
        document.setUndoRedoEnabled(false);
        document.setDefaultFont(QFont(widgets::figureFontFamily(), static_cast<int>(kTextPt)));
        document.setDocumentMargin(0);
        document.setMarkdown(QString::fromStdString(markdown));
        writer.setTitle(document.begin().text());
        QTextCursor edit(&document);
        edit.beginEditBlock(); // laid out once, not with each change
        breakBeforePages(document);
        styleTables(document);
        const std::vector<Place> places = placeFigures(document, pictures, page);
        edit.endEditBlock();
        document.documentLayout()->setPaintDevice(&writer);
        document.setPageSize(page);
        paintPages(writer, document, places);
    }
    widgets::fixPdfDates(bytes);
    return bytes;
}

} // namespace headscope::figures
