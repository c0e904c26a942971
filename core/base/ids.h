// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Strong integer ids: a layer number can not be passed where a head number is wanted. Any thread.

#include <compare>
#include <cstdint>

namespace headscope {

template <typename Tag> struct Id {
    int value = 0;
    constexpr Id() = default;
    constexpr explicit Id(int v) : value(v) {}
    constexpr auto operator<=>(const Id&) const = default;
};

using LayerIndex = Id<struct LayerTag>; ///< zero-based
using HeadIndex = Id<struct HeadTag>;   ///< zero-based, within one site of a layer
using TokenIndex = Id<struct TokenTag>; ///< zero-based position in a prompt

/// Names one request to the worker; later requests have larger tickets.
using Ticket = std::uint64_t;

} // namespace headscope
