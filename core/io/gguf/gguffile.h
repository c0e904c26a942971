// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One GGUF file: weights, config and tokenizer in one, mapped and checked, presented in the Hugging Face layout.
// Immutable: any thread.

#include "core/io/gguf/ggufheader.h"
#include "core/io/safetensors/weightsfile.h"

namespace headscope::io {

class GgufFile : public WeightsFile
{
public:
    /// Maps the file read-only and checks its whole header. Tensors have the names and values of the original model;
    /// those that the original does not have are omitted.
    static Result<std::shared_ptr<const GgufFile>> open(const std::filesystem::path& path);

    [[nodiscard]] const GgufHeader& header() const { return m_header; }
    /// Returns an error with the file and the reason, as one sentence.
    [[nodiscard]] Error refused(const Error& why) const;

private:
    GgufFile() = default;

    GgufHeader m_header;
};

/// Returns a model's GGUF file: a file of that name, or the only one in a folder without a config.json. Nothing for
/// other places; fails for a folder with several.
[[nodiscard]] Result<std::optional<std::filesystem::path>> ggufAt(const std::filesystem::path& place);

struct GgufConfig {
    std::string json;
    std::vector<std::string> warnings; ///< metadata not read, or read differently by llama.cpp; sentences
};

/// Returns the content of the original's config.json, as far as a model needs it: from the metadata and the existing
/// tensors. Fails for metadata that require unsupported computations.
[[nodiscard]] Result<GgufConfig> ggufConfig(const GgufFile& file);

/// Returns the content of the original's tokenizer.json. Fails for tokenizers of other kinds than BPE and for unknown
/// pre-tokenization rules.
[[nodiscard]] Result<std::string> ggufTokenizer(const GgufFile& file);

} // namespace headscope::io
