// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/models/modelarrival.h"

#include <QCoreApplication>
#include <QLocale>

namespace headscope::gui {

namespace {

struct ArrivalText {
    Q_DECLARE_TR_FUNCTIONS(ArrivalText)
};

} // namespace

QString sizeText(std::uint64_t bytes)
{
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), 1, QLocale::DataSizeSIFormat);
}

QString Arrival::progressed(const QString& file, qint64 done, qint64 total)
{
    if (file != m_file) {
        m_file = file;
        m_begun = done;
        m_clock.start();
    }
    QString text =
        ArrivalText::tr("%1: %2 of %3")
            .arg(file, sizeText(static_cast<std::uint64_t>(done)), sizeText(static_cast<std::uint64_t>(total)));
    const double seconds = static_cast<double>(m_clock.elapsed()) / 1e3;
    if (seconds > 1 && done > m_begun) {
        const double rate = static_cast<double>(done - m_begun) / seconds;
        text += ArrivalText::tr(", %1 a second, %L2 s left")
                    .arg(sizeText(static_cast<std::uint64_t>(rate)))
                    .arg(static_cast<double>(total - done) / rate, 0, 'f', 0);
    }
    return text;
}

} // namespace headscope::gui
