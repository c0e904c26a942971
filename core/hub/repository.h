// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Contents of a model or data set repository on a hub, and the files that a model needs. Any thread.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/hub/hubsettings.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::hub {

enum class RepositoryKind { Model, DataSet };

/// "org/name" or "org/name@revision".
struct RepositoryName {
    std::string name;
    std::string revision = "main";
    RepositoryKind kind = RepositoryKind::Model;

    [[nodiscard]] std::string path() const; ///< relative to the hub's address: "org/name", "datasets/org/name"
    [[nodiscard]] const char* noun() const; ///< "model", "data set"

    [[nodiscard]] static Result<RepositoryName> parse(std::string_view text);
};

struct RemoteFile {
    std::string path;       ///< within the repository, separated by '/', never outside it
    std::uint64_t size = 0; ///< bytes
    std::string hash = {};  ///< lower-case hex: SHA-256 of a large file, else Git's SHA-1; names the blob
    bool large = false;     ///< in large file storage
};

struct Repository {
    std::string commit;
    bool gated = false;
    std::vector<RemoteFile> files;

    /// Parses the hub's response to `GET /api/models/NAME/revision/REVISION?blobs=true`, or `/api/datasets/`.
    [[nodiscard]] static Result<Repository> parse(std::string_view json);
    [[nodiscard]] static Result<Repository> ask(const RepositoryName& name, const HubSettings& settings,
                                                const Control& control);
};

/// Returns config, tokenizer and the weights in one format: safetensors, else PyTorch's, else the only GGUF file.
/// `weights` selects a weight file instead. Fails if that is ambiguous or nothing is found.
[[nodiscard]] Result<std::vector<RemoteFile>> neededFiles(const Repository& repository,
                                                          const std::string& weights = {});

} // namespace headscope::hub
