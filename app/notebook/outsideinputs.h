// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What interventions read besides the model that they change, by its content: the weights that `swap:` names, the
// vectors and prompts of `steer:`, the model's lens. Part of the identity of everything that is stored under them. Any
// thread.

#include "app/notebook/notebook.h"
#include "core/base/hash.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace headscope::app {

/// The two lists of prompts that a direction is made of, `steer:L2=LIST-LIST`; a name may contain a '-' itself. Nothing
/// where such files do not exist.
[[nodiscard]] std::optional<std::pair<std::filesystem::path, std::filesystem::path>>
listsOf(const interventions::Steer& steer);

/// The word of `steer:L2=jlens:WORD`, whose direction the Jacobian lens in the model's folder has; nothing: it is
/// another direction.
[[nodiscard]] std::optional<std::string> wordOf(const interventions::Steer& steer);
/// Returns the SHA-256 of a Jacobian lens, or "missing".
[[nodiscard]] std::string contentOfLens(const std::filesystem::path& file);
/// The lens of its own that a model opened from `source` has, whether there is one or not: in its folder, with an
/// adapter in the adapter's, whose weights it was fitted on.
[[nodiscard]] std::filesystem::path lensOfModel(const std::string& source);

/// Returns the SHA-256 of a list's content, or "missing". A file whose size, times and inode are unchanged is not read
/// again by the same thread.
[[nodiscard]] std::string contentOf(const std::filesystem::path& list);

/// What the file system says of the model that `swap:` names: as long as it is the same, so are its weights.
[[nodiscard]] std::string donorStamp(const std::string& name);

/// Adds what each intervention reads to `hash`; false: they read nothing.
bool addOutsideInputs(Sha256& hash, const Subject& subject, const interventions::InterventionSet& set);
/// The same as 64 hex digits; empty where the interventions read nothing.
[[nodiscard]] std::string outsideInputs(const Subject& subject, const interventions::InterventionSet& set);

/// What a state of a model is known by where results are kept in memory: its ablation and what that reads.
[[nodiscard]] std::string stateIdentity(const Subject& subject, const interventions::InterventionSet& set);

} // namespace headscope::app
