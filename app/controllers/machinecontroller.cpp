// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/machinecontroller.h"

#include <QFile>
#include <QLabel>

#include <unistd.h>

#include <utility>

namespace headscope::gui {

namespace {

/// What this program holds, and what the machine has, in bytes.
std::pair<double, double> memoryInUse()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    const double pages = file.open(QIODevice::ReadOnly) ? file.readAll().split(' ').value(1).toDouble() : 0;
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    return {pages * page, static_cast<double>(sysconf(_SC_PHYS_PAGES)) * page};
}

} // namespace

MachineController::MachineController(WindowState& state, BackendClient& client, QLabel& line, QObject* parent)
    : QObject(parent), m_state(state), m_line(line)
{
    connect(&client, &BackendClient::busyChanged, this, &MachineController::show);
    connect(&state, &WindowState::modelChanged, this, &MachineController::show);
    connect(&state, &WindowState::activeSideChanged, this, &MachineController::show);
}

void MachineController::show()
{
    const auto& model = m_state.side(m_state.activeSide()).model;
    if (!model)
        return;
    const auto [used, all] = memoryInUse();
    m_line.setText(tr("memory %1 of %2 GB").arg(used / 1e9, 0, 'f', 1).arg(all / 1e9, 0, 'f', 0));
}

} // namespace headscope::gui
