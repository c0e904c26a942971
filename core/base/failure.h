// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An Error on its way out of code that can only throw: a callback inside a pass through a model. Caught where no
// exception goes further. Any thread.

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
