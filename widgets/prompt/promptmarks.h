// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The marks in the text of a prompt: its tokens, the roles of its parts, or the probability of each token. GUI
// thread.

#include "widgets/look/theme.h"

#include <QPlainTextEdit>
#include <QString>

#include <optional>
#include <vector>

namespace headscope::widgets {

/// Characters [begin, end) of the prompt with one role.
struct TextSpan {
    Role role = Role::Key;
    int begin = 0;
    int end = 0;
    bool strong = false; ///< the answer, or the query for it
};

/// A token of the prompt, in characters, with a text about it and an optional colour in place of the alternating
/// tints.
struct TokenHeat {
    int begin = 0;
    int end = 0;
    double strength = 0; ///< 0: background colour, 1: strongest colour
    bool lost = false;   ///< underlined: less probable than with all heads on
    QString tip;
};

class PromptMarks
{
public:
    /// Marks the text of `edit`, which must outlive this object.
    explicit PromptMarks(QPlainTextEdit& edit) : m_edit(edit) {}

    /// Sets the parts. Tints alternate by token if `tokenStarts` (ascending, in characters) is not empty.
    void setPieces(std::vector<TextSpan> segments, std::vector<int> tokenStarts);
    [[nodiscard]] const std::vector<TextSpan>& segments() const { return m_segments; }
    /// Off: the answer is coloured like other parts with its role.
    void setAnswersShown(bool on) { m_answersShown = on; }
    [[nodiscard]] bool answersShown() const { return m_answersShown; }
    /// Sets the texts for the tokens and, with `coloured`, their colours in place of all others.
    void setHeat(std::vector<TokenHeat> heat, bool coloured);
    [[nodiscard]] const std::vector<TokenHeat>& heat() const { return m_heat; }
    [[nodiscard]] bool isColoured() const { return m_coloured && !m_heat.empty(); }
    /// Applies the marks, after a change of any of them or of the theme.
    void apply(const Theme& theme);

    /// Returns the character at a point of the text; nothing to the right of a line or below the text.
    [[nodiscard]] std::optional<int> characterAt(const QPoint& at) const;
    /// Returns the text for the token at a point; empty if there is none.
    [[nodiscard]] QString wordsAt(const QPoint& at) const;

private:
    using Selections = QList<QTextEdit::ExtraSelection>;
    [[nodiscard]] QTextEdit::ExtraSelection marked(int begin, int end, const QColor& color) const;
    [[nodiscard]] Selections heatMarks(const Theme& theme) const;
    [[nodiscard]] Selections pieceMarks(const Theme& theme) const;

    QPlainTextEdit& m_edit;
    std::vector<TextSpan> m_segments;
    std::vector<int> m_tokenStarts;
    std::vector<TokenHeat> m_heat;
    bool m_answersShown = true;
    bool m_coloured = false;
};

} // namespace headscope::widgets
