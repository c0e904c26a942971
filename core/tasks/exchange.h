// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The counterpart of an example for activation patching: the same text with one piece exchanged, so that another answer
// is right (Zhang and Nanda 2024, arXiv 2309.16042: a prompt of the same form rather than noise). Values; any thread.

#include "core/base/result.h"
#include "core/tasks/example.h"

#include <string_view>

namespace headscope::tasks {

enum class Exchange {
    Key,     ///< the key that is asked for, by the next one of the dictionary
    Value,   ///< the value (or option) that is right, with the next one
    Binding, ///< whose value it is: the key (or letter) of the right one, with the next one's
    Name     ///< all of the text, by the most alike example of the task that has another answer
};

/// "key", "value", "binding", "name".
[[nodiscard]] const char* name(Exchange exchange);
[[nodiscard]] Result<Exchange> parseExchange(std::string_view text);

/// The first of them that the example has the pieces for.
[[nodiscard]] Exchange exchangeFor(const Example& example);
/// The same example with key or value exchanged and the answer that is right then. Fails for an example without such
/// pieces. `place`: which other piece, counted from the one asked for.
[[nodiscard]] Result<Example> exchanged(const Example& example, Exchange exchange, int place = 1);
/// An example of one right answer as a choice between the answers that its pieces offer; as it is where they offer
/// none.
[[nodiscard]] Example withChoices(const Example& example);

} // namespace headscope::tasks
