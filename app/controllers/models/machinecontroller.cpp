// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/models/machinecontroller.h"

#include "app/present/heads/sidenames.h"
#include "widgets/look/fitting.h"
#include "widgets/look/plaintext.h"

#include <QFile>
#include <QLabel>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace headscope::gui {

namespace {

constexpr std::chrono::seconds kEvery{2}; // memory is given up at rest too, when nothing else changes

/// What this program holds, and what the machine has, in bytes.
std::pair<double, double> memoryInUse()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    const double pages = file.open(QIODevice::ReadOnly) ? file.readAll().split(' ').value(1).toDouble() : 0;
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    return {pages * page, static_cast<double>(sysconf(_SC_PHYS_PAGES)) * page};
}

} // namespace

MachineController::MachineController(WindowState& state, app::Door& door, QLabel& line, QObject* parent)
    : QObject(parent), m_state(state), m_line(line)
{
    connect(&door, &app::Door::busyChanged, this, &MachineController::show);
    connect(&state, &WindowState::modelChanged, this, &MachineController::show);
    connect(&state, &WindowState::activeSideChanged, this, &MachineController::show);
    connect(&m_again, &QTimer::timeout, this, &MachineController::show);
    m_again.start(kEvery);
}

void MachineController::show()
{
    if (!m_state.hasModel(m_state.activeSide()))
        return;
    const auto [used, all] = memoryInUse();
    m_line.setText(tr("memory %1 of %2 GB").arg(used / 1e9, 0, 'f', 1).arg(all / 1e9, 0, 'f', 0));
    m_line.setMinimumWidth(
        std::max(m_line.minimumWidth(), widgets::roomForDigits(m_line.text(), m_line.fontMetrics())));
    QStringList parts;
    for (const Side side : kSides)
        if (const auto& model = m_state.side(side).model; model && !model->stored)
            parts.append(tr("%1: weights %2 GB, and at most %3 GB "
                            "of activations kept so that a click restarts from them.")
                             .arg(letterOf(side))
                             .arg(static_cast<double>(model->bytes) / 1e9, 0, 'f', 2)
                             .arg(static_cast<double>(model->keptLimit) / 1e9, 0, 'f', 1));
    m_line.setToolTip(widgets::plainText(parts.join(u'\n')));
}

} // namespace headscope::gui
