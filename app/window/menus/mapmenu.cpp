// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/mapmenu.h"

#include "app/present/prompt/mapfiles.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "widgets/look/countedtext.h"
#include "widgets/look/filename.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMenu>

namespace headscope::gui {

using widgets::MessageBar;

MapMenu::MapMenu(ExplorerPage& page, app::Door& door, QWidget* window)
    : QObject(window), m_page(page), m_door(door), m_window(window)
{
    door.on<app::MapsRequest>(this, [this](Side, const auto& maps) { saved(*maps); });
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
    const int layer = m_page.explorer()->state().side(side).head.layer;
    auto* ofLayer = menu->addAction(tr("Save all heads of &layer %1 …").arg(layer), this,
                                    [this, side, layer] { saveAll(side, layer); });
    auto* ofModel = menu->addAction(tr("Save all heads of the &model …"), this, [this, side] { saveAll(side, -1); });
    menu->addSeparator();
    menu->addAction(tr("Bloc&k attention …"), this,
                    [this, side] { m_page.explorer()->controllers().knockout.open(side); });
    menu->addAction(tr("&Figure of this …"), this, [this, side] { Q_EMIT figureRequested(side); });
    const bool there = !m_page.parts().patterns->view(side)->pattern().empty();
    for (QAction* action : menu->actions())
        action->setEnabled(there);
    for (QAction* action : {ofLayer, ofModel})
        action->setEnabled(there && canRead(side));
    return menu;
}

bool MapMenu::canRead(Side side) const
{
    const SideState& now = m_page.explorer()->state().side(side);
    return now.model && now.pattern && !now.isStored();
}

// With its bars and its sentence: a picture that says what it shows.
void MapMenu::copyPicture(Side side)
{
    QGuiApplication::clipboard()->setPixmap(m_page.parts().patterns->card(side)->grab());
}

void MapMenu::copyValues(Side side)
{
    const auto text = valuesText(m_page.parts().patterns->view(side)->pattern());
    if (text.has_value())
        QGuiApplication::clipboard()->setText(*text);
    else
        m_page.parts().messages->showMessage(MessageBar::Kind::Error, QString::fromStdString(text.error().message));
}

void MapMenu::save(Side side)
{
    const widgets::PatternData map = m_page.parts().patterns->view(side)->pattern(); // the one that was pointed at
    const QString path = QFileDialog::getSaveFileName(m_window, tr("Save the matrix"),
                                                      widgets::fileNameOf(mapName(map)) + QStringLiteral(".npy"),
                                                      tr("NumPy (*.npy);;safetensors (*.safetensors);;Table (*.csv)"));
    if (path.isEmpty())
        return;
    const auto saved = saveMatrix(map, path);
    m_page.parts().messages->showMessage(saved.has_value() ? MessageBar::Kind::Info : MessageBar::Kind::Error,
                                         saved.has_value() ? tr("Saved %1").arg(path)
                                                           : QString::fromStdString(saved.error().message));
}

void MapMenu::saveAll(Side side, int layer)
{
    if (!canRead(side)) // closed while the menu was open
        return;
    const WindowState& state = m_page.explorer()->state();
    const SideState& now = state.side(side);
    QString name = QString::fromStdString(now.model->name).section(QLatin1Char('/'), -1);
    if (layer >= 0)
        name += QStringLiteral("-L%1").arg(layer);
    const QString path =
        QFileDialog::getSaveFileName(m_window, tr("Save all heads"), widgets::fileNameOf(name) + QStringLiteral(".npz"),
                                     tr("NumPy archive (*.npz)"));
    if (!path.isEmpty() && canRead(side)) // it may have been closed meanwhile
        m_door.ask(app::MapsRequest{side, state.promptOf(side), {now.pattern->request, layer, path.toStdString()}});
}

void MapMenu::saved(const app::SavedMaps& maps)
{
    QString text =
        tr("Saved the maps of %1 as %2")
            .arg(widgets::counted(maps.heads, tr("1 head"), tr("%L1 heads")), QString::fromStdString(maps.file));
    if (maps.without > 0)
        text += tr("; without a map, as their layer is skipped: %1").arg(maps.without);
    m_page.parts().messages->showMessage(MessageBar::Kind::Info, text);
}

} // namespace headscope::gui
