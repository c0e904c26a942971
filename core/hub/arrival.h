// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One file of a repository being downloaded into its blob: resumed after an interruption, verified before it gets its
// name. One thread per download; blocks while bytes arrive.

#include "core/hub/http.h"
#include "core/hub/repository.h"

#include <filesystem>
#include <optional>

namespace headscope::hub {

class Arrival
{
public:
    /// All arguments must outlive it.
    Arrival(const RepositoryName& name, const std::string& commit, const RemoteFile& file, const HubSettings& settings,
            const Control& control);

    /// Downloads the file. Progress is reported under the file's path: bytes present, out of all.
    [[nodiscard]] Result<void> fetch();

private:
    [[nodiscard]] Error cannotWrite(int number) const;
    Result<void> tryAll(int out);
    Answer once(int out);
    void restart(int out);
    bool write(int out, std::string_view bytes);
    [[nodiscard]] Result<void> keep() const;

    const RepositoryName& m_name;
    const std::string& m_commit;
    const RemoteFile& m_file;
    const HubSettings& m_settings;
    const Control& m_control;
    std::filesystem::path m_folder, m_blob;
    std::uint64_t m_have = 0; ///< bytes of the file present
    std::optional<Error> m_failure;
};

} // namespace headscope::hub
