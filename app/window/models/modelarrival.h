// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is said of a file while it arrives: how much of it is here, how fast, how long it takes. GUI thread.

#include <QElapsedTimer>
#include <QString>

namespace headscope::gui {

/// "300 kB", in the language of the window
[[nodiscard]] QString sizeText(std::uint64_t bytes);

class Arrival
{
public:
    /// Bytes of `file` that are here, of all. Another file than before begins anew.
    [[nodiscard]] QString progressed(const QString& file, qint64 done, qint64 total);
    void forget() { m_file.clear(); }

private:
    QElapsedTimer m_clock; ///< since the file that arrives began
    QString m_file;
    qint64 m_begun = 0; ///< bytes of it that were there then
};

} // namespace headscope::gui
