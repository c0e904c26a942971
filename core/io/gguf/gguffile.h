// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One GGUF file: weights, config and tokenizer in one, mapped and checked, seen in the Hugging Face layout. Immutable:
// any thread.

#include "core/io/gguf/ggufheader.h"
#include "core/io/safetensors/weightsfile.h"

namespace headscope::io {

class GgufFile : public WeightsFile
{
public:
    /// Maps the file read-only and checks its whole header. Tensors have the names and values of the original model;
    /// those that it has not are left out.
    static Result<std::shared_ptr<const GgufFile>> open(const std::filesystem::path& path);

    [[nodiscard]] const GgufHeader& header() const { return m_header; }
    /// The file and the reason, as one sentence.
    [[nodiscard]] Error refused(const Error& why) const;

private:
    GgufFile() = default;

    GgufHeader m_header;
};

/// The GGUF file that a place of a model is: a file of that name, or the only one in a folder without a config.json.
/// Nothing for other places; fails for a folder with several.
[[nodiscard]] Result<std::optional<std::filesystem::path>> ggufAt(const std::filesystem::path& place);

struct GgufConfig {
    std::string json;
    std::vector<std::string> warnings; ///< metadata that is not read, or read differently by llama.cpp; sentences
};

/// What config.json of the original would say, as far as a model needs it: from the metadata, and from which tensors
/// there are. Fails for metadata that ask for what is not computed here.
[[nodiscard]] Result<GgufConfig> ggufConfig(const GgufFile& file);

/// What tokenizer.json of the original would say. Fails for tokenizers of other kinds than BPE and for rules of
/// splitting text whose name is not known.
[[nodiscard]] Result<std::string> ggufTokenizer(const GgufFile& file);

} // namespace headscope::io
