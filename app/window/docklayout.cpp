// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/docklayout.h"

#include "app/window/explorerpage.h"

#include <QDockWidget>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMainWindow>
#include <QMenu>
#include <QSettings>
#include <QTabWidget>

#include <algorithm>
#include <utility>

namespace headscope::gui {

namespace {

constexpr int kPauseMs = 500;

QString key()
{
    return QStringLiteral("window/layout");
}

int bounded(const QJsonValue& size)
{
    return std::clamp(size.toInt(), 40, 1 << 13);
}

bool isArea(int area)
{
    return area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea || area == Qt::TopDockWidgetArea
           || area == Qt::BottomDockWidgetArea;
}

} // namespace

DockLayout::DockLayout(QMainWindow& window, ExplorerPage& page) : QObject(&window), m_window(window), m_page(page)
{
    makeDocks();
    connect(page.parts().scores, &widgets::ScoreboardView::flipsToggled, this, &DockLayout::makeRoomForFlips);
    watch();
}

QDockWidget* DockLayout::make(const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area)
{
    auto* dock = new QDockWidget(title, &m_window);
    dock->setObjectName(QLatin1String(name));
    dock->setWidget(content);
    dock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable
                      | QDockWidget::DockWidgetClosable);
    m_window.addDockWidget(area, dock);
    return dock;
}

void DockLayout::makeDocks()
{
    m_window.setDockNestingEnabled(true);
    m_heads = make(tr("Heads"), "heads", m_page.maps(), Qt::LeftDockWidgetArea);
    m_runs = make(tr("Runs"), "runs", m_page.parts().runs, Qt::LeftDockWidgetArea);
    m_scores = make(tr("Scores"), "scores", m_page.board(), Qt::RightDockWidgetArea);
    m_charts = make(tr("Charts"), "chart", m_page.charts(), Qt::RightDockWidgetArea);
    m_tour = make(tr("Tour"), "tour", m_page.parts().tour, Qt::BottomDockWidgetArea);
    m_tour->hide();
    m_docks = {m_heads, m_runs, m_charts, m_scores};
    m_window.setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    m_window.setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
}

// Scores and flips share a dock: while both are read the charts make room.
void DockLayout::makeRoomForFlips(bool open)
{
    const int both = m_scores->height() + m_charts->height();
    m_window.resizeDocks({m_scores, m_charts},
                         open ? QList<int>{both * 3 / 4, both / 4} : QList<int>{both * 11 / 20, both * 9 / 20},
                         Qt::Vertical);
}

void DockLayout::watch()
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &DockLayout::changed);
    const auto changed = [this] { m_pause.start(); };
    const QObject* lives = &m_pause; // the docks still hide when this and its timer are gone
    for (QDockWidget* dock : m_docks + QList{m_tour}) {
        connect(dock, &QDockWidget::visibilityChanged, lives, changed);
        connect(dock, &QDockWidget::dockLocationChanged, lives, changed);
        connect(dock, &QDockWidget::topLevelChanged, lives, changed);
    }
    connect(m_page.charts(), &QTabWidget::currentChanged, lives, changed);
    connect(&m_page, &QSplitter::splitterMoved, lives, changed);
}

// Docks only take sizes once they are shown.
void DockLayout::firstSizes()
{
    for (QDockWidget* dock : std::as_const(m_docks))
        dock->show();
    m_window.resizeDocks({m_heads, m_scores}, {320, 430}, Qt::Horizontal);
    m_window.resizeDocks({m_heads, m_runs}, {560, 180}, Qt::Vertical);
    m_window.resizeDocks({m_scores, m_charts}, {400, 330}, Qt::Vertical);
    m_first = m_window.saveState();
    m_left = QSettings().value(key()).toByteArray();
}

void DockLayout::showAll()
{
    if (std::exchange(m_shown, true))
        return;
    if (m_first.isEmpty())
        firstSizes();
    if (m_left.isEmpty() || !m_window.restoreState(m_left))
        m_window.restoreState(m_first);
    arrangeWanted();
    m_tour->setVisible(m_touring);
}

void DockLayout::hideAll()
{
    if (std::exchange(m_shown, false))
        m_left = m_window.saveState();
    for (QDockWidget* dock : m_docks + QList{m_tour})
        dock->hide();
}

void DockLayout::reset()
{
    if (!m_shown)
        return;
    m_window.restoreState(m_first);
    m_tour->setVisible(m_touring);
}

void DockLayout::showCharts()
{
    m_charts->show();
}

void DockLayout::setTouring(bool on)
{
    m_touring = on;
    m_tour->setVisible(on && m_shown);
}

void DockLayout::addTo(QMenu& menu)
{
    for (QDockWidget* dock : m_docks + QList{m_tour})
        menu.addAction(dock->toggleViewAction());
}

void DockLayout::remember()
{
    if (m_shown)
        m_left = m_window.saveState();
    if (!m_left.isEmpty())
        QSettings().setValue(key(), m_left);
}

QByteArray DockLayout::arrangement() const
{
    if (!m_shown)
        return {};
    QJsonObject docks;
    for (QDockWidget* dock : m_docks)
        docks[dock->objectName()] =
            QJsonObject{{QStringLiteral("area"), static_cast<int>(m_window.dockWidgetArea(dock))},
                        {QStringLiteral("visible"), !dock->isHidden()},
                        {QStringLiteral("floating"), dock->isFloating()},
                        {QStringLiteral("width"), dock->width()},
                        {QStringLiteral("height"), dock->height()}};
    QJsonArray sizes;
    for (const int size : m_page.sizes())
        sizes.append(size);
    return QJsonDocument(QJsonObject{{QStringLiteral("docks"), docks},
                                     {QStringLiteral("chart"), m_page.charts()->currentIndex()},
                                     {QStringLiteral("centre"), sizes}})
        .toJson(QJsonDocument::Compact);
}

void DockLayout::arrange(const QByteArray& arrangement)
{
    m_wanted = arrangement;
    if (m_shown)
        arrangeWanted();
}

// What the file says is another program's, perhaps another person's: plain numbers, each held to its bounds, and not
// the bytes of QMainWindow::saveState, which is not made for strangers' files.
void DockLayout::arrangeWanted()
{
    const QJsonObject layout = QJsonDocument::fromJson(std::exchange(m_wanted, {})).object();
    if (layout.isEmpty())
        return;
    const QJsonObject docks = layout[QLatin1String("docks")].toObject();
    QList<QDockWidget*> shown;
    QList<int> widths, heights;
    for (QDockWidget* dock : std::as_const(m_docks)) {
        const QJsonObject wanted = docks[dock->objectName()].toObject();
        if (wanted.isEmpty())
            continue;
        place(dock, wanted);
        if (dock->isFloating() || dock->isHidden())
            continue;
        shown.append(dock);
        widths.append(bounded(wanted[QLatin1String("width")]));
        heights.append(bounded(wanted[QLatin1String("height")]));
    }
    m_window.resizeDocks(shown, widths, Qt::Horizontal);
    m_window.resizeDocks(shown, heights, Qt::Vertical);
    QTabWidget* charts = m_page.charts();
    charts->setCurrentIndex(std::clamp(layout[QLatin1String("chart")].toInt(), 0, charts->count() - 1));
    QList<int> sizes;
    for (const QJsonValue& size : layout[QLatin1String("centre")].toArray())
        sizes.append(bounded(size));
    if (sizes.size() == m_page.count())
        m_page.setSizes(sizes);
}

void DockLayout::place(QDockWidget* dock, const QJsonObject& wanted)
{
    const int area = wanted[QLatin1String("area")].toInt();
    if (area != m_window.dockWidgetArea(dock) && isArea(area))
        m_window.addDockWidget(static_cast<Qt::DockWidgetArea>(area), dock);
    dock->setFloating(wanted[QLatin1String("floating")].toBool());
    dock->setVisible(wanted[QLatin1String("visible")].toBool(true));
}

} // namespace headscope::gui
