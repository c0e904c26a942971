// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Model folders opened by the user, or in the user's cache. Other folders named by a session are not opened without
// confirmation, since its sender could name any. Remembered across starts. GUI thread.

#include <QString>

namespace headscope::gui {

/// Returns whether a model named by a session may be opened without confirmation: a name rather than a path, a folder
/// that the user has opened before, one in the Hugging Face cache, one in an added folder, or a shipped one. Accesses
/// no file under that name.
[[nodiscard]] bool isOwnModel(const QString& model);
/// Remembers that the user has opened this folder.
void rememberOwnModel(const QString& folder);

} // namespace headscope::gui
