// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/page/pagepieces.h"

#include "core/base/hash.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <new>

namespace headscope::page {

std::string base64(std::string_view bytes)
{
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0'); // and a zero, which EVP writes
    const int length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

std::string gzip(std::string_view bytes)
{
    constexpr int kGzip = 15 + 16, kMemory = 9;
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string packed(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH); // what deflateBound() says is enough
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

std::string scriptDigest(std::string_view script)
{
    const std::string hex = sha256Hex(script);
    std::string digest;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        digest.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return "sha256-" + base64(digest);
}

std::string escapedHtml(std::string_view text)
{
    std::string escaped;
    for (const char c : text)
        switch (c) {
        case '&': escaped += "&amp;"; break;
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        case '"': escaped += "&quot;"; break;
        case '\'': escaped += "&#39;"; break;
        default: escaped += c;
        }
    return escaped;
}

} // namespace headscope::page
