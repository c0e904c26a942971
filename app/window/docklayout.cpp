// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/docklayout.h"

#include "app/window/explorerpage.h"
#include "app/window/siderails.h"
#include "widgets/frame/carddock.h"
#include "widgets/look/boxes/tallarea.h"
#include "widgets/look/icons.h"

#include <QDockWidget>
#include <QEvent>
#include <QHoverEvent>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLayout>
#include <QMainWindow>
#include <QMenu>
#include <QMouseEvent>
#include <QSettings>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::gui {

namespace {

constexpr int kLayoutPauseMs = 500;
constexpr int kLeft = 254; // widths of the columns
constexpr int kRight = 266;
constexpr int kNarrowWindow = 1200; // below it they are narrower
constexpr int kNarrowLeft = 230;
constexpr int kAroundDocks = 150; // height of menu, prompt, bottom line and titles
constexpr int kTourEdge = 6;      // between the band and the window's edges
constexpr int kHeads = 440;       // of two head maps
constexpr int kRuns = 44;
constexpr int kBenchmarks = 6;  // that are seen without scrolling
constexpr int kChartLines = 10; // of text, in the height of the charts with their tabs
constexpr int kNarrowRight = 230;
constexpr int kFewLines = 31; // of text, in the height of a window

QString layoutKey()
{
    return QStringLiteral("window/layout");
}

QString docksKey() // the same as arrangement()
{
    return QStringLiteral("window/docks");
}

int bounded(int size)
{
    return std::clamp(size, 40, 1 << 13);
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
    watch();
}

widgets::CardDock* DockLayout::make(const QString& title, const QString& term, const char* name, QWidget* content,
                                    Qt::DockWidgetArea area)
{
    auto* dock = new widgets::CardDock(title, term, content, &m_window);
    dock->setObjectName(QLatin1String(name));
    m_window.addDockWidget(area, dock);
    return dock;
}

void DockLayout::makeDocks()
{
    m_window.setDockNestingEnabled(true);
    // A state that is restored while a dock still slides to its place, or back, ends Qt 6.4: it shows the tabs of docks
    // one after the other, and goes on in a list that showing one has replaced.
    m_window.setAnimated(false);
    m_heads = make(tr("Heads"), tr("head"), "heads", new widgets::TallArea(m_page.maps()), Qt::LeftDockWidgetArea);
    m_runs = make(tr("Runs"), tr("run"), "runs", m_page.parts().runs, Qt::LeftDockWidgetArea);
    m_scores = make(tr("Scores"), tr("benchmark"), "scores", m_page.parts().scores, Qt::RightDockWidgetArea);
    m_charts = make(tr("Charts"), tr("dictionary size"), "chart", m_page.charts(), Qt::RightDockWidgetArea);
    for (const auto& [dock, sign] : {std::pair(m_heads, u"grid-2x2"), std::pair(m_runs, u"history"),
                                     std::pair(m_scores, u"gauge"), std::pair(m_charts, u"chart-line")})
        dock->setWindowIcon(widgets::icon(sign));
    makeTour();
    m_docks = {m_heads, m_runs, m_charts, m_scores};
    m_rails = new SideRails(m_window, {m_heads, m_runs, m_scores, m_charts});
    m_window.setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    m_window.setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
}

// As wide as the window, below everything that it refers to. Unlike the cards it stays in its place.
void DockLayout::makeTour()
{
    m_tour = new QDockWidget(tr("Tour"), &m_window);
    m_tour->setObjectName(QStringLiteral("tourband")); // "tour" was a dock that earlier versions placed
    m_tour->setFeatures(QDockWidget::NoDockWidgetFeatures);
    m_tour->setTitleBarWidget(new QWidget(m_tour));
    auto* page = new QWidget(m_tour);
    auto* around = new QVBoxLayout(page);
    around->setContentsMargins(kTourEdge, 0, kTourEdge, 0);
    around->addWidget(m_page.parts().tour);
    m_tour->setWidget(page);
    m_tour->hide();
}

void DockLayout::watch()
{
    m_window.installEventFilter(this);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kLayoutPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &DockLayout::changed);
    const auto changed = [this] { m_pause.start(); };
    const QObject* lives = &m_pause; // the docks still hide when this and its timer are gone
    for (QDockWidget* dock : std::as_const(m_docks)) {
        connect(dock, &QDockWidget::visibilityChanged, lives, changed);
        connect(dock, &QDockWidget::dockLocationChanged, lives, changed);
        connect(dock, &QDockWidget::topLevelChanged, lives, changed);
    }
    connect(m_page.charts(), &QTabWidget::currentChanged, lives, changed);
    connect(&m_page, &ExplorerPage::currentChanged, lives, [this] { m_rails->setAnalysing(m_page.showsAnalysis()); });
    connect(m_rails, &SideRails::changed, lives, changed);
    connect(m_rails, &SideRails::unfolded, lives, [this] { makeRoomForLetters(); });
    connect(m_page.parts().runs, &widgets::RunsView::nameEditingStarted, lives, [this] {
        m_runs->show();
        m_runs->raise();
    });
}

void DockLayout::letGo()
{
    QObjectList holders{&m_window}; // which drags the separators
    for (QDockWidget* dock : std::as_const(m_docks))
        holders.append(dock);
    for (QObject* holder : std::as_const(holders)) {
        QMouseEvent release(QEvent::MouseButtonRelease, {}, QCursor::pos(), Qt::LeftButton, {}, {});
        holder->event(&release); // not through the application, which would hand it on to the window behind
    }
    QHoverEvent leave(QEvent::HoverLeave, {-1, -1}, {-1, -1}, {-1, -1});
    static_cast<QObject&>(m_window).event(&leave);
}

// Docks only take sizes once they are shown.
void DockLayout::firstSizes()
{
    for (QDockWidget* dock : std::as_const(m_docks))
        dock->show();
    firstPlaces();
    m_first = m_window.saveState();
    m_left = QSettings().value(layoutKey()).toByteArray();
    m_leftDocks = QSettings().value(docksKey()).toByteArray();
}

/// Height that the card needs around the scores: heading and margins.
int DockLayout::aroundScores() const
{
    return m_scores->height() - m_page.parts().scores->height();
}

int DockLayout::columnWidth(QDockWidget* dock) const
{
    const bool narrow = m_window.width() < kNarrowWindow;
    return m_window.dockWidgetArea(dock) == Qt::RightDockWidgetArea ? (narrow ? kNarrowRight : kRight)
                                                                    : (narrow ? kNarrowLeft : kLeft);
}

// The columns are as wide as their words need; everything else is the maps'.
void DockLayout::firstPlaces()
{
    const int room = m_window.height() - kAroundDocks;
    m_window.resizeDocks({m_heads, m_scores}, {columnWidth(m_heads), columnWidth(m_scores)}, Qt::Horizontal);
    const int heads = std::max(kHeads, room * 7 / 10);
    const int scores = std::max(room * 3 / 5, std::min(m_page.parts().scores->heightOf(kBenchmarks) + aroundScores(),
                                                       room - kChartLines * m_window.fontMetrics().height()));
    m_window.resizeDocks({m_heads, m_runs}, {heads, std::max(kRuns, room - heads)}, Qt::Vertical);
    m_window.resizeDocks({m_scores, m_charts}, {scores, room - scores}, Qt::Vertical);
    makeRoomForLetters();
}

// Large letters in a low window: what stood below each other shares a place, and its tabs stand below.
void DockLayout::makeRoomForLetters()
{
    if (m_window.height() >= kFewLines * m_window.fontMetrics().lineSpacing())
        return;
    letGo();
    for (const auto& [first, second] : {std::pair(m_heads, m_runs), std::pair(m_scores, m_charts)}) {
        if (first->isFloating() || second->isFloating() || first->isHidden() || second->isHidden()
            || m_window.dockWidgetArea(first) != m_window.dockWidgetArea(second))
            continue;
        m_window.tabifyDockWidget(first, second);
        first->raise();
    }
}

bool DockLayout::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &m_window && event->type() == QEvent::FontChange && m_shown)
        QTimer::singleShot(0, this, &DockLayout::makeRoomForLetters); // each widget has its new letters then
    return QObject::eventFilter(watched, event);
}

void DockLayout::showAll()
{
    if (std::exchange(m_shown, true))
        return;
    letGo();
    if (m_first.isEmpty())
        firstSizes();
    if (m_left.isEmpty() || !m_window.restoreState(m_left))
        m_window.restoreState(m_first);
    else if (m_wanted.isEmpty()) // in a window of another size
        m_wanted = std::exchange(m_leftDocks, {});
    hideTour(); // restoreState() may have shown it
    arrangeWanted();
    showTour();
    m_rails->fold();
}

void DockLayout::hideAll()
{
    letGo();
    m_rails->unfold();
    hideTour();
    if (std::exchange(m_shown, false))
        m_left = m_window.saveState();
    for (QDockWidget* dock : std::as_const(m_docks))
        dock->hide();
}

void DockLayout::reset()
{
    if (!m_shown)
        return;
    letGo();
    m_rails->unfold();
    m_window.restoreState(m_first);
    hideTour();
    firstPlaces();
    showTour();
    m_rails->setOpen({});
}

void DockLayout::showCharts()
{
    m_charts->show();
    m_charts->raise();
}

void DockLayout::setTouring(bool on)
{
    letGo();
    m_touring = on;
    m_rails->unfold(); // heights are those of all cards
    on ? showTour() : hideTour();
    m_rails->fold();
}

void DockLayout::reveal(const QWidget* widget)
{
    m_rails->reveal(widget);
}

// Kept out of the window while it is not shown: places and sizes of the cards are as if there were none.
void DockLayout::showTour()
{
    if (!m_touring || !m_shown || !m_tour->isHidden())
        return;
    m_window.layout()->activate(); // cards that come back with it have their heights now
    m_heights.clear();
    for (QDockWidget* dock : std::as_const(m_docks))
        m_heights.append(m_rails->sizeOf(dock).height());
    m_window.addDockWidget(Qt::BottomDockWidgetArea, m_tour);
    m_tour->show();
}

void DockLayout::hideTour()
{
    if (m_tour->isHidden())
        return;
    m_window.removeDockWidget(m_tour);
    if (const QList<int> heights = std::exchange(m_heights, {}); !heights.isEmpty())
        m_window.resizeDocks(m_docks, heights, Qt::Vertical); // the cards are as high as before
}

void DockLayout::addTo(QMenu& menu)
{
    for (QDockWidget* dock : std::as_const(m_docks))
        menu.addAction(dock->toggleViewAction());
}

void DockLayout::remember()
{
    letGo();
    m_rails->unfold(); // folding and the tour are no part of it
    hideTour();
    if (m_shown)
        m_left = m_window.saveState();
    showTour();
    if (!m_left.isEmpty())
        QSettings().setValue(layoutKey(), m_left);
    if (const QByteArray docks = arrangement(); !docks.isEmpty())
        QSettings().setValue(docksKey(), docks);
    m_rails->fold();
}

QByteArray DockLayout::arrangement() const
{
    if (!m_shown)
        return {};
    QJsonObject docks;
    for (qsizetype i = 0; i < m_docks.size(); ++i) {
        QDockWidget* dock = m_docks.at(i);
        const QSize size = m_rails->sizeOf(dock);
        docks[dock->objectName()] =
            QJsonObject{{QStringLiteral("area"), static_cast<int>(m_window.dockWidgetArea(dock))},
                        {QStringLiteral("visible"), !dock->isHidden() || m_rails->isFolded(dock)},
                        {QStringLiteral("floating"), dock->isFloating()},
                        {QStringLiteral("width"), size.width()},
                        {QStringLiteral("height"), m_heights.value(i, size.height())}};
    }
    return QJsonDocument(QJsonObject{{QStringLiteral("docks"), docks},
                                     {QStringLiteral("width"), m_window.width()},
                                     {QStringLiteral("height"), m_window.height()},
                                     {QStringLiteral("unfolded"), static_cast<int>(m_rails->open())},
                                     {QStringLiteral("chart"), m_page.charts()->currentIndex()}})
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
    letGo();
    const QJsonObject docks = layout[QLatin1String("docks")].toObject();
    m_rails->unfold();
    // Sizes are parts of the window that they were seen in; earlier versions kept no size of it.
    const auto part = [&layout](const QJsonValue& size, const char* across, int now) {
        const int then = layout[QLatin1String(across)].toInt();
        return bounded(then > 0 ? static_cast<int>(std::lround(size.toDouble() * now / then)) : size.toInt());
    };
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
        // In a smaller window a column stays wide enough for its words.
        widths.append(std::max(part(wanted[QLatin1String("width")], "width", m_window.width()),
                               std::min(bounded(wanted[QLatin1String("width")].toInt()), columnWidth(dock))));
        heights.append(part(wanted[QLatin1String("height")], "height", m_window.height()));
    }
    m_window.resizeDocks(shown, widths, Qt::Horizontal);
    m_window.resizeDocks(shown, heights, Qt::Vertical);
    QTabWidget* charts = m_page.charts();
    charts->setCurrentIndex(std::clamp(layout[QLatin1String("chart")].toInt(), 0, charts->count() - 1));
    const int unfolded = layout[QLatin1String("unfolded")].toInt(static_cast<int>(m_rails->open()));
    m_rails->setOpen(Qt::DockWidgetAreas(unfolded) & (Qt::LeftDockWidgetArea | Qt::RightDockWidgetArea));
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
