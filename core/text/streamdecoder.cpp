// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/streamdecoder.h"

#include <string_view>

namespace headscope::text {

namespace {

constexpr std::string_view kUnfinished = "\xEF\xBF\xBD";

} // namespace

Result<std::string> StreamDecoder::push(int id)
{
    m_ids.push_back(id);
    Result<std::string> text = advance(false);
    if (!text.has_value())
        m_ids.pop_back();
    return text;
}

Result<std::string> StreamDecoder::finish()
{
    Result<std::string> text = advance(true);
    m_ids.clear();
    m_settled = 0;
    m_shown.clear();
    return text;
}

Result<std::string> StreamDecoder::advance(bool last)
{
    const Result<std::string> decoded = m_tokenizer->decode(m_ids, m_skipSpecial);
    if (!decoded.has_value())
        return decoded.error();
    std::string_view whole = *decoded;
    // A replacement character at the end may be a character whose bytes have not all come.
    std::string_view certain = whole;
    while (!last && certain.ends_with(kUnfinished))
        certain.remove_suffix(kUnfinished.size());
    const bool open = certain.size() != whole.size();

    std::string out;
    if (certain.starts_with(m_shown)) {
        out = certain.substr(m_shown.size());
    } else if (!open) { // bytes that came later made earlier ones invalid: only what is new can still be given out
        const Result<std::string> fresh = m_tokenizer->decode(std::span(m_ids).subspan(m_settled), m_skipSpecial);
        if (!fresh.has_value())
            return fresh;
        out = *fresh;
    }
    if (open) {
        m_shown += out;
        return out;
    }
    if (out.empty()) // nothing visible yet: the window keeps what was shown before
        return out;
    // The window starts again with the ids that were just given out: decoders treat a first token in a way of their
    // own.
    m_ids.erase(m_ids.begin(), m_ids.begin() + static_cast<std::ptrdiff_t>(m_settled));
    m_settled = m_ids.size();
    Result<std::string> shown = m_tokenizer->decode(m_ids, m_skipSpecial);
    if (!shown.has_value())
        return shown;
    m_shown = *std::move(shown);
    return out;
}

} // namespace headscope::text
