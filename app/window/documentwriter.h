// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes documents of the session with the command-line program, so that both write the same bytes and the window stays
// responsive. GUI thread.

#include "app/window/start/startedprogram.h"

#include <QObject>

namespace headscope::gui {

class DocumentWriter : public QObject
{
    Q_OBJECT

public:
    /// `program`: headscope-cli.
    explicit DocumentWriter(QString program, QObject* parent = nullptr);
    ~DocumentWriter() override;

    /// Runs the command. `done`: message after success. Has no effect while another document is being written.
    void write(const QStringList& arguments, const QString& done);
    [[nodiscard]] bool busy() const { return m_process.state() != QProcess::NotRunning; }

Q_SIGNALS:
    void ended(bool written, const QString& sentence);

private:
    QString m_done;
    StartedProgram m_process;
};

} // namespace headscope::gui
