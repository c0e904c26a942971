// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstring>
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

std::uint64_t checksum(const void* bytes, std::size_t size)
{
    // Eight chains side by side; a step is one to one in the chain and in the word.
    constexpr std::size_t kChains = 8, kStride = kChains * sizeof(std::uint64_t);
    using Words = std::array<std::uint64_t, kChains>;
    const auto step = [](std::uint64_t chain, std::uint64_t word) {
        return std::rotl((chain ^ word) * 0x9E3779B97F4A7C15U, 29);
    };
    Words chains = {1, 2, 3, 4, 5, 6, 7, 8};
    const auto* const begin = static_cast<const unsigned char*>(bytes);
    for (std::size_t at = 0; at < size; at += kStride) {
        Words words = {}; // filled up with zeros: the size is part of the sum
        std::memcpy(words.data(), begin + at, size - at < kStride ? size - at : kStride);
        for (std::size_t i = 0; i < kChains; ++i)
            chains[i] = step(chains[i], words[i]);
    }
    std::uint64_t sum = size;
    for (const std::uint64_t chain : chains)
        sum = step(sum, chain);
    return sum;
}

} // namespace headscope
