// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/steps/piece.h"

#include "core/base/failure.h"
#include "core/text/unicode/utf8.h"

#include <algorithm>

namespace headscope::text {

Span Piece::sourceOf(std::size_t i) const
{
    if (source != nullptr)
        return source[i];
    std::size_t begin = i;
    while (isUtf8Continuation(text[begin]))
        --begin;
    const std::size_t end = begin + utf8Length(static_cast<unsigned char>(text[begin]));
    return {origin + static_cast<std::uint32_t>(begin), origin + static_cast<std::uint32_t>(end)};
}

Piece Piece::part(std::size_t begin, std::size_t end) const
{
    Piece p = *this;
    p.text = text.substr(begin, end - begin);
    if (source != nullptr)
        p.source = source + begin;
    else
        p.origin = origin + static_cast<std::uint32_t>(begin);
    if (begin < end)
        p.start = source != nullptr ? p.source->begin : p.origin;
    return p;
}

template <typename T> T* Arena::Store<T>::put(const T* items, std::size_t count)
{
    if (count > left) {
        constexpr std::size_t kLargestBlock = 1u << 16;
        left = std::max(count, block);
        block = std::min(2 * left, kLargestBlock);
        blocks.push_back(std::make_unique_for_overwrite<T[]>(left));
        next = blocks.back().get();
    }
    T* const at = next;
    std::copy_n(items, count, at);
    next += count;
    left -= count;
    return at;
}

Arena::Draft& Arena::draft(std::size_t expected)
{
    m_draft.most = m_left;
    m_draft.text.clear();
    m_draft.source.clear();
    m_draft.text.reserve(expected);
    m_draft.source.reserve(expected);
    return m_draft;
}

void Arena::refuse()
{
    throw Failure(inputError("The tokenizer makes a text of more than " + std::to_string(kGrowth)
                             + " times its length out of it; this file is damaged or made to fill the memory."));
}

Piece Arena::keep(const Piece& from)
{
    if (m_draft.text.size() > m_left)
        refuse();
    m_left -= m_draft.text.size();
    Piece p = from;
    p.text = {m_texts.put(m_draft.text.data(), m_draft.text.size()), m_draft.text.size()};
    p.source = m_sources.put(m_draft.source.data(), m_draft.source.size());
    return p;
}

Piece rewrite(const Piece& piece, std::span<const Rewritten> characters, std::size_t skipped, Arena& arena)
{
    const std::string_view old = piece.text;
    std::size_t at = 0; // position in the old text
    const auto skip = [&](std::size_t count) {
        for (; count > 0 && at < old.size(); --count)
            at += utf8Length(static_cast<unsigned char>(old[at]));
    };
    skip(skipped);
    Arena::Draft& draft = arena.draft(old.size());
    std::string bytes;
    for (const Rewritten& r : characters) {
        Span span{piece.start, piece.start};
        if (r.change > 0) {
            if (at > 0) // an inserted character shares the source of the one before it
                span = piece.sourceOf(at - 1);
        } else {
            span = piece.sourceOf(at < old.size() ? at : old.size() - 1);
            skip(1 + static_cast<std::size_t>(-r.change));
        }
        bytes.clear();
        appendUtf8(bytes, r.character);
        draft.add(bytes, span);
    }
    return arena.keep(piece);
}

Piece prepend(const Piece& piece, std::string_view prefix, Arena& arena)
{
    Arena::Draft& draft = arena.draft(prefix.size() + piece.text.size());
    draft.add(prefix, piece.sourceOf(0));
    draft.text.append(piece.text);
    for (std::size_t i = 0; i < piece.text.size(); ++i)
        draft.source.push_back(piece.sourceOf(i));
    return arena.keep(piece);
}

} // namespace headscope::text
