// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/picturefile.h"

#include "core/base/writefile.h"

#include <QBuffer>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

void paintOn(QPaintDevice& device, const Picture& picture, const QSizeF& size)
{
    QPainter painter(&device);
    painter.setRenderHint(QPainter::Antialiasing);
    picture.paint(painter, size);
}

} // namespace

QByteArray pictureBytes(const Picture& picture, const QString& suffix)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (suffix == "svg"_L1) {
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setSize(picture.size);
        svg.setViewBox(QRect(QPoint(0, 0), picture.size));
        svg.setTitle(picture.title);
        paintOn(svg, picture, picture.size);
    } else if (suffix == "pdf"_L1) {
        QPdfWriter pdf(&buffer);
        pdf.setTitle(picture.title);
        pdf.setPageSize(QPageSize(QSizeF(picture.size) * 72 / 96, QPageSize::Point));
        pdf.setPageMargins({});
        paintOn(pdf, picture, QSizeF(pdf.width(), pdf.height()));
    } else {
        QImage image(picture.size * 2, QImage::Format_ARGB32);
        image.fill(picture.background);
        paintOn(image, picture, image.size());
        image.save(&buffer, "PNG");
    }
    return bytes;
}

Result<void> writeBytes(const QByteArray& bytes, const QString& path)
{
    return writeFile(path.toStdString(), std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

} // namespace headscope::widgets
