// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How the parts of a figure say that the session lacks their data. Private to app/figures; any thread.

#include "core/base/result.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace headscope::figures {

/// Thrown to makeFigure for data that cannot be drawn.
struct Missing : std::runtime_error {
    explicit Missing(Error e) : std::runtime_error(e.message), error(std::move(e)) {}
    explicit Missing(const std::string& sentence) : Missing(inputError(sentence)) {}
    Error error;
};

template <typename T> T need(Result<T> result)
{
    if (!result.has_value())
        throw Missing(result.error());
    return std::move(*result);
}

} // namespace headscope::figures
