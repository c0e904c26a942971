// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A separate process that reports in one sentence if it cannot be started. GUI thread.

#include <QProcess>

namespace headscope::gui {

class StartedProgram : public QProcess
{
    Q_OBJECT

public:
    explicit StartedProgram(QString program);

    void begin(const QStringList& arguments);

Q_SIGNALS:
    /// Never emitted from within begin().
    void notStarted(const QString& sentence);

private:
    void reportFailure();

    QString m_path;
};

} // namespace headscope::gui
