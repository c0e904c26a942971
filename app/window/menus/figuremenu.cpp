// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/figuremenu.h"

#include "app/window/dialogs/figuredesk.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/menus/entry.h"
#include "widgets/look/filename.h"
#include "widgets/scores/chartfile.h"

#include <QFileDialog>
#include <QMenuBar>
#include <QTabWidget>

namespace headscope::gui {

using widgets::MessageBar;
using widgets::ThemedChart;

FigureMenu::FigureMenu(QMenuBar& bar, ExplorerPage& page, app::SessionDoor& door, QWidget* window)
    : QObject(window), m_page(page), m_door(door), m_window(window)
{
    QMenu& menu = *bar.addMenu(tr("Fi&gure"));
    addEntry(
        menu, this, tr("&Figure for a paper or a talk …"), QKeySequence(tr("Ctrl+E")), [this] { openDesk(); }, u"image")
        ->setObjectName(QStringLiteral("share figure"));
    addEntry(
        menu, this, tr("&Store the maps on the screen"), QKeySequence(tr("Ctrl+Shift+E")),
        [&controllers = page.explorer()->controllers()] {
            controllers.keep.keep();
            controllers.analyses.keepShown();
        },
        u"save");
    addEntry(menu, this, tr("Save the &chart …"), {},
             [this] { save(qobject_cast<ThemedChart*>(m_page.charts()->currentWidget())); });
    for (ThemedChart* chart :
         {static_cast<ThemedChart*>(page.parts().chart), static_cast<ThemedChart*>(page.parts().removal)})
        connect(chart, &ThemedChart::saveRequested, this, [this, chart] { save(chart); });
}

void FigureMenu::openDesk(std::optional<Side> map)
{
    if (!m_desk)
        m_desk = new FigureDesk(m_page.explorer()->state(), m_door, *m_page.parts().patterns, m_window);
    m_desk->open(map);
}

void FigureMenu::save(ThemedChart* chart)
{
    MessageBar* messages = m_page.parts().messages;
    if (!chart || chart->lines().empty()) {
        messages->showMessage(MessageBar::Kind::Info, tr("There is no chart to save yet; open a model first."));
        return;
    }
    const QString path = QFileDialog::getSaveFileName(m_window, tr("Save the chart"),
                                                      widgets::fileNameOf(chart->chartTitle()) + QStringLiteral(".pdf"),
                                                      tr("Charts (*.pdf *.svg *.png);;Numbers (*.csv)"));
    if (path.isEmpty())
        return;
    const auto written = widgets::writeChart(*chart, path);
    messages->showMessage(written.has_value() ? MessageBar::Kind::Info : MessageBar::Kind::Error,
                          written.has_value() ? tr("Saved %1").arg(path)
                                              : QString::fromStdString(written.error().message));
}

} // namespace headscope::gui
