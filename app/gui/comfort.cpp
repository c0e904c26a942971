// SPDX-License-Identifier: GPL-3.0-or-later
// The third part of MainWindow: looks, help, tours, and what is remembered from day to day.
#include "app/gui/mainwindow.h"

#include "widgets/scores/chartfile.h"

#include <QActionGroup>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QStackedWidget>
#include <QTabWidget>
#include <QWhatsThis>

namespace headscope::gui {

using widgets::MessageBar;

namespace {

constexpr qsizetype kHistory = 50;
constexpr double kTextStep = 1.1;

} // namespace

void MainWindow::buildViewMenu()
{
    QMenu* view = m_menu->addMenu(tr("&View"));
    auto* looks = new QActionGroup(view);
    const std::pair<Appearance::Look, QString> choices[] = {
        {Appearance::Look::System, tr("Light or dark as the &system")},
        {Appearance::Look::Light, tr("&Light")},
        {Appearance::Look::Dark, tr("&Dark")}};
    for (const auto& [look, name] : choices) {
        QAction* action = view->addAction(name, this, [this, look = look] { m_appearance->setLook(look); });
        action->setCheckable(true);
        action->setChecked(m_appearance->look() == look);
        looks->addAction(action);
    }
    view->addSeparator();
    view->addAction(tr("L&arger text"), QKeySequence::ZoomIn, this,
                    [this] { m_appearance->setTextScale(m_appearance->textScale() * kTextStep); });
    view->addAction(tr("S&maller text"), QKeySequence::ZoomOut, this,
                    [this] { m_appearance->setTextScale(m_appearance->textScale() / kTextStep); });
    view->addAction(tr("&Normal text"), QKeySequence(tr("Ctrl+1")), this, [this] { m_appearance->setTextScale(1); });
}

void MainWindow::setLook(const QString& look)
{
    m_appearance->preview(look == QLatin1String("dark")    ? Appearance::Look::Dark
                          : look == QLatin1String("light") ? Appearance::Look::Light
                                                           : Appearance::Look::System);
}

void MainWindow::act(const QString& what)
{
    const QString name = what.section(QLatin1Char('='), 0, 0);
    if (name == QLatin1String("continue"))
        m_explorer->controllers().continuation.start();
    else if (name == QLatin1String("removal"))
        showRemoval();
    else if (name == QLatin1String("flips"))
        m_parts.scores->setFlipsOpen(true);
    else if (name == QLatin1String("kinds"))
        m_explorer->compareKinds();
    else if (name == QLatin1String("text"))
        openText(what.section(QLatin1Char('='), 1));
    else if (name == QLatin1String("tour"))
        m_guide->open(what.section(QLatin1Char('='), 1));
}

void MainWindow::buildHelpMenu()
{
    QMenu* help = m_menu->addMenu(tr("&Help"));
    QMenu* tours = help->addMenu(tr("&Tours"));
    for (const widgets::Choice& tour : m_guide->choices())
        tours->addAction(tour.name, this, [this, id = tour.id] { m_guide->open(id); })->setToolTip(tour.detail);
    tours->setEnabled(!tours->isEmpty());
    help->addAction(tr("&Explain where I am"), QKeySequence::HelpContents, this, [this] { explainFocus(); });
    help->addAction(QWhatsThis::createAction(this));
    help->addAction(tr("&Keys"), this, [this] {
        m_parts.messages->showMessage(MessageBar::Kind::Info,
                                      tr("Head map: arrows walk, Space switches, K keeps only the selection. Map: "
                                         "wheel zooms, drag pans, click locks a row, R shows all. "
                                         "[ and ] step through samples, Ctrl+Return lets the model write on, Ctrl+Z "
                                         "brings a head back, Esc stops."));
    });
    help->addAction(tr("&About Headscope"), this, [this] {
        QMessageBox::about(
            this, tr("About Headscope"),
            tr("<b>Headscope %1</b><p>See every head's pattern, switch heads off, see benchmarks re-scored at once.</p>"
               "<p>After Bick, Xing and Gu: <i>Understanding the Skill Gap in Recurrent Language Models: The Role of "
               "the Gather-and-Aggregate "
               "Mechanism</i>.</p><p>GPL-3.0-or-later.</p>")
                .arg(QApplication::applicationVersion()));
    });
    for (auto* map : {m_parts.mapA, m_parts.mapB})
        map->setWhatsThis(tr("Rows are layers, columns are heads. A click switches a head off or on; the scores "
                             "follow. A crossed cell is off."));
    for (auto* pattern : {m_parts.patternA, m_parts.patternB})
        pattern->setWhatsThis(tr("Rows look at columns: a bright cell means that the token of the row takes "
                                 "information from the token of the column."));
    m_parts.scores->setWhatsThis(tr("Every benchmark before and now, the difference with its 95 % interval, and the p "
                                    "value of a paired test on the same examples."));
    m_parts.flips->setWhatsThis(tr("Every example whose answer changed, with both log-likelihoods of its choices. A "
                                   "double click makes it the prompt."));
    m_parts.prompt->setWhatsThis(tr("The models, and the text they read. Alternating tints are tokens, colours are "
                                    "segments: select text and right click to mark a key, a "
                                    "value, a question. [ and ] step through the samples of a benchmark."));
    m_parts.profile->setWhatsThis(
        tr("The locked row of the pattern (else the last) as bars over the tokens: sharp or smooth at a glance."));
}

void MainWindow::explainFocus()
{
    for (QWidget* widget = QApplication::focusWidget(); widget; widget = widget->parentWidget())
        if (!widget->whatsThis().isEmpty())
            return QWhatsThis::showText(widget->mapToGlobal(QPoint(widget->width() / 2, 24)), widget->whatsThis(),
                                        widget);
    QWhatsThis::enterWhatsThisMode();
}

void MainWindow::connectTour()
{
    connect(m_guide, &TourGuide::opened, this, [this] {
        m_tour->setVisible(m_stack->currentWidget() == m_centre); // else when the model is there
    });
    connect(m_guide, &TourGuide::closed, m_tour, &QWidget::hide);
    connect(m_guide, &TourGuide::continueRequested, &m_explorer->controllers().continuation,
            qOverload<>(&ContinuationController::start));
    connect(m_guide, &TourGuide::removalRequested, this, &MainWindow::showRemoval);
}

void MainWindow::showRemoval()
{
    m_docks.at(2)->show();
    m_charts->setCurrentWidget(m_parts.removal);
    m_explorer->controllers().removal.start();
}

void MainWindow::connectPrompt()
{
    const QString key = QStringLiteral("prompts");
    m_parts.prompt->setHistory(QSettings().value(key).toStringList());
    connect(m_parts.prompt, &widgets::PromptBar::promptCommitted, this, [this, key](const QString& text) {
        QSettings settings;
        QStringList prompts = settings.value(key).toStringList();
        prompts.removeAll(text);
        prompts.prepend(text);
        prompts = prompts.mid(0, kHistory);
        settings.setValue(key, prompts);
        m_parts.prompt->setHistory(prompts);
    });
}

void MainWindow::chooseDataFolder()
{
    const QString now = QString::fromStdString(m_options.backend.dataFolder.string());
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Where the benchmark files lie (mmlu, piqa, …)"), now);
    if (!folder.isEmpty())
        useDataFolder(folder);
}

void MainWindow::useDataFolder(const QString& folder)
{
    m_options.backend.dataFolder = folder.toStdString();
    QSettings().setValue(QStringLiteral("data/folder"), folder);
    m_client->setDataFolder(folder);
    m_explorer->scoreAgain();
    m_parts.messages->showMessage(MessageBar::Kind::Info,
                                  tr("Benchmarks are read from %1.").arg(QDir::toNativeSeparators(folder)));
}

void MainWindow::saveChart(widgets::ThemedChart* chart)
{
    if (!chart || chart->lines().empty()) {
        m_parts.messages->showMessage(MessageBar::Kind::Info, tr("There is no chart to save yet; open a model first."));
        return;
    }
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the chart"), chart->chartTitle() + QStringLiteral(".pdf"),
                                     tr("Charts (*.pdf *.svg *.png);;Numbers (*.csv)"));
    if (path.isEmpty())
        return;
    const auto written = widgets::writeChart(*chart, path);
    m_parts.messages->showMessage(written.has_value() ? MessageBar::Kind::Info : MessageBar::Kind::Error,
                                  written.has_value() ? tr("Saved %1").arg(path)
                                                      : QString::fromStdString(written.error().message));
}

} // namespace headscope::gui
