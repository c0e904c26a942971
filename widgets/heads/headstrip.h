// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small maps of many heads: a layer or one head through all layers in a row, or all heads of a model on a page. GUI
// thread.

#include "widgets/heads/headmapmodel.h"

#include <QListView>

class QStandardItemModel;

namespace headscope::widgets {

/// Pictures arrive one by one; until then a head is an empty frame. A click or Enter selects a head to show.
class HeadStrip : public QListView
{
    Q_OBJECT

public:
    static constexpr int kSide = 60; ///< logical pixels of a picture

    explicit HeadStrip(QWidget* parent = nullptr);
    /// Shows new frames without pictures, crossed out for the heads in `off`.
    void setHeads(const QList<HeadSpan>& heads, const QList<HeadSpan>& off);
    void setPicture(const HeadSpan& head, const QImage& picture);
    /// Marks the head shown in the pattern view; emits nothing.
    void setCurrentHead(const HeadSpan& head);
    [[nodiscard]] bool hasPicture(int place) const;
    [[nodiscard]] bool hasAllPictures() const;
    [[nodiscard]] int headCount() const { return static_cast<int>(m_heads.size()); }
    /// Sets the layout: several lines if the height allows it, or a single line whose pictures share the width.
    void setWrapped(bool wrapped);
    /// Sets the layout to lines of `heads` pictures, all as large as they fit; less wide ones only in a narrow view.
    void setAcross(int heads);
    /// Returns the side of a picture in logical pixels.
    [[nodiscard]] int side() const { return m_side; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {kSide, sizeHint().height()}; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

Q_SIGNALS:
    void headChosen(const headscope::widgets::HeadSpan& head);

private:
    void choose(const QModelIndex& index);
    void spread();
    void spreadAll();

    QStandardItemModel* m_items;
    QList<HeadSpan> m_heads;
    int m_across = 0; ///< 0: not a page
    int m_side = kSide;
};

} // namespace headscope::widgets
