// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Content hashes: the identity of models, examples and runs in a session. Any thread.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace headscope {

/// SHA-256 (FIPS 180-4), incremental.
class Sha256
{
public:
    Sha256();
    void add(const void* bytes, std::size_t size);
    void add(std::string_view text) { add(text.data(), text.size()); }
    /// The digest as 64 lower-case hex digits; the object must not be used afterwards.
    [[nodiscard]] std::string hex();

private:
    void block(const unsigned char* p);
    std::array<std::uint32_t, 8> m_state;
    std::array<unsigned char, 64> m_buffer;
    std::uint64_t m_total = 0;
};

[[nodiscard]] std::string sha256Hex(std::string_view text);

} // namespace headscope
