// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What requests are told apart by. Any thread.

#include "core/base/side.h"

#include <compare>
#include <typeindex>

namespace headscope::app {

/// Whose request it is; A where it is of no side.
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

/// What is under way at most once: requests of one type and side.
struct Lane {
    std::type_index request;
    Side side = Side::A;

    template <typename Request> [[nodiscard]] static Lane of(Side side) { return {typeid(Request), side}; }
    /// Whether its requests are of one of these types.
    template <typename... Requests> [[nodiscard]] bool is() const { return ((request == typeid(Requests)) || ...); }
    auto operator<=>(const Lane&) const = default;
};

} // namespace headscope::app
