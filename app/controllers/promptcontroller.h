// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The prompt bar and the prompt: samples of benchmarks, what a person writes and marks, and how many tokens it is. GUI
// thread.

#include "app/backend/backendclient.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/promptbar.h"

#include <QObject>
#include <QTimer>

namespace headscope::gui {

class PromptController : public QObject
{
    Q_OBJECT

public:
    PromptController(WindowState& state, BackendClient& client, widgets::PromptBar& bar, QObject* parent);

    void stepSample(int step);

private:
    void connectBar();
    void chooseSource(const QString& task);
    void showPrompt();
    void showSources();
    void modelChanged(Side side);
    void countTokens(Side side);
    void tokensArrived(Side side, const app::TokenizedPrompt& tokens);

    WindowState& m_state;
    BackendClient& m_client;
    widgets::PromptBar& m_bar;
    QTimer m_typing;
};

} // namespace headscope::gui
