// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A button whose text takes more lines where the column is narrow. GUI thread.

#include <QPushButton>

namespace headscope::widgets {

class WrappingButton : public QPushButton
{
    Q_OBJECT

public:
    explicit WrappingButton(const QString& text, QWidget* parent = nullptr);
    /// As wide as with this text, which it may come to say: what is beside it does not move then.
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
