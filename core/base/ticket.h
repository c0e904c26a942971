// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Identifies a request to the worker. Any thread.

#include <cstdint>

namespace headscope {

/// Identifies one request to the worker; later requests have larger tickets.
using Ticket = std::uint64_t;

} // namespace headscope
