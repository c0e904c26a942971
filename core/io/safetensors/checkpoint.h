// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The weights of a model, in whatever form and in one file or many shards, as one table of named tensors. Immutable:
// any thread.

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
    /// Of a folder the first that is there: `model.safetensors`, the shards of `model.safetensors.index.json`,
    /// `pytorch_model.bin`, the shards of `pytorch_model.bin.index.json`, a single other file of PyTorch's. Every
    /// header is checked before this returns; no tensor data is read.
    static Result<std::shared_ptr<const Checkpoint>> open(const std::filesystem::path& folder);

    /// One file, whatever its name.
    static Result<std::shared_ptr<const Checkpoint>> openFile(const std::filesystem::path& file);

    /// A name that was dropped at saving because it shares memory with another (recorded in __metadata__) finds that
    /// other.
    [[nodiscard]] std::optional<TensorView> find(std::string_view name) const;
    /// Sorted; without the dropped names.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Oddities that do not hinder loading, one sentence each.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return m_warnings; }
    /// SHA-256 over all bytes of all files, in order of their names. Above kRememberedFrom bytes of data the hash is
    /// remembered in the cache folder for the files' paths, sizes, inodes and times of change, so that it is computed
    /// once; while it is, progress is reported.
    [[nodiscard]] Result<std::string> contentHash(const Control& control = {}) const;
    /// What contentHash() was for more than kRememberedFrom bytes in earlier versions: of the headers, the sizes and
    /// 64 KiB of every 16 MiB. Empty for smaller ones, whose hash is the same. Only for saying that a session has it.
    [[nodiscard]] std::string sampledHash() const;
    /// Sum of all tensor bytes.
    [[nodiscard]] std::uint64_t bytes() const;
    [[nodiscard]] const std::vector<std::shared_ptr<const WeightsFile>>& files() const { return m_files; }
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

    static constexpr std::uint64_t kRememberedFrom = 1'000'000'000;

private:
    struct Place {
        std::size_t file = 0;
        std::size_t tensor = 0; ///< number in the file's table
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
