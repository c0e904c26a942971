// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The multi-line text field of this program. GUI thread.

#include <QDragEnterEvent>
#include <QMimeData>
#include <QPlainTextEdit>

namespace headscope::widgets {

/// Accepts pasted or dropped data only if there is any. Qt 6.4 uses the first of its formats without checking that one
/// exists, and crashes; an X clipboard without an owner has none.
class PlainEdit : public QPlainTextEdit
{
public:
    using QPlainTextEdit::QPlainTextEdit;

protected:
    /// Files are opened by the window: their URLs are not inserted as text.
    void dragEnterEvent(QDragEnterEvent* event) override
    {
        if (event->mimeData()->hasUrls())
            event->ignore();
        else
            QPlainTextEdit::dragEnterEvent(event);
    }
    [[nodiscard]] bool canInsertFromMimeData(const QMimeData* source) const override
    {
        return holdsAnything(source) && QPlainTextEdit::canInsertFromMimeData(source);
    }
    void insertFromMimeData(const QMimeData* source) override
    {
        if (holdsAnything(source))
            QPlainTextEdit::insertFromMimeData(source);
    }

private:
    [[nodiscard]] static bool holdsAnything(const QMimeData* source) { return source && !source->formats().isEmpty(); }
};

} // namespace headscope::widgets
