// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What benchmarks are called where a person reads. Pure functions; any thread.

#include <QString>

#include <string>

namespace headscope::gui {

/// A task of the user's own, whose name is the path of its file.
[[nodiscard]] bool isTaskFile(const QString& task);
/// "KV retrieval, 8 pairs", "MC (4 options)", "knowledge"; a name that is not known is shown as it is.
[[nodiscard]] QString taskTitle(const QString& task);
/// The same in a few letters, for the runs list: "KV8", "MC", "knowledge".
[[nodiscard]] QString taskShortName(const QString& task);
/// What core/tasks says a task is, in the language of the window.
[[nodiscard]] QString aboutTask(const std::string& title);

} // namespace headscope::gui
