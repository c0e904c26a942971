// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/offercard.h"

#include "widgets/look/boxes/card.h"
#include "widgets/look/fitting.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QDir>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace headscope::widgets {

namespace {

constexpr int kSketch = 92; // px of its height
constexpr int kPhoto = 64;  // px of its height
constexpr int kOfferEdge = 12;
constexpr int kOfferLines = 3; // of the sentence
constexpr int kProgressHigh = 6;

QFont titleFont(QFont font)
{
    font.setBold(true);
    return font;
}

} // namespace

OfferCard::OfferCard(Offer offer, QWidget* parent) : QAbstractButton(parent), m_offer(std::move(offer))
{
    setText(m_offer.name);
    setAccessibleDescription(m_offer.detail);
    setToolTip(plainText(m_offer.name + u'\n' + m_offer.detail));
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void OfferCard::setPictureShown(bool shown)
{
    m_pictureShown = shown;
    updateGeometry();
}

int OfferCard::pictureHeight() const
{
    return m_pictureShown && m_offer.picture != OfferPicture::None ? kSketch : 0;
}

int OfferCard::sentenceLines() const
{
    return m_pictureShown ? kOfferLines : kOfferLines - 1;
}

bool OfferCard::isPath() const
{
    return m_offer.detail.contains(QDir::separator());
}

QSize OfferCard::sizeHint() const
{
    const int line = fontMetrics().lineSpacing();
    const int lines = 1 + (isPath() ? 1 : sentenceLines()) + (m_offer.note.isEmpty() ? 0 : 1);
    const int text = lines * line + (m_offer.note.isEmpty() ? 0 : 6);
    return {230, pictureHeight() + std::max(text, m_offer.photo.isNull() ? 0 : kPhoto) + 2 * kOfferEdge};
}

void OfferCard::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    const Theme theme = themeOf(palette());
    paintCard(painter, rect(), palette());
    if (hasFocus() || underMouse()) {
        painter.setPen(QPen(hasFocus() ? palette().color(QPalette::Highlight) : theme.muted, hasFocus() ? 2 : 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 10, 10);
    }
    QRectF box = QRectF(rect()).adjusted(kOfferEdge, kOfferEdge, -kOfferEdge, -kOfferEdge);
    if (const int high = pictureHeight(); high > 0) {
        const QRectF ground(7, 7, width() - 14.0, high);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.raised);
        painter.drawRoundedRect(ground, 7, 7);
        paintOffer(painter, ground.adjusted(10, 9, -10, -9), m_offer.picture, theme);
        box.setTop(ground.bottom() + 10);
    }
    box = paintPhoto(painter, box);
    const double line = fontMetrics().lineSpacing();
    painter.setFont(titleFont(font()));
    painter.setPen(theme.text);
    painter.drawText(QRectF(box.left(), box.top(), box.width(), line), Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(m_offer.name, Qt::ElideRight, box.width()));
    painter.setFont(font());
    painter.setPen(theme.muted);
    box.setTop(box.top() + line);
    // A path tells most at its end.
    const QStringList lines =
        isPath() ? QStringList{fontMetrics().elidedText(m_offer.detail, Qt::ElideMiddle, static_cast<int>(box.width()))}
                 : wrapped(m_offer.detail, font(), box.width(), sentenceLines()).lines;
    for (qsizetype i = 0; i < lines.size(); ++i)
        painter.drawText(QRectF(box.left(), box.top() + static_cast<double>(i) * line, box.width(), line),
                         Qt::AlignVCenter, lines.at(i));
    if (!m_offer.note.isEmpty())
        paintNote(painter, {box.left(), height() - kOfferEdge - line, box.width(), line});
}

QRectF OfferCard::paintPhoto(QPainter& painter, QRectF box) const
{
    if (m_offer.photo.isNull())
        return box;
    const QSizeF size = QSizeF(m_offer.photo.size()).scaled(box.width() / 3, box.height(), Qt::KeepAspectRatio);
    painter.drawPixmap(QRectF(box.topLeft(), size), m_offer.photo, QRectF(m_offer.photo.rect()));
    painter.setPen(themeOf(palette()).line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(box.topLeft(), size));
    box.setLeft(box.left() + size.width() + kOfferEdge);
    return box;
}

void OfferCard::paintNote(QPainter& painter, const QRectF& line) const
{
    const Theme theme = themeOf(palette());
    const double wide = QFontMetricsF(font()).horizontalAdvance(m_offer.note);
    if (m_offer.share >= 1) {
        const QRectF tag(line.left(), line.top() - 2, wide + 16, line.height() + 3);
        painter.setPen(Qt::NoPen);
        painter.setBrush(tagGround(theme, theme.good));
        painter.drawRoundedRect(tag, tag.height() / 2, tag.height() / 2);
        painter.setPen(theme.good);
        painter.drawText(tag, Qt::AlignCenter, m_offer.note);
        return;
    }
    painter.setPen(theme.muted);
    if (m_offer.share < 0) {
        painter.drawText(line, Qt::AlignVCenter, m_offer.note);
        return;
    }
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, m_offer.note);
    QRectF track(line.left(), line.center().y() - kProgressHigh / 2.0, line.width() - wide - 14, kProgressHigh);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(track, kProgressHigh / 2.0, kProgressHigh / 2.0);
    track.setWidth(track.width() * m_offer.share);
    painter.setBrush(theme.sideA);
    painter.drawRoundedRect(track, kProgressHigh / 2.0, kProgressHigh / 2.0);
}

} // namespace headscope::widgets
