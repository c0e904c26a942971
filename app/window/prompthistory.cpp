// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/prompthistory.h"

#include "widgets/prompt/promptbar.h"

#include <QSettings>

namespace headscope::gui {

namespace {

constexpr qsizetype kMostPrompts = 50;

QString promptsKey()
{
    return QStringLiteral("prompts");
}

} // namespace

PromptHistory::PromptHistory(widgets::PromptBar& prompt, QObject* parent) : QObject(parent), m_prompt(prompt)
{
    m_prompt.setHistory(QSettings().value(promptsKey()).toStringList());
    connect(&m_prompt, &widgets::PromptBar::promptCommitted, this, &PromptHistory::remember);
}

void PromptHistory::remember(const QString& text)
{
    QSettings settings;
    QStringList prompts = settings.value(promptsKey()).toStringList();
    prompts.removeAll(text);
    prompts.prepend(text);
    prompts = prompts.mid(0, kMostPrompts);
    settings.setValue(promptsKey(), prompts);
    m_prompt.setHistory(prompts);
}

} // namespace headscope::gui
