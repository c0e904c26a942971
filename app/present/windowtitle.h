// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is in the title of the window. GUI thread.

#include <QString>

namespace headscope::gui {

/// "A tiny-transformer, B tiny-ssm — lecture — Headscope". `session` is a file, `a` and `b` names of models; what is
/// empty is left out.
[[nodiscard]] QString windowTitle(const QString& session, const QString& a, const QString& b);

} // namespace headscope::gui
