// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The title of the window. GUI thread.

#include <QString>

namespace headscope::gui {

/// Returns "A tiny-transformer, B tiny-ssm — lecture — Headscope". `session` is a file, `a` and `b` are model names;
/// empty ones are left out.
[[nodiscard]] QString windowTitle(const QString& session, const QString& a, const QString& b);

} // namespace headscope::gui
