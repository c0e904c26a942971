// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders of models that a person has opened himself, or that lie in his cache. What a session names elsewhere is not
// opened without him: who sent it could name any. Remembered from day to day. GUI thread.

#include <QString>

namespace headscope::gui {

/// Whether a model that a session names may be opened unasked: a name rather than a path, a folder that was opened by
/// hand before, one of the Hugging Face cache, one in a folder that was added, or a shipped one. Touches no file that
/// the name leads to.
[[nodiscard]] bool isOwnModel(const QString& model);
/// A person has opened this folder.
void rememberOwnModel(const QString& folder);

} // namespace headscope::gui
