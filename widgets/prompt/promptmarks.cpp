// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/prompt/promptmarks.h"

#include "widgets/prompt/promptedit.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace headscope::widgets {

void PromptMarks::setPieces(std::vector<TextSpan> segments, std::vector<int> tokenStarts)
{
    m_segments = std::move(segments);
    m_tokenStarts = std::move(tokenStarts);
}

void PromptMarks::setHeat(std::vector<TokenHeat> heat, bool coloured)
{
    m_heat = std::move(heat);
    m_coloured = coloured;
}

void PromptMarks::apply(const Theme& theme)
{
    m_edit.setExtraSelections(isColoured() ? heatMarks(theme) : pieceMarks(theme));
}

QTextEdit::ExtraSelection PromptMarks::marked(int begin, int end, const QColor& color) const
{
    const int length = m_edit.document()->characterCount() - 1; // without the end of the last paragraph
    QTextEdit::ExtraSelection piece;
    piece.cursor = QTextCursor(m_edit.document());
    piece.cursor.setPosition(std::clamp(begin, 0, length));
    piece.cursor.setPosition(std::clamp(end, 0, length), QTextCursor::KeepAnchor);
    piece.format.setProperty(PromptEdit::kBox, color);
    return piece;
}

PromptMarks::Selections PromptMarks::heatMarks(const Theme& theme) const
{
    Selections marks;
    for (const TokenHeat& token : m_heat) {
        marks << marked(token.begin, token.end, mixed(theme.base, theme.bad, 0.55 * token.strength));
        if (token.lost) {
            marks.back().format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
            marks.back().format.setUnderlineColor(theme.bad);
        }
    }
    return marks;
}

PromptMarks::Selections PromptMarks::pieceMarks(const Theme& theme) const
{
    Selections marks;
    for (std::size_t i = 1; i < m_tokenStarts.size(); i += 2) {
        const bool last = i + 1 == m_tokenStarts.size();
        marks << marked(m_tokenStarts[i], last ? m_edit.document()->characterCount() : m_tokenStarts[i + 1],
                        theme.raised);
    }
    const QString text = m_edit.toPlainText();
    for (qsizetype at = text.indexOf(PromptEdit::kLineEnd); at >= 0; at = text.indexOf(PromptEdit::kLineEnd, at + 1)) {
        marks << marked(static_cast<int>(at), static_cast<int>(at) + 1, Qt::transparent);
        marks.back().format.setForeground(theme.muted);
    }
    for (const TextSpan& span : m_segments)
        marks << marked(span.begin, span.end,
                        mixed(theme.base, roleColor(span.role),
                              span.strong && (m_answersShown || span.role == Role::Query) ? 0.5 : 0.25));
    return marks;
}

// The nearest place for a cursor may be behind the character.
std::optional<int> PromptMarks::characterAt(const QPoint& at) const
{
    const QTextCursor nearest = m_edit.cursorForPosition(at);
    const QRect place = m_edit.cursorRect(nearest);
    if (at.y() > place.bottom() || at.x() > place.left() + m_edit.fontMetrics().maxWidth())
        return std::nullopt;
    return nearest.position() - (place.left() > at.x() ? 1 : 0);
}

QString PromptMarks::wordsAt(const QPoint& at) const
{
    const std::optional<int> place = characterAt(at);
    for (const TokenHeat& token : m_heat | std::views::reverse) // a space belongs to what stands before it
        if (place && *place >= token.begin && *place <= token.end)
            return token.tip;
    return {};
}

} // namespace headscope::widgets
