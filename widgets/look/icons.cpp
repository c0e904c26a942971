// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/icons.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QResource>
#include <QSvgRenderer>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

class StrokeIcon final : public QIconEngine
{
public:
    explicit StrokeIcon(QByteArray drawing) : m_drawing(std::move(drawing)) {}

    void paint(QPainter* painter, const QRect& box, QIcon::Mode mode, QIcon::State /*state*/) override
    {
        const QPalette palette = QGuiApplication::palette();
        const QColor ink = mode == QIcon::Disabled ? palette.color(QPalette::Disabled, QPalette::ButtonText)
                                                   : palette.color(QPalette::ButtonText);
        QSvgRenderer(QByteArray(m_drawing).replace("currentColor", ink.name().toLatin1())).render(painter, box);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect({}, size), mode, state);
        return picture;
    }
    [[nodiscard]] QIconEngine* clone() const override { return new StrokeIcon(*this); }

private:
    QByteArray m_drawing;
};

} // namespace

QIcon icon(QStringView name)
{
    const QResource drawing(u":/icons/lucide/%1.svg"_s.arg(name));
    if (!drawing.isValid())
        qFatal("no icon %s", qPrintable(drawing.fileName()));
    return QIcon(new StrokeIcon(drawing.uncompressedData()));
}

} // namespace headscope::widgets
