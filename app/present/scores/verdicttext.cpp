// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/scores/verdicttext.h"

#include <QCoreApplication>

namespace headscope::gui {

namespace {

struct VerdictText {
    Q_DECLARE_TR_FUNCTIONS(VerdictText)
};

} // namespace

QString verdictText(experiments::Verdict verdict)
{
    switch (verdict) {
    case experiments::Verdict::Appears: return VerdictText::tr("appears");
    case experiments::Verdict::InPart: return VerdictText::tr("appears in part");
    case experiments::Verdict::DoesNotAppear: return VerdictText::tr("does not appear");
    case experiments::Verdict::CanNotTell: break;
    }
    return VerdictText::tr("inconclusive");
}

QChar verdictMark(experiments::Verdict verdict)
{
    switch (verdict) {
    case experiments::Verdict::Appears: return QChar(0x2713);       // check mark
    case experiments::Verdict::InPart: return QChar(0x25d0);        // half black circle
    case experiments::Verdict::DoesNotAppear: return QChar(0x2717); // ballot x
    case experiments::Verdict::CanNotTell: break;
    }
    return QLatin1Char('?');
}

} // namespace headscope::gui
