// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Closes the windows normally on signals that ask the program to end, so that nothing is lost. GUI thread.

#include <QObject>

#include <array>

namespace headscope::gui {

/// While it lives, SIGTERM, SIGINT and SIGHUP close all windows, which ends the program; a second signal ends it at
/// once.
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
