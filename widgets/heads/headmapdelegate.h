// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Paints the cells and layer labels of a head map. GUI thread.

#include <QHeaderView>
#include <QStyledItemDelegate>

namespace headscope::widgets {

/// Paints colour, ring G or A, red X of an ablated head, selection and focus frames, as far as the cell size allows.
class HeadMapDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Makes room for the name of a head, which is wider than its cell.
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
};

/// Labels of layers (left) or heads (top); skips labels if cells are small, with a coloured edge for the kind of
/// layer.
class HeadMapHeader : public QHeaderView
{
    Q_OBJECT
public:
    HeadMapHeader(Qt::Orientation orientation, QWidget* parent);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintLabel(QPainter& painter, const QRect& rect, int section) const;
};

} // namespace headscope::widgets
