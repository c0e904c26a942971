// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/piece.h"

#include "core/text/utf8.h"

#include <utility>

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

Piece Arena::keep(const Piece& from, std::string text, std::vector<Span> source)
{
    m_texts.push_back(std::move(text));
    m_sources.push_back(std::move(source));
    Piece p = from;
    p.text = m_texts.back();
    p.source = m_sources.back().data();
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
    std::string text;
    std::vector<Span> source;
    text.reserve(old.size());
    source.reserve(old.size());
    for (const Rewritten& r : characters) {
        Span span{piece.start, piece.start};
        if (r.change > 0) {
            if (at > 0) // an inserted character shares the source of the one before it
                span = piece.sourceOf(at - 1);
        } else {
            span = piece.sourceOf(at < old.size() ? at : old.size() - 1);
            skip(1 + static_cast<std::size_t>(-r.change));
        }
        const std::size_t before = text.size();
        appendUtf8(text, r.character);
        source.insert(source.end(), text.size() - before, span);
    }
    return arena.keep(piece, std::move(text), std::move(source));
}

Piece prepend(const Piece& piece, std::string_view prefix, Arena& arena)
{
    std::string text;
    text.reserve(prefix.size() + piece.text.size());
    text.append(prefix).append(piece.text);
    std::vector<Span> source;
    source.reserve(text.size());
    source.assign(prefix.size(), piece.sourceOf(0));
    for (std::size_t i = 0; i < piece.text.size(); ++i)
        source.push_back(piece.sourceOf(i));
    return arena.keep(piece, std::move(text), std::move(source));
}

} // namespace headscope::text
