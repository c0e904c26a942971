// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/documentwriter.h"

#include <QFileInfo>
#include <QTimer>

namespace headscope::gui {

DocumentWriter::DocumentWriter(QString program, QObject* parent) : QObject(parent), m_program(std::move(program))
{
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        const bool written = status == QProcess::NormalExit && code == 0;
        const QString told = QString::fromUtf8(m_process.readAllStandardError()).trimmed();
        Q_EMIT ended(written, written ? m_done : told.section(QLatin1Char('\n'), -1));
    });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            failToStart();
    });
}

DocumentWriter::~DocumentWriter()
{
    m_process.disconnect(this);
    if (!busy())
        return;
    m_process.kill();
    m_process.waitForFinished();
}

void DocumentWriter::write(const QStringList& arguments, const QString& done)
{
    if (busy())
        return;
    m_done = done;
    if (QFileInfo(m_program).isExecutable())
        m_process.start(m_program, arguments);
    else // Qt 6.4 keeps a pipe of each start that fails
        QTimer::singleShot(0, this, &DocumentWriter::failToStart);
}

void DocumentWriter::failToStart()
{
    Q_EMIT ended(false, tr("The program %1 could not be started.").arg(m_program));
}

} // namespace headscope::gui
