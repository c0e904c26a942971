// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Resolves a user's MODEL argument to a folder: a path, an included model's name, or a model in the Hugging Face cache.
// Any thread.

#include "core/base/result.h"
#include "core/io/pathlist.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::io {

/// Origin of a model. Own: in a folder that the user added to the list of models.
enum class ModelOrigin { Folder, Shipped, Cached, Own };

struct ModelFolder {
    std::string name;     ///< as users write it: folder name, included model, org/name, or the path below an own folder
    std::string revision; ///< commit of a cached model, otherwise empty
    std::filesystem::path path; ///< contains config.json (or at least a tokenizer.json, see resolveModel)
    ModelOrigin origin = ModelOrigin::Folder;
    std::filesystem::path adapter; ///< folder of a LoRA adapter to merge into it; empty: none

    /// Returns an argument with which resolveModel() finds this model from any working directory: the absolute path,
    /// with an adapter "BASE+ADAPTER".
    [[nodiscard]] std::string place() const;
};

struct ModelPlaces {
    std::filesystem::path shippedFolder; ///< contains one folder per included model; may be empty
    std::filesystem::path hubCache;      ///< contains models--org--name folders; may be empty
    /// Folders added by the user: each a model, or a folder of models, up to three levels deep.
    std::vector<std::filesystem::path> ownFolders;

    /// Returns the places with the folders of modelFolders(), and the cache in huggingface_hub's
    /// location: HF_HUB_CACHE, HF_HOME/hub, XDG_CACHE_HOME/huggingface/hub,
    /// ~/.cache/huggingface/hub.
    [[nodiscard]] static ModelPlaces fromEnvironment(std::filesystem::path shippedFolder);
};

/// Resolves a MODEL argument, in this order: an existing folder, an included model's name, `org/name[@revision]` in the
/// cache (a branch, a tag, or a commit or the start of one; without one, `main`), a name of ownModels(), and
/// `MODEL+ADAPTER`, the folder or name of a LoRA adapter on its base. For an adapter alone the base is the one that it
/// names. Nothing is downloaded. The folder found has config.json or tokenizer.json; incomplete downloads are rejected
/// with a list of missing parts. The detail of an error is the argument where only the hub may have such a model.
[[nodiscard]] Result<ModelFolder> resolveModel(const std::string& argument, const ModelPlaces& places);

/// Returns the complete models of the cache (their main revision, or any one), sorted by name.
[[nodiscard]] std::vector<ModelFolder> cachedModels(const ModelPlaces& places);
/// Returns the names of models whose download into the cache was not completed, sorted.
[[nodiscard]] std::vector<std::string> unfinishedModels(const ModelPlaces& places);
/// Returns the included models, sorted by name.
[[nodiscard]] std::vector<ModelFolder> shippedModels(const ModelPlaces& places);
/// Returns the models in the folders added by the user, in their order, then by name; limited for very large folders.
[[nodiscard]] std::vector<ModelFolder> ownModels(const ModelPlaces& places);

/// Returns the disk size of a folder's weight files, or of a GGUF file, in bytes; 0: there are none.
[[nodiscard]] std::uint64_t weightFileBytes(const std::filesystem::path& model);

/// Returns the folders of models that the user added.
[[nodiscard]] PathList modelFolders();

} // namespace headscope::io
