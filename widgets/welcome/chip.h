// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A selectable name as a small tinted pill. GUI thread.

#include <QAbstractButton>

namespace headscope::widgets {

/// The kind of model shown by the colour of a chip.
enum class ChipTint { None, Transformer, Ssm, Hybrid };

class Chip : public QAbstractButton
{
    Q_OBJECT

public:
    Chip(const QString& name, ChipTint tint, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ChipTint m_tint;
};

} // namespace headscope::widgets
