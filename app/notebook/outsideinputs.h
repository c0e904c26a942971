// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Inputs of interventions besides the model that they change, by content: the weights named by `swap:`, the
// vectors and prompts of `steer:`, the model's lens. Part of the identity of all results under them. Any
// thread.

#include "app/notebook/notebook.h"
#include "core/base/hash.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace headscope::app {

/// Returns the two lists of prompts that define a direction, `steer:L2=LIST-LIST`; a name may contain a '-' itself.
/// Nothing if there are no such files.
[[nodiscard]] std::optional<std::pair<std::filesystem::path, std::filesystem::path>>
listsOf(const interventions::Steer& steer);

/// Returns the word of `steer:L2=jlens:WORD`, a direction from the Jacobian lens in the model's folder; nothing for
/// other directions.
[[nodiscard]] std::optional<std::string> wordOf(const interventions::Steer& steer);
/// Returns the SHA-256 of a Jacobian lens, or "missing".
[[nodiscard]] std::string contentOfLens(const std::filesystem::path& file);
/// Returns the path of the lens of a model opened from `source`, even if no such file exists: in the model's folder or,
/// with an adapter, in that of the adapter, on whose weights it was fitted.
[[nodiscard]] std::filesystem::path lensOfModel(const std::string& source);

/// Returns the SHA-256 of a list's content, or "missing". A file whose size, times and inode are unchanged is not read
/// again by the same thread.
[[nodiscard]] std::string contentOf(const std::filesystem::path& list);

/// Returns file system metadata of the model named by `swap:`: while it is unchanged, so are its weights.
[[nodiscard]] std::string donorStamp(const std::string& name);

/// Adds the inputs of each intervention to `hash`; returns false if there are none.
bool addOutsideInputs(Sha256& hash, const Subject& subject, const interventions::InterventionSet& set);
/// The same as 64 hex digits; empty if the interventions have no such inputs.
[[nodiscard]] std::string outsideInputs(const Subject& subject, const interventions::InterventionSet& set);

/// Returns the identity of a model's state for results in memory: its ablation and the inputs of that.
[[nodiscard]] std::string stateIdentity(const Subject& subject, const interventions::InterventionSet& set);

} // namespace headscope::app
