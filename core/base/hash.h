// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Content hashes: the identity of models, examples and runs in a session. Any thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

extern "C" {
struct evp_md_ctx_st; // OpenSSL's EVP_MD_CTX
}

namespace headscope {

/// Incremental SHA-256. Throws std::bad_alloc if libcrypto is out of memory.
class Sha256
{
public:
    Sha256();
    void add(const void* bytes, std::size_t size);
    void add(std::string_view text) { add(text.data(), text.size()); }
    /// Returns the digest as 64 lower-case hex digits; the object must not be used afterwards.
    [[nodiscard]] std::string hex();

private:
    struct Free {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> m_context;
};

[[nodiscard]] std::string sha256Hex(std::string_view text);

/// Returns a checksum that detects damaged bytes at memory speed: a difference in a single word always changes it. Not
/// an identity: other bytes with the same sum are easily constructed.
[[nodiscard]] std::uint64_t checksum(const void* bytes, std::size_t size);

} // namespace headscope
