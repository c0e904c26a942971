// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Describes the progress of a download: bytes, rate and remaining time. GUI thread.

#include <QElapsedTimer>
#include <QString>

namespace headscope::gui {

/// Returns "300 kB", in the language of the window.
[[nodiscard]] QString sizeText(std::uint64_t bytes);

class Arrival
{
public:
    /// Describes the bytes of `file` received so far, and of all. A different file starts a new measurement.
    [[nodiscard]] QString progressed(const QString& file, qint64 done, qint64 total);
    void forget() { m_file.clear(); }

private:
    QElapsedTimer m_clock; ///< started with the current file
    QString m_file;
    qint64 m_begun = 0; ///< bytes of it that existed at the start
};

} // namespace headscope::gui
