// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/matrixwords.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

namespace headscope::widgets {

using analysis::MatrixConvention;
using analysis::MatrixKind;
using analysis::MatrixShown;

namespace {

constexpr QLatin1StringView kAnd(", ");

struct MatrixWords {
    Q_DECLARE_TR_FUNCTIONS(MatrixWords)
};

QString mapKindText(const MatrixConvention& convention)
{
    if (convention.kind == MatrixKind::Attention)
        return MatrixWords::tr("softmax attention") + QStringLiteral(" (%1)").arg(MatrixWords::tr("rows sum to 1"));
    QStringList parts{convention.kind == MatrixKind::HiddenChannel ? MatrixWords::tr("hidden attention of a channel")
                                                                   : MatrixWords::tr("hidden attention")};
    if (convention.hasD)
        parts += convention.withD ? MatrixWords::tr("with D") : MatrixWords::tr("without D");
    if (!convention.withDt)
        parts += MatrixWords::tr("without dt");
    if (convention.withGate)
        parts += MatrixWords::tr("times the gate");
    return parts.join(kAnd)
           + QStringLiteral(" (%1, %2)").arg(MatrixWords::tr("signed"), MatrixWords::tr("rows do not sum to 1"));
}

} // namespace

QString matrixWords(const MatrixConvention& convention)
{
    const QString kind = mapKindText(convention);
    switch (convention.shown) {
    case MatrixShown::Plain: break;
    case MatrixShown::Weighted: return kind + kAnd + MatrixWords::tr("times the norm of the value");
    case MatrixShown::MinusBaseline: return kind + kAnd + MatrixWords::tr("now minus baseline");
    }
    return kind;
}

QStringList shorterWords(const QString& words)
{
    static const QRegularExpression kBrackets(QStringLiteral(" \\([^)]*\\)"));
    const QString plain = QString(words).remove(kBrackets);
    const QString letter = QString(plain).replace(MatrixWords::tr("hidden attention"), QStringLiteral("M"));
    return {words, plain, letter, letter.section(QStringLiteral(" · "), 0, 0)};
}

QString sharesWords(const QString& words, bool isSigned)
{
    const QString what = words.section(QStringLiteral(" ("), 0, 0);
    const QString kind = what.section(QStringLiteral(", "), 0, 0), rest = what.section(QStringLiteral(", "), 1);
    const QString shares = isSigned ? MatrixWords::tr("%1 ÷ row sum of magnitudes, signed").arg(kind)
                                    : MatrixWords::tr("|%1| ÷ row sum").arg(kind);
    return rest.isEmpty() ? shares : shares + kAnd + rest;
}

} // namespace headscope::widgets
