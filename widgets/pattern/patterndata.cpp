// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/patterndata.h"

#include <QCoreApplication>

namespace headscope::widgets {

namespace {

QString escaped(const QString& token, bool keepSpaces)
{
    QString out;
    for (const QChar c : token) {
        if (c == u'\n')
            out += QChar(0x23CE);
        else if (c == u'\t')
            out += QChar(0x21E5);
        else if (c == u'\r')
            out += QChar(0x240D);
        else if (c == u' ' && keepSpaces)
            out += QChar(0x2423);
        else if (c.category() == QChar::Other_Control)
            out += QChar(0xFFFD);
        else
            out += c;
    }
    return out;
}

} // namespace

QString tokenLabel(const QString& token)
{
    const QString plain = escaped(token, false);
    const QString trimmed = plain.trimmed();
    return trimmed.isEmpty() ? escaped(token, true) : trimmed;
}

QString tokenQuoted(const QString& token)
{
    return escaped(token, true);
}

QString tokenLabelAt(const QStringList& tokens, int index)
{
    return index >= 0 && index < tokens.size() ? tokenLabel(tokens.at(index)) : QString::number(index);
}

QString roleName(Role role)
{
    const auto text = [](const char* s) { return QCoreApplication::translate("headscope::widgets::Role", s); };
    switch (role) {
    case Role::Key: return text(QT_TRANSLATE_NOOP("headscope::widgets::Role", "key"));
    case Role::Value: return text(QT_TRANSLATE_NOOP("headscope::widgets::Role", "value"));
    case Role::Query: return text(QT_TRANSLATE_NOOP("headscope::widgets::Role", "query"));
    case Role::Question: return text(QT_TRANSLATE_NOOP("headscope::widgets::Role", "question"));
    case Role::Option: return text(QT_TRANSLATE_NOOP("headscope::widgets::Role", "option"));
    case Role::Answer: return text(QT_TRANSLATE_NOOP("headscope::widgets::Role", "answer"));
    }
    return {};
}

} // namespace headscope::widgets
