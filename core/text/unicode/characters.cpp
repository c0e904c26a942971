// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/unicode/characters.h"

#include <unicode/uchar.h>

namespace headscope::text {

namespace {

bool hasCategory(char32_t c, unsigned mask)
{
    return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0;
}

} // namespace

bool isWhitespace(char32_t c)
{
    if (c < 0x80)
        return c == ' ' || (c >= 9 && c <= 13);
    return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_WHITE_SPACE) != 0;
}

bool isWordCharacter(char32_t c)
{
    if (c < 0x80)
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    c = standIn(c);
    return hasCategory(c, U_GC_L_MASK | U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)
           || u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_ALPHABETIC) != 0
           || u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_JOIN_CONTROL) != 0;
}

bool isNumeric(char32_t c)
{
    if (c < 0x80)
        return c >= '0' && c <= '9';
    // Unicode 17 digits, which the reference already has for this class alone.
    if ((c >= 0x11DE0 && c <= 0x11DE9) || (c >= 0x16FF4 && c <= 0x16FF6))
        return true;
    return hasCategory(standIn(c), U_GC_N_MASK);
}

bool isPunctuation(char32_t c)
{
    if (c < 0x80)
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
    if (c == 0x166D || c == 0x111C9) // punctuation in Unicode 8, moved to other categories later
        return true;
    if (!hasCategory(c, U_GC_P_MASK))
        return false;
    UVersionInfo age;
    u_charAge(static_cast<UChar32>(c), age);
    return age[0] <= 8;
}

} // namespace headscope::text
