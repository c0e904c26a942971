// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/encodings.h"

#include "core/tasks/python/pytext.h"

#include <unicode/ucnv.h>
#include <unicode/unistr.h>

#include <memory>

namespace headscope::tasks {

namespace {

/// Nothing where a byte stands for no character.
Result<std::string> converted(std::string_view bytes, const char* from)
{
    UErrorCode problem = U_ZERO_ERROR;
    const std::unique_ptr<UConverter, decltype(&ucnv_close)> converter(ucnv_open(from, &problem), &ucnv_close);
    ucnv_setToUCallBack(converter.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &problem);
    const icu::UnicodeString text(bytes.data(), static_cast<std::int32_t>(bytes.size()), converter.get(), problem);
    if (U_FAILURE(problem) != 0)
        return inputError("Not a text in the encoding of its byte order mark (" + std::string(from) + ").");
    std::string out;
    text.toUTF8String(out);
    return out;
}

} // namespace

Result<DecodedText> decoded(std::string bytes)
{
    DecodedText read;
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
        read.encoding = Encoding::Utf16;
    else if (findInvalidUtf8(bytes) != std::string::npos)
        read.encoding = Encoding::Windows1252;
    if (read.encoding == Encoding::Utf8) {
        read.text = std::move(bytes);
    } else {
        auto text = converted(bytes, read.encoding == Encoding::Utf16 ? "UTF-16" : "windows-1252");
        if (!text.has_value())
            return text.error();
        read.text = std::move(*text);
    }
    if (read.text.find('\0') != std::string::npos)
        return inputError("Not a text file: it contains NUL bytes.");
    return read;
}

} // namespace headscope::tasks
