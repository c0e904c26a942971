// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start/startedprogram.h"

#include <QFileInfo>
#include <QTimer>

namespace headscope::gui {

StartedProgram::StartedProgram(QString program) : m_path(std::move(program))
{
    connect(this, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            reportFailure();
    });
}

void StartedProgram::begin(const QStringList& arguments)
{
    if (QFileInfo(m_path).isExecutable())
        start(m_path, arguments);
    else // Qt 6.4 keeps a pipe of each start that fails
        QTimer::singleShot(0, this, &StartedProgram::reportFailure);
}

void StartedProgram::reportFailure()
{
    Q_EMIT notStarted(tr("The program %1 could not be started.").arg(m_path));
}

} // namespace headscope::gui
