// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Takes the folders out of names that people see: a figure's caption is not a place for them. Any thread.

#include <string>
#include <string_view>

namespace headscope {

/// A steering direction or a model by the last name of its path: "/home/me/happy-/home/me/sad" gives
/// "happy-sad", "vectors/a.safetensors[calm]" gives "a.safetensors[calm]". Names without a folder as they are.
[[nodiscard]] std::string nameWithoutFolders(std::string_view path);

/// The canonical text of an ablation set, a run's name or a sentence with the names in it without their folders:
/// "L2H5 steer:L1*2=/home/me/a.npz[x]" gives "L2H5 steer:L1*2=a.npz[x]".
[[nodiscard]] std::string ablationWithoutFolders(std::string_view text);

} // namespace headscope
