// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentrunner.h"

#include "app/present/text.h"
#include "core/io/writefile.h"

#include <sys/resource.h>

namespace headscope::gui {

namespace {

constexpr int kPatience = 2000; // milliseconds between asking a run to end and ending it
constexpr int kBehind = 10;     // niceness beside the window

} // namespace

ExperimentRunner::ExperimentRunner(QString program, QObject* parent) : QObject(parent), m_program(std::move(program))
{
    m_process.setChildProcessModifier([] { setpriority(PRIO_PROCESS, 0, kBehind); });
    connect(&m_process, &QProcess::readyReadStandardError, this, &ExperimentRunner::listen);
    connect(&m_process, &QProcess::finished, this, &ExperimentRunner::end);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return;
        fail(tr("The program %1 could not be started.").arg(m_program));
    });
}

ExperimentRunner::~ExperimentRunner()
{
    m_process.disconnect(this);
    if (!running())
        return;
    m_process.terminate();
    if (!m_process.waitForFinished(kPatience))
        m_process.kill();
    m_process.waitForFinished(kPatience);
}

void ExperimentRunner::start(const ExperimentRequest& request, const QString& session)
{
    if (running())
        return;
    m_log.clear();
    QString name = request.id;
    if (!request.study.empty()) {
        name = m_folder.filePath(request.id + QStringLiteral(".json"));
        if (const auto written = io::writeFile(name.toStdString(), request.study); !written.has_value())
            return fail(text(written.error().message));
    }
    QStringList arguments = {QStringLiteral("experiment"), name, QStringLiteral("--json")};
    for (const QString& model : request.models)
        arguments << QStringLiteral("--model") << model;
    if (request.limit > 0)
        arguments << QStringLiteral("--limit") << QString::number(request.limit);
    if (request.minutes > 0)
        arguments << QStringLiteral("--minutes") << QString::number(request.minutes);
    if (!session.isEmpty())
        arguments << QStringLiteral("--session") << session;
    if (request.forecastOnly)
        arguments << QStringLiteral("--forecast");
    m_forecastOnly = request.forecastOnly;
    m_process.start(m_program, arguments);
}

void ExperimentRunner::fail(const QString& sentence)
{
    m_log = sentence;
    Q_EMIT said(sentence);
    Q_EMIT ended(false);
}

void ExperimentRunner::stop()
{
    m_process.terminate();
}

void ExperimentRunner::listen()
{
    const QString text = QString::fromUtf8(m_process.readAllStandardError()).trimmed();
    if (text.isEmpty())
        return;
    m_log += text + QLatin1Char('\n');
    Q_EMIT said(text.section(QLatin1Char('\n'), -1));
}

void ExperimentRunner::end()
{
    listen();
    const bool complete = m_process.exitStatus() == QProcess::NormalExit && m_process.exitCode() == 0;
    if (complete && !m_forecastOnly) {
        const auto report = experiments::parseReport(m_process.readAllStandardOutput().toStdString());
        if (report.has_value())
            Q_EMIT reported(*report);
    }
    Q_EMIT ended(complete);
}

} // namespace headscope::gui
