// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All output of the command line. Text for people is sanitized, since names and texts in it come from files; data
// is written unchanged. Failed writes end the command with a sentence and exit code 1. Main thread, except for
// note().

#include "core/base/result.h"

#include <iosfwd>
#include <string>
#include <string_view>

namespace headscope::cli {

/// Prints text for people on stdout. Throws Failure if it cannot be written.
[[gnu::format(printf, 1, 2)]] void printText(const char* format, ...);
/// Prints part of a text for people, without delay.
void printNow(std::string_view text);
/// Prints one JSON value and a newline. Throws Failure if it cannot be written.
void printJson(std::string json);
/// Writes bytes unchanged: tables, pages, completion. Throws Failure if they cannot be written.
void printData(std::string_view bytes);
/// Returns a stream to stdout, which becomes bad if writing fails; finishOutput() then reports it.
[[nodiscard]] std::ostream& dataStream();

/// Prints one line of limited length for people on stderr.
void note(std::string_view line);
/// Prints several lines of the program's own text, which contain parts of its input.
void noteLines(std::string_view lines);
/// Overwrites the last line if stderr is a terminal.
void noteProgress(std::string_view line, bool terminal, bool last);
[[nodiscard]] bool stderrIsTerminal();

/// Fails if some of the output could not be written: a full disk, a closed pipe.
[[nodiscard]] Result<void> finishOutput();

} // namespace headscope::cli
