// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Packed maps of one model in the user's cache folder, so that they are packed only once. A file is named
// after its source: a hash of all bytes of the weights, the config and the adapter, and of the form. It is
// mapped and completely verified before use; a damaged, truncated or unrelated file is ignored. Worker
// thread.

#include "core/base/result.h"
#include "core/io/safetensors/weightsfile.h"
#include "core/lm/weights/packedweight.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace headscope::lm {

class PackedStore
{
public:
    /// Opens the file of a model in `folder`; empty if there is no valid file. `content`: LoadedModel::contentHash.
    PackedStore(std::filesystem::path folder, const std::string& content, WeightForm form);

    /// Returns the map of this name, shape and form; null: not stored.
    [[nodiscard]] std::shared_ptr<const PackedWeight> find(const std::string& name, at::IntArrayRef shape,
                                                           WeightForm form) const;
    void add(const std::string& name, const PackedWeight& packed);

    /// Rewrites the file if maps were added. Deletes the least recently used files so that all together take at most
    /// `limit` bytes; writes nothing if this file alone is larger.
    [[nodiscard]] Result<void> save(std::int64_t limit) const;

    /// Returns the file that the maps of find() point into, which must not change while they are used. Null: none.
    [[nodiscard]] const std::shared_ptr<const io::WeightsFile>& file() const { return m_opened; }

private:
    void read();
    std::filesystem::path m_file;
    std::string m_key;
    std::map<std::string, at::Tensor> m_tensors; ///< as in the file: flat codes and scales
    std::shared_ptr<const io::WeightsFile> m_opened;
    bool m_added = false;
};

} // namespace headscope::lm
