// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All that the command line says. Text for people goes through one sanitiser, since names and texts in it come from
// files; data goes out as it is. What could not be written is a failure: it ends the command, with a sentence and exit
// code 1. Main thread, but for note().

#include "core/base/result.h"

#include <iosfwd>
#include <string>
#include <string_view>

namespace headscope::cli {

/// Text for people on stdout. Throws Failure where it cannot be written.
[[gnu::format(printf, 1, 2)]] void printText(const char* format, ...);
/// A piece of text for people, shown at once.
void printNow(std::string_view text);
/// One JSON value and a line's end. Throws Failure where it cannot be written.
void printJson(std::string json);
/// Bytes as they are: tables, pages, completion. Throws Failure where they cannot be written.
void printData(std::string_view bytes);
/// Writes into stdout; bad where that fails, and finishOutput() says so.
[[nodiscard]] std::ostream& dataStream();

/// A line for people on stderr: one line, of a length that can be read.
void note(std::string_view line);
/// Several lines of the program's own, with pieces of what it was given.
void noteLines(std::string_view lines);
/// Over the last line where stderr is a terminal.
void noteProgress(std::string_view line, bool terminal, bool last);
[[nodiscard]] bool notesToTerminal();

/// Fails where something that was said did not arrive: a full disk, a closed pipe.
[[nodiscard]] Result<void> finishOutput();

} // namespace headscope::cli
