// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Escape stops all work wherever the focus is, unless the widget that has it needs the key itself. GUI thread.

#include <QKeyEvent>

namespace headscope::widgets {

/// To be called from QWidget::event: keeps Escape for the widget while `needed`.
inline void keepEscape(QEvent* event, bool needed = true)
{
    if (needed && event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape)
        event->accept();
}

} // namespace headscope::widgets
