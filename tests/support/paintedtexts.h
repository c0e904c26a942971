// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a figure writes and where: its texts as they are painted, in tenths of a millimetre.

#include "widgets/figures/figurerenderer.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>

#include <utility>
#include <vector>

namespace headscope::testing {

using PaintedTexts = std::vector<std::pair<QString, QRectF>>;

/// Remembers where each piece of text stands.
class TextWatcher : public QPaintEngine
{
public:
    TextWatcher() : QPaintEngine(AllFeatures) {}
    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState& now) override { m_transform = now.transform(); }
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawPath(const QPainterPath&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}
    Type type() const override { return User; }
    void drawTextItem(const QPointF& at, const QTextItem& item) override
    {
        // The letters, without the room above and below them.
        const QRectF box(at.x(), at.y() - 0.7 * item.ascent(), item.width(), 0.7 * item.ascent());
        if (!item.text().trimmed().isEmpty())
            texts.emplace_back(item.text(), m_transform.mapRect(box));
    }
    PaintedTexts texts;

private:
    QTransform m_transform;
};

class WatchedPage : public QPaintDevice
{
public:
    explicit WatchedPage(QSize size) : m_size(size) {}
    QPaintEngine* paintEngine() const override { return &m_engine; }
    [[nodiscard]] const PaintedTexts& texts() const { return m_engine.texts; }

protected:
    int metric(PaintDeviceMetric metric) const override
    {
        switch (metric) {
        case PdmWidth: return m_size.width();
        case PdmHeight: return m_size.height();
        case PdmDevicePixelRatio: return 1;
        case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
        case PdmDepth: return 32;
        case PdmNumColors: return 1 << 24;
        default: return 72;
        }
    }

private:
    QSize m_size;
    mutable TextWatcher m_engine;
};

[[nodiscard]] inline PaintedTexts paintedTexts(const widgets::Figure& figure, const widgets::FigureStyle& style)
{
    const QSizeF size = widgets::figureSizeMm(figure, style) * 10;
    WatchedPage page(size.toSize());
    QPainter painter(&page);
    widgets::paintFigure(painter, figure, style, QRectF(QPointF(), size));
    painter.end();
    return page.texts();
}

[[nodiscard]] inline QStringList textsOf(const widgets::Figure& figure, const widgets::FigureStyle& style)
{
    QStringList texts;
    for (const auto& [text, place] : paintedTexts(figure, style))
        texts << text;
    return texts;
}

/// What stands over another text or leaves the page; empty: nothing does.
[[nodiscard]] inline QString clash(const widgets::Figure& figure, const widgets::FigureStyle& style)
{
    const PaintedTexts texts = paintedTexts(figure, style);
    const QRectF paper = QRectF(QPointF(), widgets::figureSizeMm(figure, style) * 10).adjusted(-1, -1, 1, 1);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!paper.contains(texts[i].second))
            return texts[i].first + QStringLiteral(" leaves the page");
        for (std::size_t k = 0; k < i; ++k) {
            const QRectF both = texts[i].second & texts[k].second;
            if (both.width() > 1 && both.height() > 1)
                return texts[i].first + QStringLiteral(" over ") + texts[k].first;
        }
    }
    return texts.size() > 3 ? QString() : QStringLiteral("there is hardly any text");
}

} // namespace headscope::testing
