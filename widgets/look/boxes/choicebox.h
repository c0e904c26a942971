// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A choice that is as wide as what it shows, never less: what is not chosen takes no room, and what is chosen is not
// cut. GUI thread.

#include <QComboBox>

namespace headscope::widgets {

class ChoiceBox : public QComboBox
{
    Q_OBJECT

public:
    explicit ChoiceBox(QWidget* parent = nullptr);
    /// A choice of more letters is cut, and its tooltip says it whole; 0: none is.
    void setMostLetters(int letters);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    /// For contents of that many pixels.
    [[nodiscard]] QSize sizeFor(int words) const;

    int m_mostLetters = 0;
};

} // namespace headscope::widgets
