// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A combo box exactly as wide as its current entry: longer entries take no room, and the current one is never cut. GUI
// thread.

#include <QComboBox>

namespace headscope::widgets {

class ChoiceBox : public QComboBox
{
    Q_OBJECT

public:
    explicit ChoiceBox(QWidget* parent = nullptr);
    /// Shortens entries with more letters, which their tooltip shows in full; 0: no limit.
    void setMostLetters(int letters);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    /// Returns the size for contents of this width in pixels.
    [[nodiscard]] QSize sizeFor(int words) const;

    int m_mostLetters = 0;
};

} // namespace headscope::widgets
