// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The counterpart of an example for activation patching: the same text with one segment exchanged, so that another
// answer is right (Zhang and Nanda 2024, arXiv 2309.16042: same form rather than noise). Values; any thread.

#include "core/base/result.h"
#include "core/tasks/example.h"

#include <string_view>

namespace headscope::tasks {

enum class Exchange {
    Key,     ///< replaces the requested key by the next one of the dictionary
    Value,   ///< exchanges the right value (or option) with the next one
    Binding, ///< exchanges the key (or letter) of the right one with the next one's
    Name     ///< replaces the whole text by the most similar example of the task with another answer
};

/// Returns "key", "value", "binding" or "name".
[[nodiscard]] const char* name(Exchange exchange);
[[nodiscard]] Result<Exchange> parseExchange(std::string_view text);

/// Returns the first of them for which the example has the segments.
[[nodiscard]] Exchange exchangeFor(const Example& example);
/// Returns the example with key or value exchanged and the answer that is then right. Fails for an example without such
/// segments. `place`: which other segment, counted from the requested one.
[[nodiscard]] Result<Example> exchanged(const Example& example, Exchange exchange, int place = 1);
/// Returns an example with one right answer as a choice between the answers in its segments; unchanged if there are
/// none.
[[nodiscard]] Example withChoices(const Example& example);

} // namespace headscope::tasks
