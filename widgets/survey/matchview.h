// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Matching heads of two models: A on the left, B on the right, a line from each head to its nearest. GUI
// thread.

#include "core/base/result.h"

#include <QStringList>
#include <QWidget>

#include <vector>

namespace headscope::widgets {

struct HeadPair {
    int a = 0, b = 0; ///< indexes of heads
    double distance = 0;
    bool mutual = false; ///< each is the other's nearest: the thicker the line, the smaller the distance
};

struct HeadPairs {
    QStringList a, b; ///< names of heads, in order of layers
    QString titleA, titleB;
    std::vector<HeadPair> pairs;
};

class MatchView : public QWidget
{
    Q_OBJECT

public:
    explicit MatchView(QWidget* parent = nullptr);

    void setPairs(HeadPairs pairs);
    [[nodiscard]] const HeadPairs& pairs() const { return m_pairs; }
    /// Writes a picture in the colours of a light window: pdf, svg or png.
    [[nodiscard]] Result<void> save(const QString& path, const QString& title) const;

Q_SIGNALS:
    void pairChosen(const QString& a, const QString& b);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    struct Ends;
    [[nodiscard]] Ends endsOf(const HeadPair& pair, const QSizeF& size) const;
    void paint(QPainter& painter, const QSizeF& size, const QPalette& palette) const;
    void paintNames(QPainter& painter, const QSizeF& size, const QPalette& palette) const;

    HeadPairs m_pairs;
};

} // namespace headscope::widgets
