// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A button whose text wraps to several lines in a narrow column. GUI thread.

#include <QPushButton>

namespace headscope::widgets {

class WrappingButton : public QPushButton
{
    Q_OBJECT

public:
    explicit WrappingButton(const QString& text, QWidget* parent = nullptr);
    /// Reserves the width of a text that it may show later, so that neighbours do not move then.
    void keepRoomFor(const QString& text) { m_widest = text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QSize frame() const;
    [[nodiscard]] int longestWord() const;

    QString m_widest;
};

} // namespace headscope::widgets
