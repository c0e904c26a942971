// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Packed maps of one model in the user's cache folder, so that they are packed once. A file has the name of what it is
// made from: a hash of all bytes of the weights, the config and the adapter, and of the form. It is mapped, and
// verified as a whole before any of it is used, and one that is damaged, cut or of something else counts as none.
// Worker thread.

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
    /// What is kept of a model in `folder`; nothing where there is no sound file. `content`: LoadedModel::contentHash.
    PackedStore(std::filesystem::path folder, const std::string& content, WeightForm form);

    /// The map of this name, shape and form; null: it is not kept.
    [[nodiscard]] std::shared_ptr<const PackedWeight> find(const std::string& name, at::IntArrayRef shape,
                                                           WeightForm form) const;
    void add(const std::string& name, const PackedWeight& packed);

    /// Writes the file anew where something was added. The files that were used longest ago make room, so that all
    /// together take at most `limit` bytes; where this one is larger by itself nothing is written.
    [[nodiscard]] Result<void> save(std::int64_t limit) const;

    /// The file that the maps of find() are parts of, which must not change while they are used. Null: none.
    [[nodiscard]] const std::shared_ptr<const io::WeightsFile>& file() const { return m_opened; }

private:
    void read();
    std::filesystem::path m_file;
    std::string m_key;
    std::map<std::string, at::Tensor> m_tensors; ///< as the file has them: flat codes and scales
    std::shared_ptr<const io::WeightsFile> m_opened;
    bool m_added = false;
};

} // namespace headscope::lm
