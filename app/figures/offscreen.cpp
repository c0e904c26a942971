// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/offscreen.h"

#include <QGuiApplication>
#include <QHashFunctions>

#include <clocale>
#include <cstdio>
#include <string>

namespace headscope::figures {

using namespace Qt::StringLiterals;

namespace {

// Without a login session Qt remarks on its choice of a runtime folder, which nothing here uses.
void withoutRuntimeFolder(QtMsgType, const QMessageLogContext&, const QString& message)
{
    if (!message.startsWith("QStandardPaths: XDG_RUNTIME_DIR"_L1))
        std::fprintf(stderr, "%s\n", qPrintable(message));
}

} // namespace

OffscreenQt::OffscreenQt()
{
    if (QCoreApplication::instance())
        return;
    const std::string before = std::setlocale(LC_ALL, nullptr);
    const QtMessageHandler handler = qInstallMessageHandler(withoutRuntimeFolder);
    QHashSeed::setDeterministicGlobalSeed(); // fonts are written in the order of a hash: the same bytes each time
    m_application = std::make_unique<QGuiApplication>(m_count, m_arguments);
    qInstallMessageHandler(handler);
    std::setlocale(LC_ALL, before.c_str());
}

OffscreenQt::~OffscreenQt() = default;

} // namespace headscope::figures
