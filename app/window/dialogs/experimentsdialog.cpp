// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/experimentsdialog.h"

#include "app/present/text.h"
#include "core/experiments/report.h"
#include "widgets/look/plainlabel.h"
#include "widgets/scores/charts.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>

namespace headscope::gui {

namespace {

QString joined(const std::vector<std::string>& words)
{
    QStringList list;
    for (const std::string& word : words)
        list.append(text(word));
    return list.join(QStringLiteral(", "));
}

} // namespace

ExperimentsDialog::ExperimentsDialog(const QString& program, const QString& session, QWidget* parent)
    : QDialog(parent), m_program(program), m_session(session), m_list(new QListWidget),
      m_about(new widgets::PlainLabel), m_models(new QLineEdit), m_limit(new QLineEdit),
      m_run(new QPushButton(tr("&Run"))), m_ask(new QPushButton(tr("What will it &take?"))),
      m_stop(new QPushButton(tr("&Stop"))), m_log(new QPlainTextEdit), m_table(new QTableWidget),
      m_finding(new widgets::PlainLabel), m_chart(new widgets::RankingChart)
{
    setWindowTitle(tr("Experiments of the paper"));
    resize(1100, 760);
    for (int i = 0; i < count(); ++i)
        m_list->addItem(title(i));
    m_list->setWordWrap(true);
    m_about->setWordWrap(true);
    m_about->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_finding->setWordWrap(true);
    m_finding->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_models->setPlaceholderText(tr("shipped models; or names, separated by spaces"));
    m_limit->setPlaceholderText(tr("all"));
    m_log->setReadOnly(true);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_stop->setEnabled(false);

    auto* right = new QWidget;
    auto* grid = new QGridLayout(right);
    auto* modelsLabel = new widgets::PlainLabel(tr("&Models"));
    modelsLabel->setBuddy(m_models);
    auto* limitLabel = new widgets::PlainLabel(tr("&Examples of each benchmark"));
    limitLabel->setBuddy(m_limit);
    grid->addWidget(m_about, 0, 0, 1, 5);
    grid->addWidget(modelsLabel, 1, 0);
    grid->addWidget(m_models, 1, 1, 1, 4);
    grid->addWidget(limitLabel, 2, 0);
    grid->addWidget(m_limit, 2, 1);
    grid->addWidget(m_ask, 2, 2);
    grid->addWidget(m_run, 2, 3);
    grid->addWidget(m_stop, 2, 4);
    grid->addWidget(m_log, 3, 0, 1, 5);
    grid->addWidget(m_table, 4, 0, 1, 5);
    grid->addWidget(m_chart, 5, 0, 1, 5);
    grid->addWidget(m_finding, 6, 0, 1, 5);
    grid->setRowStretch(4, 2);
    grid->setRowStretch(5, 2);
    auto* split = new QSplitter;
    split->addWidget(m_list);
    split->addWidget(right);
    split->setStretchFactor(1, 3);
    auto* layout = new QGridLayout(this);
    layout->addWidget(split);

    connect(m_list, &QListWidget::currentRowChanged, this, &ExperimentsDialog::choose);
    connect(m_run, &QPushButton::clicked, this, &ExperimentsDialog::run);
    connect(m_ask, &QPushButton::clicked, this, &ExperimentsDialog::forecast);
    connect(m_stop, &QPushButton::clicked, this, &ExperimentsDialog::stop);
    connect(&m_process, &QProcess::readyReadStandardError, this,
            [this] { m_log->appendPlainText(QString::fromUtf8(m_process.readAllStandardError()).trimmed()); });
    connect(&m_process, &QProcess::finished, this, [this] { ended(); });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            m_log->appendPlainText(tr("The program %1 could not be started.").arg(m_program));
            ended();
        }
    });
    m_list->setCurrentRow(0);
}

int ExperimentsDialog::count()
{
    return static_cast<int>(experiments::allExperiments().size());
}

QString ExperimentsDialog::title(int index)
{
    const experiments::Experiment& one = experiments::allExperiments()[static_cast<std::size_t>(index)];
    return (one.number.empty() ? QString() : text(one.number) + QStringLiteral("  ")) + text(one.title);
}

ExperimentsDialog::~ExperimentsDialog()
{
    m_process.disconnect(this);
    if (running()) {
        m_process.terminate();
        if (!m_process.waitForFinished(2000))
            m_process.kill();
        m_process.waitForFinished(2000);
    }
}

const experiments::Experiment& ExperimentsDialog::experiment() const
{
    return experiments::allExperiments()[static_cast<std::size_t>(std::max(m_list->currentRow(), 0))];
}

void ExperimentsDialog::choose(int index)
{
    if (m_list->currentRow() != index)
        m_list->setCurrentRow(index);
    const experiments::Experiment& one = experiment();
    QStringList lines = {tr("The paper: %1").arg(text(one.setting))};
    if (!one.scaled.empty())
        lines.append(tr("On the shipped models: %1").arg(text(one.scaled)));
    if (!one.assumed.empty())
        lines.append(tr("Assumed: %1").arg(text(one.assumed)));
    lines.append(tr("Models: %1; in the paper: %2")
                     .arg(joined(one.models), one.paperModels.empty() ? tr("none") : joined(one.paperModels)));
    m_about->setText(lines.join(QStringLiteral("\n")));
}

void ExperimentsDialog::start(const QStringList& more)
{
    if (running())
        return;
    QStringList arguments = {QStringLiteral("experiment"), text(experiment().id), QStringLiteral("--json")};
    for (const QString& model : m_models->text().split(QLatin1Char(' '), Qt::SkipEmptyParts))
        arguments << QStringLiteral("--model") << model;
    if (!m_limit->text().isEmpty())
        arguments << QStringLiteral("--limit") << m_limit->text();
    if (!m_session.isEmpty())
        arguments << QStringLiteral("--session") << m_session;
    m_log->clear();
    m_stop->setEnabled(true);
    m_run->setEnabled(false);
    m_ask->setEnabled(false);
    m_list->setEnabled(false);
    m_process.start(m_program, arguments + more);
}

void ExperimentsDialog::run()
{
    m_forecast = false;
    start({});
}

void ExperimentsDialog::forecast()
{
    m_forecast = true;
    start({QStringLiteral("--forecast")});
}

void ExperimentsDialog::stop()
{
    m_process.terminate();
}

void ExperimentsDialog::ended()
{
    m_stop->setEnabled(false);
    m_run->setEnabled(true);
    m_ask->setEnabled(true);
    m_list->setEnabled(true);
    const bool complete = m_process.exitStatus() == QProcess::NormalExit && m_process.exitCode() == 0
                          && m_process.error() != QProcess::FailedToStart;
    if (complete && !m_forecast) {
        const auto report = experiments::parseReport(m_process.readAllStandardOutput().toStdString());
        if (report.has_value())
            tell(*report);
    }
    Q_EMIT finished(complete);
}

void ExperimentsDialog::tell(const experiments::Report& report)
{
    const auto cells = experiments::toCells(report);
    m_table->clear();
    m_table->setColumnCount(static_cast<int>(cells.front().size()));
    m_table->setRowCount(static_cast<int>(cells.size()) - 1);
    QStringList header;
    for (const std::string& title : cells.front())
        header.append(text(title));
    m_table->setHorizontalHeaderLabels(header);
    for (std::size_t r = 1; r < cells.size(); ++r)
        for (std::size_t c = 0; c < cells[r].size(); ++c)
            m_table->setItem(static_cast<int>(r) - 1, static_cast<int>(c), new QTableWidgetItem(text(cells[r][c])));
    m_table->resizeColumnsToContents();
    m_finding->setText(text(report.finding));
    const experiments::Chart& chart = report.experiment->charts.front();
    std::vector<widgets::RankingCurve> curves;
    for (const experiments::Series& series : experiments::seriesOf(report.table, chart)) {
        widgets::RankingCurve curve{.name = text(series.name),
                                    .control = series.name.find("random") != std::string::npos};
        for (const auto& [x, y] : series.points)
            curve.points.emplace_back(x, y);
        curves.push_back(std::move(curve));
    }
    m_chart->setRanking(text(chart.title), text(report.table.columns[report.table.column(chart.x)].title), QString(),
                        curves);
}

QString ExperimentsDialog::finding() const
{
    return m_finding->text();
}

} // namespace headscope::gui
