// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The weights of a model, in any supported format and in one file or many shards, as one table of named tensors.
// Immutable: any thread.

#include "core/base/progress.h"
#include "core/io/safetensors/weightsfile.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::io {

class Checkpoint
{
public:
    /// Opens the first of these that exists in a folder: `model.safetensors`, the shards of
    /// `model.safetensors.index.json`, `pytorch_model.bin`, the shards of `pytorch_model.bin.index.json`, a single
    /// other PyTorch file. Every header is checked before this returns; no tensor data is read.
    static Result<std::shared_ptr<const Checkpoint>> open(const std::filesystem::path& folder);

    /// Opens one file, whatever its name.
    static Result<std::shared_ptr<const Checkpoint>> openFile(const std::filesystem::path& file);

    /// Finds a tensor. A name dropped at saving because it shares memory with another (recorded in __metadata__) gives
    /// that other one.
    [[nodiscard]] std::optional<TensorView> find(std::string_view name) const;
    /// Returns the names, sorted, without the dropped ones.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Returns irregularities that do not prevent loading, one sentence each.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return m_warnings; }
    /// Returns the SHA-256 of all bytes of all files, in order of their names. Above kRememberedFrom bytes of data the
    /// hash is stored in the cache folder for the files' paths, sizes, inodes and change times, so that it is computed
    /// only once; progress is reported meanwhile.
    [[nodiscard]] Result<std::string> contentHash(const Control& control = {}) const;
    /// Returns contentHash() as in earlier versions, for more than kRememberedFrom bytes: of headers, sizes and 64 KiB
    /// of every 16 MiB. Empty for smaller ones, whose hash is the same. Only for recognizing old sessions.
    [[nodiscard]] std::string sampledHash() const;
    /// Returns the sum of all tensor bytes.
    [[nodiscard]] std::uint64_t bytes() const;
    [[nodiscard]] const std::vector<std::shared_ptr<const WeightsFile>>& files() const { return m_files; }
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

    static constexpr std::uint64_t kRememberedFrom = 1'000'000'000;

private:
    struct Place {
        std::size_t file = 0;
        std::size_t tensor = 0; ///< index in the file's table
    };

    Checkpoint() = default;
    Result<void> openFolder();
    Result<void> openIndex(const std::filesystem::path& index);
    Result<void> addFile(const std::filesystem::path& path);
    void noteMetadata(const WeightsFile& file);

    std::filesystem::path m_folder;
    std::vector<std::shared_ptr<const WeightsFile>> m_files; ///< sorted by name
    std::map<std::string, Place, std::less<>> m_tensors;
    std::vector<std::string> m_warnings;
};

} // namespace headscope::io
