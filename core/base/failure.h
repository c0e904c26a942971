// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An Error as an exception, for code that can only throw: a callback inside a pass through a model. Always caught
// before it leaves such a pass. Any thread.

#include "core/base/result.h"

#include <stdexcept>

namespace headscope {

class Failure : public std::runtime_error
{
public:
    explicit Failure(Error error) : std::runtime_error(error.message), m_error(std::move(error)) {}
    [[nodiscard]] const Error& error() const { return m_error; }

private:
    Error m_error;
};

} // namespace headscope
