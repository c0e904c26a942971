// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A card for something to start or continue: picture, name, sentence, progress. GUI thread.

#include "widgets/welcome/offerpicture.h"

#include <QAbstractButton>
#include <QPixmap>

namespace headscope::widgets {

struct Offer {
    QString id;
    QString name;
    QString detail; ///< a sentence, or a path
    OfferPicture picture = OfferPicture::None;
    QString note;      ///< "3 of 5 right", "5 min"; may be empty
    double share = -1; ///< progress, 0 to 1; below 0: not started
    QPixmap photo;     ///< beside the name; may be null
};

class OfferCard : public QAbstractButton
{
    Q_OBJECT

public:
    explicit OfferCard(Offer offer, QWidget* parent = nullptr);
    [[nodiscard]] const Offer& offer() const { return m_offer; }
    /// Shows or hides the sketch; without it the card is lower.
    void setPictureShown(bool shown);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {160, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] int pictureHeight() const;
    /// Paints it at the left end of the box and returns the remaining box.
    [[nodiscard]] QRectF paintPhoto(QPainter& painter, QRectF box) const;
    [[nodiscard]] int sentenceLines() const;
    [[nodiscard]] bool isPath() const;
    void paintNote(QPainter& painter, const QRectF& line) const;

    Offer m_offer;
    bool m_pictureShown = true;
};

} // namespace headscope::widgets
