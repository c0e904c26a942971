// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Names of benchmarks in user-visible text. Pure functions; any thread.

#include <QString>

#include <string>

namespace headscope::gui {

/// Returns whether this is a task of the user's own, whose name is the path of its file.
[[nodiscard]] bool isTaskFile(const QString& task);
/// Returns "KV retrieval, 8 pairs", "MC (4 options)", "knowledge"; an unknown name is returned unchanged.
[[nodiscard]] QString taskTitle(const QString& task);
/// Returns a short form for the list of runs: "KV8", "MC", "knowledge".
[[nodiscard]] QString taskShortName(const QString& task);
/// Returns the description of a task from core/tasks in the language of the window.
[[nodiscard]] QString taskDescription(const std::string& title);

} // namespace headscope::gui
