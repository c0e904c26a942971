// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer target: the bytes up to the last NUL are a tokenizer.json, what follows is a text. Nothing may crash; what
// loads must encode to offsets inside the text and decode to valid UTF-8.

#include "core/text/streamdecoder.h"
#include "core/text/tokenizer.h"
#include "core/text/unicode/utf8.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

using namespace headscope;

namespace {

void require(bool holds, const char* what)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

const std::filesystem::path& folder()
{
    static const std::filesystem::path path = [] {
        auto p = std::filesystem::temp_directory_path() / ("fuzz_tokenizer." + std::to_string(getpid()));
        std::filesystem::create_directories(p);
        return p;
    }();
    return path;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t cut = input.rfind('\0');
    const std::string_view file = input.substr(0, cut);
    const std::string_view text = cut == input.npos ? std::string_view("a b<unk>\xC3\xA9") : input.substr(cut + 1);
    std::ofstream(folder() / "tokenizer.json", std::ios::binary)
        .write(file.data(), static_cast<std::streamsize>(file.size()));
    const auto tokenizer = text::Tokenizer::load(folder());
    if (!tokenizer.has_value()) {
        require(!tokenizer.error().message.empty(), "an error without a message");
        return 0;
    }
    const auto encoding = (*tokenizer)->encode(text);
    if (!encoding.has_value())
        return 0;
    require(encoding->ids.size() == encoding->offsets.size() && encoding->ids.size() == encoding->tokens.size(),
            "lengths differ");
    for (const auto& [begin, end] : encoding->offsets)
        require(begin <= end && end <= text.size(), "an offset outside the text");
    const auto decoded = (*tokenizer)->decode(encoding->ids);
    require(!decoded.has_value() || !text::firstInvalidUtf8(*decoded), "decoded text that is not UTF-8");
    text::StreamDecoder stream(*tokenizer, false);
    for (const int id : encoding->ids) {
        const auto part = stream.push(id);
        require(!part.has_value() || !text::firstInvalidUtf8(*part), "half a character");
    }
    return 0;
}
