// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer target: whatever bytes a session file has, opening and reading all of it ends, without touching another file.
// Start with the files of tests/data/sessions as corpus.
#include "tests/sessionfixture.h"

#include "sessions/exportscores.h"
#include "sessions/maintenance.h"
#include "sessions/sessionstore.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace headscope;
    static const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("headscope-fuzz-" + std::to_string(getpid()) + ".session");
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    sessions::OpenOptions options;
    options.readOnly = true;
    options.create = false;
    {
        auto session = sessions::SessionStore::open(path, options);
        if (session.has_value()) {
            testing::readEverything(*session);
            static_cast<void>(sessions::scoreTable(*session));
            static_cast<void>(sessions::verify(*session));
        } else if (!session.error().message.ends_with(".")) {
            std::abort();
        }
    }
    for (const char* part : {"", "-wal", "-shm", "-journal"})
        std::filesystem::remove(path.string() + part);
    return 0;
}
