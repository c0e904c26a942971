// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The editor of the prompt's text. GUI thread.

#include "widgets/look/boxes/plainedit.h"

class QCompleter;

namespace headscope::widgets {

/// Keys for the list of earlier prompts do not change the text. Many short lines are shown as running text, with a sign
/// for each line break, so that all of it is visible; both are one character, which keeps positions valid.
class PromptEdit : public PlainEdit
{
    Q_OBJECT

public:
    static constexpr int kLines = 3;         ///< visible lines; a longer prompt scrolls
    static constexpr QChar kLineEnd{0x23CE}; ///< ⏎ represents a line break in running text
    /// Property of an extra selection's format: the colour of the rounded box behind its text.
    static constexpr int kBox = QTextFormat::UserProperty;

    /// `earlier`: the list of earlier prompts; null: none.
    PromptEdit(QCompleter* earlier, QWidget* parent);

    void setWhole(const QString& text);
    [[nodiscard]] QString whole() const;
    /// Whether it says that one can type here: where there is room for that, until one does.
    [[nodiscard]] bool isHintShown() const;

protected:
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    /// A drag always selects, also from within a selection: moving text by accident would change the prompt.
    void mousePressEvent(QMouseEvent* event) override;
    [[nodiscard]] QMimeData* createMimeDataFromSelection() const override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// Returns the text with line breaks in place of the signs.
    [[nodiscard]] QString real(QString text) const;
    void paintBox(QPainter& painter, QTextCursor words, const QRect& area) const;

    QCompleter* m_earlier;
    bool m_runsOn = false;
};

} // namespace headscope::widgets
