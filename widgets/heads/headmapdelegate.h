// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How one head and one layer label are painted. GUI thread.

#include <QHeaderView>
#include <QStyledItemDelegate>

namespace headscope::widgets {

/// Colour, ring G or A, red X of a head that is off, selection and focus frames: whatever fits the size of the cell.
class HeadMapDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// The name of a head is longer than its cell.
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
};

/// Labels of layers (left) or heads (top) that skip when the cells are small, with a coloured edge for the kind of
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
