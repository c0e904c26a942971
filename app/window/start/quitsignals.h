// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Signals that ask the program to end close its windows as a person would, so that nothing is lost. GUI thread.

#include <QObject>

#include <array>

namespace headscope::gui {

/// While it lives SIGTERM, SIGINT and SIGHUP close all windows, which ends the program; one of them for the second time
/// ends it at once.
class QuitSignals : public QObject
{
    Q_OBJECT

public:
    explicit QuitSignals(QObject* parent = nullptr);
    ~QuitSignals() override;
    QuitSignals(const QuitSignals&) = delete;
    QuitSignals& operator=(const QuitSignals&) = delete;

private:
    void close();

    std::array<int, 2> m_pipe{-1, -1};
};

} // namespace headscope::gui
