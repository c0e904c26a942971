// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/patterndata.h"

#include "core/base/printable.h"

#include <QCoreApplication>

#include <algorithm>

namespace headscope::widgets {

namespace {

QString escaped(const QString& token, bool keepSpaces)
{
    QString out;
    for (const QChar c : QString::fromStdString(visible(token.toStdString()))) {
        if (c == u'\n')
            out += QChar(0x23CE);
        else if (c == u'\t')
            out += QChar(0x21E5);
        else if (c == u'\r')
            out += QChar(0x240D);
        else if (c == u' ' && keepSpaces)
            out += QChar(0x2423);
        else
            out += c;
    }
    return out;
}

// Says nothing by itself: a blank, a line end, a comma, a colon.
bool isSeparator(const QString& token)
{
    return std::all_of(token.begin(), token.end(),
                       [](QChar c) { return !c.isLetterOrNumber() && c.category() != QChar::Symbol_Math; });
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

QString tokenLabelAt(const QStringList& tokens, int index, int most)
{
    const QString label = tokenLabelAt(tokens, index);
    return label.size() <= most ? label : label.left(most - 1) + QChar(0x2026);
}

LabelChoice labelChoice(const QStringList& tokens, const std::vector<TokenSpan>& segments, std::vector<int> always)
{
    LabelChoice choice{.always = std::move(always), .rather = {}, .never = {}};
    const auto add = [&](std::vector<int>& list, Role role, bool target) {
        for (const TokenSpan& span : segments)
            if (span.role == role && span.target == target && span.end > span.begin)
                list.push_back(span.end - 1);
    };
    for (const Role role : {Role::Value, Role::Option, Role::Answer})
        add(choice.always, role, true);
    for (const Role role : {Role::Key, Role::Query})
        add(choice.rather, role, true);
    for (const Role role : {Role::Value, Role::Query, Role::Option, Role::Key, Role::Question, Role::Answer})
        add(choice.rather, role, false);
    choice.never = [tokens](int token) { return token < tokens.size() && isSeparator(tokens.at(token)); };
    return choice;
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
