// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that arranges it: welcome page or explorer, and where the docks were in this session.
#include "app/gui/mainwindow.h"

#include <QDockWidget>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>

#include <algorithm>
#include <utility>

namespace headscope::gui {

namespace {

constexpr int kLayoutPauseMs = 500; // dragging a dock is one change
constexpr std::size_t kMostLayoutBytes = 1 << 16;
constexpr auto kKey = "window";

} // namespace

void MainWindow::showExplorer(bool on)
{
    const bool was = m_stack->currentWidget() == m_centre;
    if (was && !on) {
        m_explorerState = saveState();
        fillWelcome();
    }
    m_stack->setCurrentWidget(on ? m_centre : static_cast<QWidget*>(m_parts.welcome));
    m_parts.prompt->setVisible(on);
    if (!on) {
        for (QDockWidget* dock : findChildren<QDockWidget*>())
            dock->hide();
        m_parts.continuation->hide();
        return;
    }
    if (was)
        return;
    if (m_defaultState.isEmpty()) {
        for (QDockWidget* dock : m_docks)
            dock->show();
        // Docks only take sizes once they are shown.
        resizeDocks({m_docks[0], m_docks[3]}, {320, 430}, Qt::Horizontal);
        resizeDocks({m_docks[0], m_docks[1]}, {560, 180}, Qt::Vertical);
        resizeDocks({m_docks[3], m_docks[2]}, {400, 330}, Qt::Vertical);
        m_defaultState = saveState();
        m_explorerState = QSettings().value(QStringLiteral("window/layout")).toByteArray();
    }
    if (m_explorerState.isEmpty() || !restoreState(m_explorerState))
        restoreState(m_defaultState);
    restoreLayout();
    m_tour->setVisible(m_guide->tour() != nullptr);
}

void MainWindow::resetLayout()
{
    restoreState(m_defaultState);
    m_tour->setVisible(m_guide->tour() != nullptr);
}

void MainWindow::useSession(const QString& path, bool restore)
{
    keepLayout(); // of the one that is left
    m_options.session = path;
    if (!path.isEmpty())
        rememberSession(path);
    m_explorer->openSession(path, restore);
    m_layoutWanted.clear();
    if (sessions::SessionStore* session = m_explorer->session(); session && restore)
        if (const auto stored = session->uiState(kKey);
            stored.has_value() && *stored && (*stored)->size() <= kMostLayoutBytes)
            m_layoutWanted = QByteArray::fromStdString(**stored);
    if (m_stack->currentWidget() == m_centre)
        restoreLayout();
}

void MainWindow::watchLayout()
{
    m_layoutTimer.setSingleShot(true);
    m_layoutTimer.setInterval(kLayoutPauseMs);
    connect(&m_layoutTimer, &QTimer::timeout, this, &MainWindow::keepLayout);
    const auto changed = [this] { m_layoutTimer.start(); };
    const QObject* lives = &m_layoutTimer; // the docks still hide when the window and its timer are gone
    for (QDockWidget* dock : findChildren<QDockWidget*>()) {
        connect(dock, &QDockWidget::visibilityChanged, lives, changed);
        connect(dock, &QDockWidget::dockLocationChanged, lives, changed);
        connect(dock, &QDockWidget::topLevelChanged, lives, changed);
    }
    connect(m_charts, &QTabWidget::currentChanged, lives, changed);
    connect(static_cast<QSplitter*>(m_centre), &QSplitter::splitterMoved, lives, changed);
}

void MainWindow::keepLayout()
{
    m_layoutTimer.stop();
    sessions::SessionStore* session = m_explorer->session();
    if (!session || session->readOnly() || m_stack->currentWidget() != m_centre)
        return;
    QJsonObject docks;
    for (QDockWidget* dock : std::as_const(m_docks))
        docks[dock->objectName()] = QJsonObject{{QStringLiteral("area"), static_cast<int>(dockWidgetArea(dock))},
                                                {QStringLiteral("visible"), !dock->isHidden()},
                                                {QStringLiteral("floating"), dock->isFloating()},
                                                {QStringLiteral("width"), dock->width()},
                                                {QStringLiteral("height"), dock->height()}};
    QJsonArray sizes;
    for (const int size : static_cast<QSplitter*>(m_centre)->sizes())
        sizes.append(size);
    const QJsonObject layout{{QStringLiteral("docks"), docks},
                             {QStringLiteral("chart"), m_charts->currentIndex()},
                             {QStringLiteral("centre"), sizes}};
    // A session that can not be written has said so elsewhere; how the window looks is not worth a second sentence.
    static_cast<void>(session->setUiState(kKey, QJsonDocument(layout).toJson(QJsonDocument::Compact).toStdString()));
}

// What the file says is another program's, perhaps another person's: plain numbers, each held to its bounds, and not
// the bytes of QMainWindow::saveState, which is not made for strangers' files.
void MainWindow::restoreLayout()
{
    const QJsonObject layout = QJsonDocument::fromJson(std::exchange(m_layoutWanted, {})).object();
    if (layout.isEmpty())
        return;
    const auto bounded = [](const QJsonValue& size) { return std::clamp(size.toInt(), 40, 1 << 13); };
    const QJsonObject docks = layout[QLatin1String("docks")].toObject();
    QList<QDockWidget*> shown;
    QList<int> widths, heights;
    for (QDockWidget* dock : m_docks) {
        const QJsonObject wanted = docks[dock->objectName()].toObject();
        if (wanted.isEmpty())
            continue;
        const int area = wanted[QLatin1String("area")].toInt();
        if (area != dockWidgetArea(dock)
            && (area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea || area == Qt::TopDockWidgetArea
                || area == Qt::BottomDockWidgetArea))
            addDockWidget(static_cast<Qt::DockWidgetArea>(area), dock);
        dock->setFloating(wanted[QLatin1String("floating")].toBool());
        dock->setVisible(wanted[QLatin1String("visible")].toBool(true));
        if (dock->isFloating() || dock->isHidden())
            continue;
        shown.append(dock);
        widths.append(bounded(wanted[QLatin1String("width")]));
        heights.append(bounded(wanted[QLatin1String("height")]));
    }
    resizeDocks(shown, widths, Qt::Horizontal);
    resizeDocks(shown, heights, Qt::Vertical);
    m_charts->setCurrentIndex(std::clamp(layout[QLatin1String("chart")].toInt(), 0, m_charts->count() - 1));
    QList<int> sizes;
    for (const QJsonValue& size : layout[QLatin1String("centre")].toArray())
        sizes.append(bounded(size));
    if (auto* centre = static_cast<QSplitter*>(m_centre); sizes.size() == centre->count())
        centre->setSizes(sizes);
}

} // namespace headscope::gui
