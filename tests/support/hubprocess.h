// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tests' hub (hubserver.py) as a process of its own, with settings that lead to it.

#include "core/hub/hubsettings.h"

#include <QProcess>

#include <chrono>

namespace headscope::testing {

class HubProcess
{
public:
    /// Starts it and waits for its ports; false when it does not answer.
    [[nodiscard]] bool start()
    {
        for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
            qunsetenv(name); // the server is on this machine
        m_server.start(QStringLiteral("python3"), {QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/support/hubserver.py")});
        if (!m_server.waitForStarted())
            return false;
        while (!m_server.canReadLine())
            if (!m_server.waitForReadyRead())
                return false;
        m_ports = m_server.readLine().trimmed().split(' ');
        return m_ports.size() == 3;
    }
    /// It serves until its input ends.
    [[nodiscard]] bool stop()
    {
        m_server.closeWriteChannel();
        return m_server.waitForFinished();
    }
    /// Of the hub, without a cache; waits between tries are short.
    [[nodiscard]] hub::HubSettings settings() const
    {
        hub::HubSettings settings;
        settings.endpoint = "http://127.0.0.1:" + m_ports.at(0).toStdString();
        settings.firstWait = std::chrono::milliseconds(1);
        return settings;
    }
    /// The same hub by TLS.
    [[nodiscard]] std::string encrypted() const { return "https://127.0.0.1:" + m_ports.at(2).toStdString(); }

private:
    QProcess m_server;
    QList<QByteArray> m_ports;
};

} // namespace headscope::testing
