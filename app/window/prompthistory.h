// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The last committed prompts, offered by the prompt bar and remembered across starts. GUI thread.

#include <QObject>

namespace headscope::widgets {
class PromptBar;
}

namespace headscope::gui {

class PromptHistory : public QObject
{
    Q_OBJECT

public:
    PromptHistory(widgets::PromptBar& prompt, QObject* parent);

private:
    void remember(const QString& text);

    widgets::PromptBar& m_prompt;
};

} // namespace headscope::gui
