// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Compares two states of a session side by side. GUI thread.

#include "sessions/results/comparestates.h"

#include <QString>

#include <span>

class QWidget;

namespace headscope::gui {

/// Shows a table of every task that both states were scored on, with the paired test; it can be copied. The dialog
/// deletes itself when closed.
void showComparison(QWidget* parent, const QString& first, const QString& second,
                    std::span<const sessions::StateChange> changes);

} // namespace headscope::gui
