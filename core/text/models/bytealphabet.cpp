// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/models/bytealphabet.h"

#include "core/text/unicode/utf8.h"

namespace headscope::text {

namespace {

bool standsForItself(unsigned byte)
{
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
    std::array<std::string, 256> characters;
    std::array<int, 0x144> bytes; ///< by code point; -1: not in the alphabet

    Alphabet()
    {
        bytes.fill(-1);
        char32_t next = 0x100;
        for (unsigned b = 0; b < 256; ++b) {
            const char32_t c = standsForItself(b) ? b : next++;
            appendUtf8(characters[b], c);
            bytes[c] = static_cast<int>(b);
        }
    }
};

const Alphabet& alphabet()
{
    static const Alphabet a;
    return a;
}

} // namespace

const std::array<std::string, 256>& byteAlphabet()
{
    return alphabet().characters;
}

std::optional<unsigned char> byteOf(char32_t c)
{
    const auto& bytes = alphabet().bytes;
    if (c >= bytes.size() || bytes[c] < 0)
        return std::nullopt;
    return static_cast<unsigned char>(bytes[c]);
}

std::string toByteLevel(std::string_view text)
{
    const auto& characters = byteAlphabet();
    std::string out;
    out.reserve(text.size() * 5 / 4);
    for (const char c : text)
        out += characters[static_cast<unsigned char>(c)];
    return out;
}

} // namespace headscope::text
