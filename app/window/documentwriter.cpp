// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/documentwriter.h"

namespace headscope::gui {

DocumentWriter::DocumentWriter(QString program, QObject* parent) : QObject(parent), m_process(std::move(program))
{
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        const bool written = status == QProcess::NormalExit && code == 0;
        const QString told = QString::fromUtf8(m_process.readAllStandardError()).trimmed();
        Q_EMIT ended(written, written ? m_done : told.section(QLatin1Char('\n'), -1));
    });
    connect(&m_process, &StartedProgram::notStarted, this,
            [this](const QString& sentence) { Q_EMIT ended(false, sentence); });
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
    m_process.begin(arguments);
}

} // namespace headscope::gui
