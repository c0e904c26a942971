// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Dates of a PDF, which would make each one another file. Pure functions; any thread.

class QByteArray;

namespace headscope::widgets {

/// Replaces digits of the dates by fixed ones in place, so that all offsets of the file stay right.
void fixPdfDates(QByteArray& pdf);

} // namespace headscope::widgets
