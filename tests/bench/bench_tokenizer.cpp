// SPDX-License-Identifier: GPL-3.0-or-later
// Times encoding: bench_tokenizer FOLDER FILE [REPEATS]. The file's lines are encoded one by one, then the whole file
// at once; prints megabytes a second of the process's own processor time, best of the repeats.
// tests/reference/compare_tokenizers.py
// --speed runs it beside Hugging Face's tokenizers.
#include "core/text/tokenizer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

using namespace headscope;

namespace {

double processorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Megabytes a second over all texts; the ids are counted so that nothing is left out.
double rate(const text::Tokenizer& tokenizer, const std::vector<std::string_view>& texts, int repeats, std::size_t& ids)
{
    std::size_t bytes = 0;
    for (const std::string_view text : texts)
        bytes += text.size();
    double best = 0.0;
    for (int i = 0; i < repeats; ++i) {
        ids = 0;
        const double begin = processorSeconds();
        for (const std::string_view text : texts) {
            const Result<text::Encoding> encoding = tokenizer.encode(text, false);
            if (!encoding.has_value()) {
                std::fprintf(stderr, "%s\n", encoding.error().message.c_str());
                std::exit(1);
            }
            ids += encoding->ids.size();
        }
        best = std::max(best, static_cast<double>(bytes) / 1e6 / (processorSeconds() - begin));
    }
    return best;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3) {
        std::fprintf(stderr, "usage: bench_tokenizer FOLDER FILE [REPEATS]\n");
        return 2;
    }
    const auto tokenizer = text::Tokenizer::load(argv[1]);
    if (!tokenizer.has_value()) {
        std::fprintf(stderr, "%s\n", tokenizer.error().message.c_str());
        return 1;
    }
    std::ifstream in(argv[2], std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < whole.size();) {
        const std::size_t end = std::min(whole.find('\n', at), whole.size());
        if (end > at)
            lines.push_back(std::string_view(whole).substr(at, end - at));
        at = end + 1;
    }
    if (lines.empty()) {
        std::fprintf(stderr, "'%s' contains no text.\n", argv[2]);
        return 1;
    }
    const int repeats = argc > 3 ? std::max(1, std::atoi(argv[3])) : 3;
    std::size_t lineIds = 0, wholeIds = 0;
    const double byLine = rate(**tokenizer, lines, repeats, lineIds),
                 atOnce = rate(**tokenizer, {whole}, repeats, wholeIds);
    std::printf("{\"bytes\": %zu, \"lines\": %zu, \"by_line\": %.2f, \"line_ids\": %zu, \"at_once\": %.2f, "
                "\"whole_ids\": %zu}\n",
                whole.size(), lines.size(), byLine, lineIds, atOnce, wholeIds);
    return 0;
}
