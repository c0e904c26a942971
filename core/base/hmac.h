// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Keyed hashes and random bytes, for processes that must know each other. Any thread.

#include <array>
#include <cstdint>
#include <string_view>

namespace headscope {

using Digest = std::array<std::uint8_t, 32>;

/// HMAC with SHA-256 (RFC 2104). Throws std::bad_alloc where libcrypto has no memory for it.
[[nodiscard]] Digest hmacSha256(const Digest& key, std::string_view text);
/// SHA-256 as bytes.
[[nodiscard]] Digest sha256(std::string_view text);
/// In a time that does not say where they differ.
[[nodiscard]] bool sameDigest(const Digest& one, const Digest& other);
/// From the system's generator; throws std::bad_alloc where it gives none.
[[nodiscard]] Digest randomDigest();

} // namespace headscope
