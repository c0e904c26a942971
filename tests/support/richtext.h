// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Finds text of a file that a window would read as rich text: in labels, tooltips, item views, documents and charts.
// GUI thread.

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QGraphicsTextItem>
#include <QGraphicsView>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPointer>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextEdit>
#include <QToolTip>
#include <QWidget>

namespace headscope::testing {

class RichTextFinder
{
public:
    /// `markup`: a tag that stands in every text of the file, and in none of ours.
    explicit RichTextFinder(QString markup) : m_markup(std::move(markup)) {}

    /// What is wrong in a window and all that belongs to it, a line each.
    [[nodiscard]] QStringList faultsIn(QWidget& window)
    {
        m_faults.clear();
        look(window);
        QList<QPointer<QWidget>> widgets; // a tooltip that is shown is one, and goes with the next
        for (QWidget* widget : window.findChildren<QWidget*>())
            widgets.append(widget);
        for (const QPointer<QWidget>& widget : widgets)
            if (widget)
                look(*widget);
        for (const QAction* action : window.findChildren<QAction*>())
            guessed(*action, QStringLiteral("whatsThis"), action->whatsThis());
        m_faults.removeDuplicates();
        return m_faults;
    }
    /// How many texts with the markup in them were seen: a test that saw none shows nothing.
    [[nodiscard]] int textsChecked() const { return m_textsChecked; }

private:
    void fault(const QObject& where, const QString& what, const QString& text)
    {
        QStringList place;
        for (const QObject* at = &where; at; at = at->parent())
            place.prepend(QString::fromUtf8(at->metaObject()->className()) + u' ' + at->objectName());
        m_faults += place.join(u'/') + QStringLiteral(": ") + what + QStringLiteral(": ") + text.left(200);
    }
    bool holds(const QString& text)
    {
        const bool held = text.contains(m_markup);
        m_textsChecked += held ? 1 : 0;
        return held;
    }
    /// A place where Qt guesses what it is given.
    void guessed(const QObject& where, const QString& what, const QString& text)
    {
        if (holds(text) && Qt::mightBeRichText(text))
            fault(where, what, text);
    }

    void look(QWidget& widget)
    {
        guessed(widget, QStringLiteral("tooltip"), widget.toolTip());
        guessed(widget, QStringLiteral("whatsThis"), widget.whatsThis());
        if (const auto* label = qobject_cast<QLabel*>(&widget)) {
            if (label->textFormat() == Qt::AutoText)
                guessed(widget, QStringLiteral("label"), label->text());
            else if (holds(label->text()) && label->textFormat() != Qt::PlainText)
                fault(widget, QStringLiteral("formatted label"), label->text());
        }
        if (const auto* menu = qobject_cast<QMenu*>(&widget); menu && menu->toolTipsVisible())
            for (const QAction* action : menu->actions())
                guessed(widget, QStringLiteral("entry of a menu"), action->toolTip());
        if (const auto* box = qobject_cast<QComboBox*>(&widget))
            look(widget, *box->model());
        if (const auto* view = qobject_cast<QAbstractItemView*>(&widget); view && view->model())
            look(widget, *view->model());
        if (const auto* text = qobject_cast<QTextEdit*>(&widget))
            look(widget, *text->document());
        if (const auto* text = qobject_cast<QPlainTextEdit*>(&widget))
            look(widget, *text->document());
        if (const auto* view = qobject_cast<QGraphicsView*>(&widget); view && view->scene())
            for (const QGraphicsItem* item : view->scene()->items())
                if (const auto* text = dynamic_cast<const QGraphicsTextItem*>(item))
                    look(widget, *text->document());
        if (widget.isVisible())
            pointAt(widget);
    }

    void look(const QWidget& widget, const QAbstractItemModel& model, const QModelIndex& parent = {})
    {
        constexpr int kMost = 200; // rows of a table are all alike
        for (int column = 0; column < model.columnCount(parent); ++column) {
            guessed(widget, QStringLiteral("header"),
                    model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
            for (int row = 0; row < std::min(model.rowCount(parent), kMost); ++row) {
                const QModelIndex index = model.index(row, column, parent);
                (void)holds(index.data().toString());
                for (const int role : {Qt::ToolTipRole, Qt::WhatsThisRole})
                    guessed(widget, QStringLiteral("item"), index.data(role).toString());
                if (model.hasChildren(index))
                    look(widget, model, index);
            }
        }
        for (int row = 0; row < std::min(model.rowCount(parent), kMost); ++row)
            guessed(widget, QStringLiteral("header"), model.headerData(row, Qt::Vertical, Qt::ToolTipRole).toString());
    }

    /// A document that shows the tag as text has it in its text; one that read it has a picture or a format instead.
    void look(const QWidget& widget, const QTextDocument& document)
    {
        (void)holds(document.toPlainText());
        for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
            for (auto piece = block.begin(); !piece.atEnd(); ++piece)
                if (piece.fragment().charFormat().isImageFormat())
                    fault(widget, QStringLiteral("document"), piece.fragment().charFormat().toImageFormat().name());
    }

    void pointAt(QWidget& widget)
    {
        QToolTip::hideText();
        const QPoint middle = widget.rect().center();
        QHelpEvent event(QEvent::ToolTip, middle, widget.mapToGlobal(middle));
        QApplication::sendEvent(&widget, &event);
        guessed(widget, QStringLiteral("shown tooltip"), QToolTip::text());
    }

    QString m_markup;
    QStringList m_faults;
    int m_textsChecked = 0;
};

} // namespace headscope::testing
