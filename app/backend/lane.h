// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lanes: sets of requests in which a newer one replaces an older one. Any thread.

#include "core/base/side.h"

#include <compare>
#include <typeindex>

namespace headscope::app {

/// Returns the side that a request concerns; A if it names none.
template <typename Request> [[nodiscard]] Side sideOf(const Request& request)
{
    if constexpr (requires { request.side; })
        return request.side;
    else if constexpr (requires { request.state.side; })
        return request.state.side;
    else if constexpr (requires { request.now.side; })
        return request.now.side;
    else if constexpr (requires { request.of; })
        return sideOf(request.of);
    else if constexpr (requires { request.question; })
        return sideOf(request.question);
    else
        return Side::A;
}

/// Requests of one type and side: at most one of them runs.
struct Lane {
    std::type_index request;
    Side side = Side::A;

    template <typename Request> [[nodiscard]] static Lane of(Side side) { return {typeid(Request), side}; }
    /// Returns whether its requests are of one of these types.
    template <typename... Requests> [[nodiscard]] bool is() const { return ((request == typeid(Requests)) || ...); }
    auto operator<=>(const Lane&) const = default;
};

} // namespace headscope::app
