// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Removes folders from displayed names, which do not belong in a figure's caption. Any thread.

#include <string>
#include <string_view>

namespace headscope {

/// Returns a steering direction or a model by the last part of its path: "/home/me/happy-/home/me/sad" gives
/// "happy-sad", "vectors/a.safetensors[calm]" gives "a.safetensors[calm]". Names without a folder are unchanged.
[[nodiscard]] std::string nameWithoutFolders(std::string_view path);

/// Returns the canonical text of an ablation set, a run's name or a sentence with its names without their folders:
/// "L2H5 steer:L1*2=/home/me/a.npz[x]" gives "L2H5 steer:L1*2=a.npz[x]".
[[nodiscard]] std::string ablationWithoutFolders(std::string_view text);

} // namespace headscope
