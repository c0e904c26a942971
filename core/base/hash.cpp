// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <new>

namespace headscope {

namespace {

// Hashing what is in memory fails only for want of memory.
void require(int done)
{
    if (done != 1)
        throw std::bad_alloc();
}

} // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const
{
    EVP_MD_CTX_free(context);
}

Sha256::Sha256() : m_context(EVP_MD_CTX_new())
{
    require(m_context != nullptr && EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::add(const void* bytes, std::size_t size)
{
    require(EVP_DigestUpdate(m_context.get(), bytes, size));
}

std::string Sha256::hex()
{
    std::array<unsigned char, 32> digest;
    require(EVP_DigestFinal_ex(m_context.get(), digest.data(), nullptr));
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : digest) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

std::string sha256Hex(std::string_view text)
{
    Sha256 hash;
    hash.add(text);
    return hash.hex();
}

} // namespace headscope
