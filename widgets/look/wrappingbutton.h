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
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QSize frame() const;
    [[nodiscard]] int longestWord() const;
};

} // namespace headscope::widgets
