// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include "core/base/failure.h"
#include "core/base/printable.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <streambuf>
#include <unistd.h>

namespace headscope::cli {

namespace {

constexpr std::size_t kLongestNote = 2000;

int fault = 0; // of the first write that failed

Error lostOutput()
{
    return ioError(std::string("The output could not be written: ") + std::strerror(fault) + ".");
}

bool putBytes(std::string_view bytes)
{
    if (fault == 0 && std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size())
        fault = errno != 0 ? errno : EIO;
    return fault == 0;
}

bool flush()
{
    if (fault == 0 && std::fflush(stdout) != 0)
        fault = errno != 0 ? errno : EIO;
    return fault == 0;
}

class DataBuffer : public std::streambuf
{
protected:
    int_type overflow(int_type letter) override
    {
        const char byte = traits_type::to_char_type(letter);
        return traits_type::eq_int_type(letter, traits_type::eof()) || putBytes({&byte, 1})
                   ? traits_type::not_eof(letter)
                   : traits_type::eof();
    }
    std::streamsize xsputn(const char* bytes, std::streamsize size) override
    {
        return putBytes({bytes, static_cast<std::size_t>(size)}) ? size : 0;
    }
    int sync() override { return flush() ? 0 : -1; }
};

void require(bool done)
{
    if (!done)
        throw Failure(lostOutput());
}

} // namespace

void printText(const char* format, ...)
{
    std::va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    const int size = std::vsnprintf(nullptr, 0, format, values);
    va_end(values);
    std::string text(static_cast<std::size_t>(size > 0 ? size : 0), '\0');
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    require(putBytes(printable(text, Newlines::Keep)));
}

void printNow(std::string_view text)
{
    require(putBytes(printable(text, Newlines::Keep)) && flush());
}

void printJson(std::string json)
{
    require(putBytes(printableJson(std::move(json)) + '\n'));
}

void printData(std::string_view bytes)
{
    require(putBytes(bytes));
}

std::ostream& dataStream()
{
    static DataBuffer buffer;
    static std::ostream stream(&buffer);
    return stream;
}

void note(std::string_view line)
{
    const std::string shown = printable(line, Newlines::Escape, kLongestNote) + '\n';
    (void)std::fwrite(shown.data(), 1, shown.size(), stderr); // nobody is left to tell
}

void noteLines(std::string_view lines)
{
    const std::string shown = printable(lines, Newlines::Keep, 2 * kLongestNote);
    (void)std::fwrite(shown.data(), 1, shown.size(), stderr);
}

void noteProgress(std::string_view line, bool terminal, bool last)
{
    const char* const clear = "\r\033[K";
    const std::string shown = (terminal ? clear : "") + printable(line, Newlines::Escape, kLongestNote)
                              + (terminal ? (last ? clear : "") : "\n");
    (void)std::fwrite(shown.data(), 1, shown.size(), stderr);
    (void)std::fflush(stderr);
}

bool stderrIsTerminal()
{
    return ::isatty(STDERR_FILENO) == 1;
}

Result<void> finishOutput()
{
    return flush() ? Result<void>() : Result<void>(lostOutput());
}

} // namespace headscope::cli
