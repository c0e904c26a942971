// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From what a person types as MODEL to a folder: a path, a shipped name, or a model in the Hugging Face cache. Any
// thread.

#include "core/base/result.h"
#include "core/io/pathlist.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::io {

/// Own: it lies in a folder that the person added to the list of models.
enum class ModelOrigin { Folder, Shipped, Cached, Own };

struct ModelFolder {
    std::string name; ///< as a person writes it: folder name, shipped name, org/name, or the path below an own folder
    std::string revision;       ///< commit of a cached model, else empty
    std::filesystem::path path; ///< has config.json (or at least a tokenizer.json, see resolveModel)
    ModelOrigin origin = ModelOrigin::Folder;
    std::filesystem::path adapter; ///< folder of a LoRA adapter to be merged into it; empty: none

    /// What resolveModel() finds this same model by, wherever the program is started: the absolute path, with an
    /// adapter "BASE+ADAPTER".
    [[nodiscard]] std::string place() const;
};

struct ModelPlaces {
    std::filesystem::path shippedFolder; ///< holds one folder per shipped model; may be empty
    std::filesystem::path hubCache;      ///< holds models--org--name folders; may be empty
    /// That the person added: each a model, or a folder of models, up to three levels deep.
    std::vector<std::filesystem::path> ownFolders;

    /// With the folders of modelFolders(), and the cache where huggingface_hub looks: HF_HUB_CACHE, HF_HOME/hub,
    /// XDG_CACHE_HOME/huggingface/hub,
    /// ~/.cache/huggingface/hub.
    [[nodiscard]] static ModelPlaces fromEnvironment(std::filesystem::path shippedFolder);
};

/// Resolves a MODEL argument, in this order: an existing folder, a shipped name, `org/name[@revision]` in the cache
/// (a branch, a tag, or a commit or the start of one; without one, `main`), a name of ownModels(), and
/// `MODEL+ADAPTER`, the folder or name of a LoRA adapter on its base. Of an adapter alone the base is the one that it
/// names. Nothing is downloaded. The folder found has config.json or tokenizer.json; incomplete downloads are refused
/// with what is missing.
[[nodiscard]] Result<ModelFolder> resolveModel(const std::string& argument, const ModelPlaces& places);

/// Complete models of the cache (their main revision, or any one), sorted by name.
[[nodiscard]] std::vector<ModelFolder> cachedModels(const ModelPlaces& places);
/// Names of models whose download into the cache never finished, sorted.
[[nodiscard]] std::vector<std::string> unfinishedModels(const ModelPlaces& places);
/// Sorted by name.
[[nodiscard]] std::vector<ModelFolder> shippedModels(const ModelPlaces& places);
/// Of the folders that a person added, in their order, then sorted by name; of a folder with very many the first.
[[nodiscard]] std::vector<ModelFolder> ownModels(const ModelPlaces& places);

/// Bytes of the files of weights of a folder, or of a GGUF file, as they lie on the disk; 0: there are none.
[[nodiscard]] std::uint64_t weightFileBytes(const std::filesystem::path& model);

/// The folders of models that the person added.
[[nodiscard]] PathList modelFolders();

} // namespace headscope::io
