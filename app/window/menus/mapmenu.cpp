// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/mapmenu.h"

#include "app/present/mapfiles.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMenu>

namespace headscope::gui {

using widgets::MessageBar;

MapMenu::MapMenu(ExplorerPage& page, QWidget* window) : QObject(window), m_page(page), m_window(window)
{
    for (const Side side : kSides) {
        widgets::PatternView* view = page.parts().patterns->view(side);
        view->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(view, &QWidget::customContextMenuRequested, this, [this, side, view](const QPoint& at) {
            QMenu* menu = menuFor(side, view);
            menu->setAttribute(Qt::WA_DeleteOnClose);
            menu->popup(view->mapToGlobal(at));
        });
    }
}

QMenu* MapMenu::menuFor(Side side, QWidget* parent)
{
    auto* menu = new QMenu(parent);
    menu->addAction(tr("Copy as &picture"), this, [this, side] { copyPicture(side); });
    menu->addAction(tr("Copy &values"), this, [this, side] { copyValues(side); });
    menu->addAction(tr("&Save the matrix …"), this, [this, side] { save(side); });
    menu->addSeparator();
    menu->addAction(tr("&Knock out edges …"), this,
                    [this, side] { m_page.explorer()->controllers().knockout.open(side); });
    menu->addAction(tr("&Figure of this …"), this, &MapMenu::figureRequested);
    const bool there = !m_page.parts().patterns->view(side)->pattern().empty();
    for (QAction* action : menu->actions())
        action->setEnabled(there);
    return menu;
}

// With its bars and its sentence: a picture that says what it shows.
void MapMenu::copyPicture(Side side)
{
    QGuiApplication::clipboard()->setPixmap(m_page.parts().patterns->card(side)->grab());
}

void MapMenu::copyValues(Side side)
{
    QGuiApplication::clipboard()->setText(valuesText(m_page.parts().patterns->view(side)->pattern()));
}

void MapMenu::save(Side side)
{
    const widgets::PatternData& map = m_page.parts().patterns->view(side)->pattern();
    const QString path = QFileDialog::getSaveFileName(m_window, tr("Save the matrix"),
                                                      map.head.section(QLatin1Char(' '), -1) + QStringLiteral(".npy"),
                                                      tr("NumPy (*.npy);;safetensors (*.safetensors);;Table (*.csv)"));
    if (path.isEmpty())
        return;
    const auto saved = saveMatrix(map, path);
    m_page.parts().messages->showMessage(saved.has_value() ? MessageBar::Kind::Info : MessageBar::Kind::Error,
                                         saved.has_value() ? tr("Saved %1").arg(path)
                                                           : QString::fromStdString(saved.error().message));
}

} // namespace headscope::gui
