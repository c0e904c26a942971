// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/continuation.h"

namespace headscope::gui {

using Kind = BackendClient::Kind;
using Ending = app::ContinuationPart::Ending;

namespace {

} // namespace

Continuation::Continuation(Explorer& explorer, BackendClient& client, const Parts& parts, QObject* parent)
    : QObject(parent), m_explorer(explorer), m_client(client), m_parts(parts)
{
    auto* view = parts.continuation;
    connect(view, &widgets::ContinuationView::continueRequested, this, qOverload<>(&Continuation::start));
    connect(view, &widgets::ContinuationView::stopRequested, this, &Continuation::stop);
    connect(view, &widgets::ContinuationView::takeOverRequested, this, &Continuation::takeOver);
    connect(parts.prompt, &widgets::PromptBar::continueRequested, this, qOverload<>(&Continuation::start));
    connect(&client, &BackendClient::continuationReady, this,
            [this](Side side, const auto& part) { partArrived(side, *part); });
    connect(&client, &BackendClient::cancelled, this, [this](Kind kind, Side side) {
        if (kind == Kind::Continue)
            m_parts.continuation->finish(side, tr("stopped"));
    });
    connect(&client, &BackendClient::failed, this, [this](Kind kind, Side side) {
        if (kind == Kind::Continue)
            m_parts.continuation->finish(side, tr("failed")); // the message bar tells why
    });
    // What is written belongs to a prompt and to a set of heads. A new prompt ends it; other heads write anew.
    connect(&explorer, &Explorer::promptShown, this, [this] {
        stop();
        m_parts.continuation->hide();
    });
    connect(&explorer, &Explorer::ablationChanged, this, [this](Side side) {
        if (!m_parts.continuation->isHidden())
            start(side);
    });
}

void Continuation::start()
{
    bool any = false;
    for (const Side side : kSides)
        if (m_explorer.hasModel(side) && !m_explorer.prompt().text.empty()) {
            start(side);
            any = true;
        } else {
            m_parts.continuation->removeSide(side);
        }
    if (!any)
        m_parts.messages->showMessage(widgets::MessageBar::Kind::Info,
                                      tr("There is nothing to continue yet; open a model and write a prompt."));
}

void Continuation::start(Side side)
{
    const QString ablation = m_explorer.ablation(side);
    m_parts.continuation->begin(side, ablation.isEmpty() ? tr("all heads on") : tr("%1 off").arg(ablation));
    m_client.requestContinuation(
        side, m_explorer.prompt(), ablation,
        {.tokens = m_parts.continuation->tokens(), .temperature = m_parts.continuation->temperature()});
}

void Continuation::stop()
{
    for (const Side side : kSides)
        m_client.stop(Kind::Continue, side);
}

void Continuation::partArrived(Side side, const app::ContinuationPart& part)
{
    std::vector<widgets::ContinuedWord> words;
    for (const app::ContinuedToken& token : part.tokens) {
        widgets::ContinuedWord word{QString::fromStdString(token.text), token.probability, {}};
        for (const auto& [text, probability] : token.candidates)
            word.candidates.emplace_back(QString::fromStdString(text), probability);
        words.push_back(std::move(word));
    }
    m_parts.continuation->append(side, words);
    switch (part.ending) {
    case Ending::None: break;
    case Ending::EnoughTokens: m_parts.continuation->finish(side, {}); break;
    case Ending::StopToken: m_parts.continuation->finish(side, tr("the model ended here")); break;
    case Ending::LongestPrompt: m_parts.continuation->finish(side, tr("longest text this model reads")); break;
    }
}

void Continuation::takeOver(const QString& text)
{
    app::Prompt prompt = m_explorer.prompt();
    // The text is no longer the sample's; its marks stay where they are.
    prompt.text += text.toStdString();
    prompt.task.clear();
    prompt.sample = prompt.samples = 0;
    m_explorer.usePrompt(prompt);
}

} // namespace headscope::gui
