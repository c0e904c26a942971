// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is marked in the text of a prompt: its tokens, the roles of its pieces, or how likely each token was. GUI
// thread.

#include "widgets/look/theme.h"

#include <QPlainTextEdit>
#include <QString>

#include <optional>
#include <vector>

namespace headscope::widgets {

/// Characters [begin, end) of the prompt that play one role.
struct TextSpan {
    Role role = Role::Key;
    int begin = 0;
    int end = 0;
    bool strong = false; ///< what is asked for, and what asks
};

/// A token of the prompt, in characters: what is said of it, and how it may be coloured in place of the alternating
/// tints.
struct TokenHeat {
    int begin = 0;
    int end = 0;
    double strength = 0; ///< 0: as the page, 1: the strongest
    bool lost = false;   ///< underlined: less likely than with all heads on
    QString tip;
};

class PromptMarks
{
public:
    /// In the text of `edit`, which outlives it.
    explicit PromptMarks(QPlainTextEdit& edit) : m_edit(edit) {}

    /// Tints by turns show where tokens begin when `tokenStarts` (rising, in characters) is not empty.
    void setPieces(std::vector<TextSpan> segments, std::vector<int> tokenStarts);
    [[nodiscard]] const std::vector<TextSpan>& segments() const { return m_segments; }
    /// Off: what is asked for is coloured as all others of its kind.
    void setAnswersShown(bool on) { m_answersShown = on; }
    [[nodiscard]] bool answersShown() const { return m_answersShown; }
    /// What is said of the tokens, and with `coloured` their colours in place of all others.
    void setHeat(std::vector<TokenHeat> heat, bool coloured);
    [[nodiscard]] const std::vector<TokenHeat>& heat() const { return m_heat; }
    [[nodiscard]] bool isColoured() const { return m_coloured && !m_heat.empty(); }
    /// After a change of any of them, or of the theme.
    void apply(const Theme& theme);

    /// The character at a point of the text; nothing: behind a line, or below all.
    [[nodiscard]] std::optional<int> characterAt(const QPoint& at) const;
    /// What is said of the token there; empty: nothing is.
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
