// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The text field of several lines of this program. GUI thread.

#include <QDragEnterEvent>
#include <QMimeData>
#include <QPlainTextEdit>

namespace headscope::widgets {

/// Takes what is pasted or dropped only where there is something in it. Qt 6.4 looks at the first of its formats
/// without asking whether there is one, and falls over; an X clipboard that nobody owns has none.
class PlainEdit : public QPlainTextEdit
{
public:
    using QPlainTextEdit::QPlainTextEdit;

protected:
    /// Files are opened by the window: their addresses are not text that somebody wants here.
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
