// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentrunner.h"

#include "app/present/text.h"
#include "core/base/writefile.h"

namespace headscope::gui {

ExperimentRunner::ExperimentRunner(QString program, QObject* parent) : QObject(parent), m_run(std::move(program))
{
    connect(&m_run, &ProgramRun::lineArrived, this, &ExperimentRunner::lineArrived);
    connect(&m_run, &ProgramRun::ended, this, &ExperimentRunner::end);
}

void ExperimentRunner::start(const ExperimentRequest& request, const QString& session)
{
    if (running())
        return;
    QString name = request.id;
    if (!request.study.empty()) {
        name = m_folder.filePath(request.id + QStringLiteral(".json"));
        if (const auto written = writeFile(name.toStdString(), request.study); !written.has_value())
            return m_run.fail(text(written.error().message));
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
    m_run.start(arguments);
}

void ExperimentRunner::end(bool complete, const QByteArray& output)
{
    if (complete && !m_forecastOnly)
        if (const auto report = experiments::parseReport(output.toStdString()); report.has_value())
            Q_EMIT reported(*report);
    Q_EMIT ended(complete);
}

} // namespace headscope::gui
