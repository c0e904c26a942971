// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/texts/windows.h"

#include "core/base/shuffle.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace headscope::survey {

namespace {

bool endsSentence(std::string_view token)
{
    if (token.find('\n') != std::string_view::npos)
        return true;
    const std::size_t last = token.find_last_not_of(" \t\r");
    return last != std::string_view::npos && std::string_view(".!?").find(token[last]) != std::string_view::npos;
}

// Segments as tokens: the text's own, else sentences and lines. By their ends.
std::vector<analysis::TokenSegment> segmentsOf(const PieceText& piece, const text::Encoding& encoding)
{
    std::vector<analysis::TokenSegment> segments;
    int begin = 0;
    for (std::size_t t = 0; t < encoding.ids.size() && piece.segments.empty(); ++t) {
        const auto [first, end] = encoding.offsets[t];
        if (end <= first || !endsSentence(std::string_view(piece.text).substr(first, end - first)))
            continue;
        segments.push_back({begin, static_cast<int>(t) + 1});
        begin = static_cast<int>(t) + 1;
    }
    for (const ByteRange& range : piece.segments) {
        const auto behind = [&](std::size_t byte, bool byEnd) {
            int t = 0;
            while (std::cmp_less(t, encoding.ids.size())
                   && (byEnd ? encoding.offsets[static_cast<std::size_t>(t)].second <= byte
                             : encoding.offsets[static_cast<std::size_t>(t)].first < byte))
                ++t;
            return t;
        };
        // The tokens that share a byte with the range.
        segments.push_back({behind(range.first, true), behind(range.second, false)});
    }
    return segments;
}

} // namespace

std::optional<int> unknownToken(const text::Tokenizer& tokenizer)
{
    for (const char* name : {"<unk>", "[UNK]", "<|unk|>", "<UNK>", "[unk]"})
        if (const auto id = tokenizer.idOf(name))
            return id;
    return std::nullopt;
}

Windows::Windows(std::shared_ptr<const TextSource> source, std::shared_ptr<const text::Tokenizer> tokenizer,
                 WindowOptions options)
    : m_source(std::move(source)), m_tokenizer(std::move(tokenizer)), m_options(options), m_order(m_source->pieces())
{
    std::iota(m_order.begin(), m_order.end(), 0U);
    shuffle(m_order, options.seed);
}

void WindowCounts::add(const Window& window, const WindowOptions& options)
{
    const auto length = static_cast<std::int64_t>(window.facts.ids.size());
    ++windows;
    tokens += length;
    leftOut += window.leftOut;
    shorter += length < options.length;
    if (options.unknown)
        unknown += std::count(window.facts.ids.begin(), window.facts.ids.end(), *options.unknown);
    for (std::size_t t = 1; t < window.facts.ids.size(); ++t) {
        const int row = static_cast<int>(t), begin = window.facts.segmentBegin[t],
                  closed = window.facts.closedBefore[t];
        if (begin >= 0 && begin < row) {
            gatherChance.add(static_cast<double>(row - begin) / (row + 1));
            ++gathers;
        }
        if (closed > 0) {
            aggregateChance.add(static_cast<double>(closed) / (row + 1));
            ++aggregates;
        }
    }
}

void WindowCounts::close()
{
    gatherChance.close();
    aggregateChance.close();
}

void WindowCounts::take(const WindowCounts& block)
{
    windows += block.windows;
    tokens += block.tokens;
    unknown += block.unknown;
    leftOut += block.leftOut;
    shorter += block.shorter;
    gathers += block.gathers;
    aggregates += block.aggregates;
    gatherChance.add(block.gatherChance.value());
    aggregateChance.add(block.aggregateChance.value());
}

bool Windows::canSpell(const std::string& word) const
{
    constexpr std::size_t kMostWords = 200'000;
    if (const auto known = m_spelled.find(word); known != m_spelled.end())
        return known->second;
    if (m_spelled.size() >= kMostWords)
        m_spelled.clear();
    return m_spelled[word] = m_tokenizer->encodePlain(word, false).has_value();
}

// A piece as tokens. Where a vocabulary has no token for words that it lacks, a text goes on without them.
Result<std::pair<PieceText, text::Encoding>> Windows::encoded(std::uint32_t piece, std::int64_t& leftOut) const
{
    auto text = m_source->read(piece);
    if (!text.has_value())
        return text.error();
    auto encoding = m_tokenizer->encodePlain(text->text, false);
    if (encoding.has_value())
        return std::pair(std::move(*text), std::move(*encoding));
    PieceText left{{}, text->name, {}};
    const std::string_view all = text->text;
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find_first_of(" \t\r\n", at), all.size());
        const std::string word(all.substr(at, end - at));
        const bool spelled = word.empty() || canSpell(word);
        leftOut += !spelled;
        if (spelled)
            left.text += word;
        // A line's end stays a line's end; what else is blank parts words.
        if (end < all.size() && (spelled || all[end] == '\n'))
            left.text += all[end] == '\n' ? '\n' : ' ';
        at = end + 1;
    }
    encoding = m_tokenizer->encodePlain(left.text, false);
    if (!encoding.has_value())
        return inputError(text->name + ": " + encoding.error().message);
    return std::pair(std::move(left), std::move(*encoding));
}

Result<std::vector<Window>> Windows::windowsOf(std::uint32_t piece) const
{
    std::int64_t leftOut = 0;
    const auto read = encoded(piece, leftOut);
    if (!read.has_value())
        return read.error();
    const auto& [text, encoding] = *read;
    const std::vector<analysis::TokenSegment> segments = segmentsOf(text, encoding);
    auto segment = segments.begin();
    const std::size_t front = m_options.start ? 1 : 0;
    const std::size_t step = static_cast<std::size_t>(m_options.length) - front;
    std::vector<Window> windows;
    for (std::size_t begin = 0; begin < encoding.ids.size(); begin += step) {
        const std::size_t end = std::min(begin + step, encoding.ids.size());
        if (end - begin + front < static_cast<std::size_t>(kFewestTokens))
            break;
        std::vector<int> ids(encoding.ids.begin() + static_cast<std::ptrdiff_t>(begin),
                             encoding.ids.begin() + static_cast<std::ptrdiff_t>(end));
        if (m_options.start)
            ids.insert(ids.begin(), *m_options.start);
        std::vector<analysis::TokenSegment> own; // of a segment that a window cuts, what is in the window
        for (; segment != segments.end() && std::cmp_less_equal(segment->end, end); ++segment)
            own.push_back({std::max(segment->begin, static_cast<int>(begin))
                               - (static_cast<int>(begin) - static_cast<int>(front)),
                           segment->end - (static_cast<int>(begin) - static_cast<int>(front))});
        windows.push_back({piece, static_cast<std::uint32_t>(windows.size()), WindowFacts::of(std::move(ids), own),
                           windows.empty() ? leftOut : 0});
    }
    return windows;
}

Result<std::optional<Window>> Windows::next()
{
    if (enough())
        return std::optional<Window>();
    while (m_position.window >= m_current.size()) {
        if (m_position.piece >= m_order.size())
            return std::optional<Window>();
        auto windows = windowsOf(m_order[m_position.piece]);
        if (!windows.has_value())
            return windows.error();
        m_current = std::move(*windows);
        ++m_position.piece;
        m_position.window = 0;
    }
    Window window = m_current[m_position.window++];
    m_position.counts.add(window, m_options);
    return std::optional(std::move(window));
}

Result<void> Windows::goTo(const Position& position)
{
    if (position.piece > m_order.size())
        return inputError("The stored survey has read more texts than the collection has.");
    m_current.clear();
    if (position.piece > 0) {
        auto windows = windowsOf(m_order[position.piece - 1]);
        if (!windows.has_value())
            return windows.error();
        m_current = std::move(*windows);
    }
    if (position.window > m_current.size())
        return inputError("The stored survey has read more of a text than the collection has.");
    m_position = position;
    return {};
}

Result<Window> Windows::again(std::uint32_t piece, std::uint32_t number) const
{
    if (piece >= m_order.size())
        return inputError("The collection has no text " + std::to_string(piece) + ".");
    auto windows = windowsOf(piece);
    if (!windows.has_value())
        return windows.error();
    if (number >= windows->size())
        return inputError("The collection has no window " + std::to_string(number) + " of text " + std::to_string(piece)
                          + ".");
    return std::move((*windows)[number]);
}

Result<std::string> Windows::nameOf(std::uint32_t piece) const
{
    auto text = m_source->read(piece);
    if (!text.has_value())
        return text.error();
    return std::move(text->name);
}

} // namespace headscope::survey
