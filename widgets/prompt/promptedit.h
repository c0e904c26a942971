// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The text of the prompt as it is written. GUI thread.

#include "widgets/look/boxes/plainedit.h"

class QCompleter;

namespace headscope::widgets {

/// Keys that choose from the list of earlier prompts are not for the text. A text of many short lines runs on, a sign
/// for each line's end, so that all of it is seen; signs and line ends are one character each, so places stay places.
class PromptEdit : public PlainEdit
{
public:
    static constexpr int kLines = 3;         ///< that are seen; a longer prompt scrolls
    static constexpr QChar kLineEnd{0x23CE}; ///< ⏎ shows a line break where lines run on
    /// Of an extra selection's format: the colour of the rounded box behind its words.
    static constexpr int kBox = QTextFormat::UserProperty;

    /// `earlier`: the list of earlier prompts; null: none.
    PromptEdit(QCompleter* earlier, QWidget* parent);

    void setWhole(const QString& text);
    [[nodiscard]] QString whole() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    /// A drag selects, also where something is selected: text that moves by itself would be another prompt.
    void mousePressEvent(QMouseEvent* event) override;
    [[nodiscard]] QMimeData* createMimeDataFromSelection() const override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// With the line ends that the signs stand for.
    [[nodiscard]] QString real(QString text) const;
    void paintBox(QPainter& painter, QTextCursor words, const QRect& area) const;

    QCompleter* m_earlier;
    bool m_runsOn = false;
};

} // namespace headscope::widgets
