// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders of adapters (PEFT: LoRA and others), which hold changes to a model and no model. Immutable: any thread.

#include "core/base/result.h"
#include "core/io/safetensors/checkpoint.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace headscope::io {

/// What adapter_config.json of a folder says: "a LoRA adapter of 'org/base'"; nothing where there is none.
[[nodiscard]] std::optional<std::string> adapterIn(const std::filesystem::path& folder);

/// Whether the folder holds an adapter and no model.
[[nodiscard]] bool isAdapterAlone(const std::filesystem::path& folder);

/// The folder holds an adapter alone: what it is and what to do, as one sentence.
[[nodiscard]] Error adapterAlone(const std::filesystem::path& folder, const std::string& adapter);

/// A LoRA adapter as PEFT saves it: adapter_config.json and adapter_model.safetensors (or .bin). What PEFT would
/// compute otherwise than W + scale · B A (DoRA, trained biases or whole modules, replicated layers, initialisations
/// that change the base) is refused by name when it is opened.
class LoraAdapter
{
public:
    /// W [out, in] becomes W + scale · B A; of an embedding [V, D] it is the transpose, (B A)^T.
    struct Map {
        TensorView a;                   ///< [r, in]; of an embedding [r, V]
        TensorView b;                   ///< [out, r]; of an embedding [D, r]
        std::optional<TensorView> base; ///< W as PEFT saves it beside changes of a table; nothing: the model's own
        double scale = 1;
        bool embedding = false;
    };

    [[nodiscard]] static Result<std::shared_ptr<const LoraAdapter>> open(const std::filesystem::path& folder);

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    /// base_model_name_or_path with its revision, as "org/name@revision"; may be empty.
    [[nodiscard]] const std::string& base() const { return m_base; }
    /// By the name of the module in its model: "model.layers.0.self_attn.q_proj".
    [[nodiscard]] const std::map<std::string, Map>& maps() const { return m_maps; }
    /// Maps of Conv1D modules (GPT-2), whose weights are stored [in, out].
    [[nodiscard]] bool fanInFanOut() const { return m_fanInFanOut; }
    /// "LoRA, rank 8": the largest rank.
    [[nodiscard]] std::string text() const;
    /// SHA-256 of the config and the weights.
    [[nodiscard]] Result<std::string> contentHash(const Control& control = {}) const;

private:
    struct Settings;
    LoraAdapter() = default;
    Result<void> readMaps(const Settings& settings);

    std::filesystem::path m_folder;
    std::string m_base, m_config;
    bool m_fanInFanOut = false;
    std::shared_ptr<const Checkpoint> m_weights;
    std::map<std::string, Map> m_maps;
};

} // namespace headscope::io
