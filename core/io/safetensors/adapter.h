// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders of adapters (PEFT: LoRA and others), which contain changes to a model. Immutable: any thread.

#include "core/base/result.h"
#include "core/io/safetensors/checkpoint.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace headscope::io {

/// Returns a description from adapter_config.json: "a LoRA adapter of 'org/base'"; nothing if there is none.
[[nodiscard]] std::optional<std::string> adapterIn(const std::filesystem::path& folder);

/// Returns whether the folder contains an adapter and no model.
[[nodiscard]] bool isAdapterAlone(const std::filesystem::path& folder);

/// Returns the error for a folder with only an adapter: what it is and what to do, as one sentence.
[[nodiscard]] Error adapterAlone(const std::filesystem::path& folder, const std::string& adapter);

/// A LoRA adapter as saved by PEFT: adapter_config.json and adapter_model.safetensors (or .bin). Anything that PEFT
/// computes differently from W + scale · B A (DoRA, trained biases or whole modules, replicated layers, initialisations
/// that change the base) is rejected by name when it is opened.
class LoraAdapter
{
public:
    /// W [out, in] becomes W + scale · B A; for an embedding [V, D] the transpose, (B A)^T.
    struct Map {
        TensorView a;                   ///< [r, in]; for an embedding [r, V]
        TensorView b;                   ///< [out, r]; for an embedding [D, r]
        std::optional<TensorView> base; ///< W as saved by PEFT beside changes of a table; nothing: the model's own
        double scale = 1;
        bool embedding = false;
    };

    [[nodiscard]] static Result<std::shared_ptr<const LoraAdapter>> open(const std::filesystem::path& folder);

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    /// Returns base_model_name_or_path with its revision, as "org/name@revision"; may be empty.
    [[nodiscard]] const std::string& base() const { return m_base; }
    /// Returns the maps by the name of the module in its model: "model.layers.0.self_attn.q_proj".
    [[nodiscard]] const std::map<std::string, Map>& maps() const { return m_maps; }
    /// Returns "LoRA, rank 8", with the largest rank.
    [[nodiscard]] std::string text() const;
    /// Returns the SHA-256 of the config and the weights.
    [[nodiscard]] Result<std::string> contentHash(const Control& control = {}) const;

private:
    struct Settings;
    LoraAdapter() = default;
    Result<void> readMaps(const Settings& settings);

    std::filesystem::path m_folder;
    std::string m_base, m_config;
    std::shared_ptr<const Checkpoint> m_weights;
    std::map<std::string, Map> m_maps;
};

} // namespace headscope::io
