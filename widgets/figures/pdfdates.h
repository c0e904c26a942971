// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fixes the dates in a PDF, which would otherwise make each file different. Pure functions; any thread.

class QByteArray;

namespace headscope::widgets {

/// Replaces the digits of dates by fixed ones in place, so that all offsets in the file stay valid.
void fixPdfDates(QByteArray& pdf);

} // namespace headscope::widgets
