// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/figuremenu.h"

#include "app/present/why/numberfiles.h"
#include "app/window/dialogs/figuredesk.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/menus/entry.h"
#include "widgets/look/filename.h"
#include "widgets/scores/chartfile.h"
#include "widgets/why/views/tabledview.h"

#include <QFileDialog>
#include <QMenuBar>
#include <QTabWidget>

namespace headscope::gui {

using widgets::MessageBar;
using widgets::TabledView;
using widgets::ThemedChart;

FigureMenu::FigureMenu(QMenuBar& bar, ExplorerPage& page, app::SessionDoor& door, QWidget* window)
    : QObject(window), m_page(page), m_door(door), m_window(window)
{
    QMenu& menu = *bar.addMenu(tr("Fi&gure"));
    addEntry(
        menu, this, tr("&Figure for a paper or a talk …"), QKeySequence(tr("Ctrl+E")), [this] { openDesk(); }, u"image")
        ->setObjectName(QStringLiteral("share figure"));
    addEntry(
        menu, this, tr("C&ompose a figure of several …"), {}, [this] { made().openComposed(); }, u"gallery-thumbnails")
        ->setObjectName(QStringLiteral("compose figure"));
    addEntry(
        menu, this, tr("&Store the maps on the screen"), QKeySequence(tr("Ctrl+Shift+E")),
        [&controllers = page.explorer()->controllers()] {
            controllers.keep.keep();
            controllers.analyses.keepShown();
        },
        u"save");
    addEntry(menu, this, tr("Save the &chart …"), {},
             [this] { save(qobject_cast<ThemedChart*>(m_page.charts()->currentWidget())); });
    for (ThemedChart* chart : std::initializer_list<ThemedChart*>{page.parts().chart, page.parts().removal,
                                                                  page.parts().why->sweep()->chart()})
        connect(chart, &ThemedChart::saveRequested, this, [this, chart] { save(chart); });
    for (const TabledView* view : page.parts().why->findChildren<TabledView*>()) {
        connect(view, &TabledView::saveRequested, this, [this, view] { saveNumbers(*view); });
        connect(view, &TabledView::figureRequested, this, [this, view] { openFigure(view->figure()); });
    }
}

void FigureMenu::openDesk(std::optional<Side> map)
{
    made().open(map);
}

void FigureMenu::openFigure(const QString& name)
{
    made().open(name, [this](app::SessionDoor& door) { m_page.explorer()->controllers().analyses.keepIn(door); });
}

FigureDesk& FigureMenu::made()
{
    if (!m_desk) {
        m_desk = new FigureDesk(m_page.explorer()->state(), m_door, *m_page.parts().patterns, m_window);
        m_desk->setOnScreen([this] { return onScreen(); });
    }
    return *m_desk;
}

QStringList FigureMenu::onScreen() const
{
    const Parts& parts = m_page.parts();
    const widgets::WhyPage& why = *parts.why;
    const QWidget* page = m_page.currentWidget() == &why ? why.tabs()->currentWidget() : m_page.currentWidget();
    const bool rowOfHeads = parts.patterns->shown() == widgets::PatternShown::RowOfHeads;
    QStringList names;
    for (const auto& [widget, name] : std::initializer_list<std::pair<const QWidget*, const char*>>{
             {parts.patterns, rowOfHeads ? "all-heads" : "shown-maps"},
             {why.layers(), "lens"},
             {why.patches(), "patching"},
             {why.edges(), "edges"},
             {why.sweep(), "knockout"},
             {why.weights(), "copying"},
             {parts.survey, "head-dots"}})
        if (page == widget)
            names << QString::fromLatin1(name);
    names << QStringLiteral("shown-scores");
    for (const auto& [chart, name] :
         {std::pair<const QWidget*, const char*>(parts.chart, "kv-curve"), {parts.removal, "layer-removal"}})
        if (m_page.charts()->currentWidget() == chart)
            names << QString::fromLatin1(name);
    return names;
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
    announceSaved(widgets::writeChart(*chart, path), path);
}

void FigureMenu::saveNumbers(const TabledView& view)
{
    const QString path =
        QFileDialog::getSaveFileName(m_window, tr("Save the numbers"),
                                     widgets::fileNameOf(view.picture()->accessibleName()) + QStringLiteral(".csv"),
                                     tr("Numbers (*.csv);;NumPy (*.npz);;LaTeX (*.tex)"));
    if (!path.isEmpty())
        announceSaved(writeNumbers(view.numbers(), path), path);
}

void FigureMenu::announceSaved(const Result<void>& written, const QString& path)
{
    m_page.parts().messages->showMessage(written.has_value() ? MessageBar::Kind::Info : MessageBar::Kind::Error,
                                         written.has_value() ? tr("Saved %1").arg(path)
                                                             : QString::fromStdString(written.error().message));
}

} // namespace headscope::gui
