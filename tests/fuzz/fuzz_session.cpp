// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer target: whatever bytes a session file has, opening, reading, exporting, comparing and merging all of it
// ends, without touching another file. Start with the files of tests/data/sessions as corpus.
#include "tests/support/sessionfixture.h"

#include "sessions/export/exportscores.h"
#include "sessions/export/exporttables.h"
#include "sessions/file/maintenance.h"
#include "sessions/merge.h"
#include "sessions/results/comparestates.h"
#include "sessions/sessionstore.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

#include <unistd.h>

using namespace headscope;

namespace {

// In memory where there is such a folder: a commit waits for the disk, and each run makes a dozen.
std::filesystem::path workFolder()
{
    const std::filesystem::path memory = "/dev/shm";
    std::error_code failed;
    return std::filesystem::is_directory(memory, failed) && access(memory.c_str(), W_OK) == 0
               ? memory
               : std::filesystem::temp_directory_path();
}

void writeFile(const std::filesystem::path& path, std::string_view bytes)
{
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The bytes of a session that holds nothing, made once.
const std::string& emptySession(const std::filesystem::path& path)
{
    static const std::string bytes = [&path] {
        static_cast<void>(sessions::SessionStore::open(path));
        std::ifstream in(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    }();
    return bytes;
}

void removeSession(const std::filesystem::path& path)
{
    for (const char* part : {"", "-wal", "-shm", "-journal"})
        std::filesystem::remove(path.string() + part);
}

void isSentence(const Error& error)
{
    if (!error.message.ends_with(".") || error.message.find('\n') != std::string::npos)
        std::abort();
}

void useAll(sessions::SessionStore& session, const std::filesystem::path& other)
{
    testing::readEverything(session);
    static_cast<void>(sessions::scoreTable(session));
    static_cast<void>(sessions::verify(session));
    for (const std::string_view table : sessions::tableNames()) {
        std::ostringstream out;
        if (const auto rows = sessions::exportTable(session, table, sessions::TableFormat::Csv, out); !rows.has_value())
            isSentence(rows.error());
    }
    if (const auto scores = session.scores(); scores.has_value() && scores->size() > 1)
        static_cast<void>(sessions::compareStates(session,
                                                  {scores->front().series.modelHash, scores->front().series.ablation},
                                                  {scores->back().series.modelHash, scores->back().series.ablation}));
    writeFile(other, emptySession(other));
    if (auto into = sessions::SessionStore::open(other); into.has_value())
        if (const auto merged = sessions::merge(*into, session); !merged.has_value())
            isSentence(merged.error());
    removeSession(other);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::filesystem::path folder = workFolder();
    static const std::filesystem::path path = folder / ("headscope-fuzz-" + std::to_string(getpid()) + ".session");
    static const std::filesystem::path other = folder / ("headscope-fuzz-" + std::to_string(getpid()) + ".into");
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    for (const bool readOnly : {true, false}) {
        writeFile(path, bytes);
        auto session = sessions::SessionStore::open(path, {.create = false, .readOnly = readOnly});
        if (!session.has_value())
            isSentence(session.error());
        else if (readOnly)
            useAll(*session, other);
        else
            static_cast<void>(testing::fill(*session, 2));
        const bool refused = !session.has_value();
        session = ioError("closed");
        removeSession(path);
        if (refused && readOnly)
            break; // for writing it would be refused for the same reason
    }
    return 0;
}
