// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/shortcutsdialog.h"

#include "widgets/look/fitscreen.h"

#include <QAction>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QScrollBar>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace headscope::gui {

namespace {

constexpr int kAround = 40; // pixels

} // namespace

ShortcutsDialog::ShortcutsDialog(const QMenuBar& menus, QWidget* parent)
    : QDialog(parent), m_list(new QTreeWidget(this))
{
    setWindowTitle(tr("Keys"));
    auto* search = new QLineEdit(this);
    search->setPlaceholderText(tr("Part of a key or a command"));
    search->setAccessibleName(tr("Search the keys"));
    search->setClearButtonEnabled(true);
    m_list->setHeaderLabels({tr("Keys"), tr("Actions"), tr("Where")});
    m_list->setRootIsDecorated(false);
    m_list->setAccessibleName(tr("Keys"));
    m_list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(search);
    layout->addWidget(m_list, 1);
    connect(search, &QLineEdit::textChanged, this, &ShortcutsDialog::filter);
    for (const QAction* action : menus.actions())
        if (action->menu())
            addMenu(*action->menu(), action->text().remove(QLatin1Char('&')));
    addParts();
    for (int column = 0; column < m_list->columnCount(); ++column)
        m_list->resizeColumnToContents(column);
    const int wide = m_list->header()->length() + m_list->verticalScrollBar()->sizeHint().width() + kAround;
    widgets::resizeWithinScreen(*this, {std::max(640, wide), 520});
}

void ShortcutsDialog::addMenu(const QMenu& menu, const QString& path)
{
    for (const QAction* action : menu.actions()) {
        if (action->menu())
            addMenu(*action->menu(), path);
        QStringList keys;
        for (const QKeySequence& one : action->shortcuts())
            keys.append(one.toString(QKeySequence::NativeText));
        if (!keys.isEmpty())
            add(path, keys.join(QStringLiteral(", ")), action->text().remove(QLatin1Char('&')));
    }
}

void ShortcutsDialog::addParts()
{
    const QString map = tr("head map"), pattern = tr("pattern"), everywhere = tr("everywhere"), lecture = tr("lecture"),
                  analysis = tr("analysis page");
    add(everywhere, tr("Tab, Shift+Tab"), tr("next or previous part"));
    add(map, tr("arrows"), tr("move from head to head"));
    add(map, tr("Space"), tr("ablate the head or restore it"));
    add(map, tr("Shift+Space"), tr("ablate or restore the selection"));
    add(map, QStringLiteral("L"), tr("ablate or restore the whole layer"));
    add(map, QStringLiteral("K"), tr("keep only the selection"));
    add(map, QStringLiteral("Z, M, E"), tr("replace the output by zero, its mean, or its output on another prompt"));
    add(map, QStringLiteral("F2"), tr("name the head"));
    add(pattern, tr("arrows, Home, End, PgUp, PgDn"), tr("move the crosshair"));
    add(pattern, tr("Enter"), tr("lock the row"));
    add(pattern, QStringLiteral("+, −, R"), tr("zoom in, zoom out, whole map"));
    add(analysis, QStringLiteral("T"), tr("switch between picture and table"));
    add(analysis, QStringLiteral("+, −, 0"), tr("zoom in, zoom out, reset zoom"));
    add(analysis, tr("Enter"), tr("choose the cell"));
    add(lecture, tr("Space, Backspace"), tr("next or previous step"));
    add(lecture, QStringLiteral("X, H, 1, 2, Esc"), tr("ablate, hide the numbers, one map alone, leave"));
}

void ShortcutsDialog::add(const QString& group, const QString& keys, const QString& what)
{
    new QTreeWidgetItem(m_list, {keys, what, group});
}

void ShortcutsDialog::filter(const QString& text)
{
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = m_list->topLevelItem(i);
        bool found = false;
        for (int column = 0; column < 3; ++column)
            found = found || item->text(column).contains(text, Qt::CaseInsensitive);
        item->setHidden(!found);
    }
}

} // namespace headscope::gui
