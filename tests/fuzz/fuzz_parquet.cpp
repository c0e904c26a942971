// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the input is a Parquet file. What is refused is one sentence, what is read has as many rows everywhere.

#include "core/io/parquet/parquettable.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace headscope;

namespace {

void require(bool holds, const char* what)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kLimit = 10'000'000; // bytes
    const auto table = io::ParquetTable::read(std::as_bytes(std::span(data, size)), "input", kLimit);
    if (!table.has_value()) {
        const std::string& message = table.error().message;
        require(message.ends_with('.') && message.find('\n') == std::string::npos, "an error that is no sentence");
        return 0;
    }
    for (const io::ParquetColumn& column : table->columns)
        for (std::size_t i = 0; i < table->rows; ++i)
            require(column.isList || column.row(i).size() == 1, "a row without its value");
    return 0;
}
