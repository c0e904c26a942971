// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a repository of a model or a data set on a hub holds, and which of it a model needs. Any thread.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/hub/hubsettings.h"

#include <cstdint>
#include <optional>
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

    [[nodiscard]] std::string path() const; ///< behind the hub's address: "org/name", "datasets/org/name"
    [[nodiscard]] const char* noun() const; ///< "model", "data set"

    [[nodiscard]] static Result<RepositoryName> parse(std::string_view text);
};

struct RemoteFile {
    std::string path;       ///< within the repository; '/' parts folders, and none leads out of it
    std::uint64_t size = 0; ///< bytes
    std::string hash = {};  ///< lower-case hex: SHA-256 of a large file, else SHA-1 as Git has it; names the blob
    bool large = false;     ///< in large file storage
};

struct Repository {
    std::string commit;
    bool gated = false;
    std::vector<RemoteFile> files;

    /// Checks what the hub's API answered: `GET /api/models/NAME/revision/REVISION?blobs=true`, or `/api/datasets/`.
    [[nodiscard]] static Result<Repository> parse(std::string_view json);
    [[nodiscard]] static Result<Repository> ask(const RepositoryName& name, const HubSettings& settings,
                                                const Control& control);
};

/// Config, tokenizer and the weights in one form: safetensors, else PyTorch's, else the only GGUF file. `weights` names
/// a file of weights instead. Fails where that leaves a choice or nothing to choose from.
[[nodiscard]] Result<std::vector<RemoteFile>> neededFiles(const Repository& repository,
                                                          const std::string& weights = {});

} // namespace headscope::hub
