// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/writtentext.h"

#include "core/text/unicode/utf8.h"

namespace headscope::text {

std::string withEscapedBytes(std::string_view bytes)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    while (const auto bad = firstInvalidUtf8(bytes)) {
        const auto byte = static_cast<unsigned char>(bytes[*bad]);
        out.append(bytes.substr(0, *bad)).append("\\x").append({digits[byte >> 4U], digits[byte & 15U]});
        bytes.remove_prefix(*bad + 1);
    }
    return out.append(bytes);
}

std::vector<std::string> writtenTexts(std::string_view text, const Encoding& encoding)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
        const auto [begin, end] = encoding.offsets[i];
        texts.push_back(end > begin && end <= text.size() ? withEscapedBytes(text.substr(begin, end - begin))
                                                          : encoding.tokens[i]);
    }
    return texts;
}

} // namespace headscope::text
