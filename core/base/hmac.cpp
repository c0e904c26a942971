// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hmac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <new>

namespace headscope {

Digest hmacSha256(const Digest& key, std::string_view text)
{
    Digest digest;
    if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
              reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), nullptr))
        throw std::bad_alloc();
    return digest;
}

Digest sha256(std::string_view text)
{
    Digest digest;
    if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
        throw std::bad_alloc();
    return digest;
}

bool sameDigest(const Digest& one, const Digest& other)
{
    return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

Digest randomDigest()
{
    Digest digest;
    if (RAND_bytes(digest.data(), static_cast<int>(digest.size())) != 1)
        throw std::bad_alloc();
    return digest;
}

} // namespace headscope
