// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/continuation.h"

namespace headscope::gui {

using Kind = BackendClient::Kind;
using Ending = app::ContinuationPart::Ending;
using widgets::Side;

namespace {

Side sideOf(Slot slot)
{
    return slot == Slot::A ? Side::A : Side::B;
}

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
            [this](Slot slot, const auto& part) { partArrived(slot, *part); });
    connect(&client, &BackendClient::cancelled, this, [this](Kind kind, Slot slot) {
        if (kind == Kind::Continue)
            m_parts.continuation->finish(sideOf(slot), tr("stopped"));
    });
    connect(&client, &BackendClient::failed, this, [this](Kind kind, Slot slot) {
        if (kind == Kind::Continue)
            m_parts.continuation->finish(sideOf(slot), tr("failed")); // the message bar tells why
    });
    // What is written belongs to a prompt and to a set of heads. A new prompt ends it; other heads write anew.
    connect(&explorer, &Explorer::promptShown, this, [this] {
        stop();
        m_parts.continuation->hide();
    });
    connect(&explorer, &Explorer::ablationChanged, this, [this](Slot slot) {
        if (!m_parts.continuation->isHidden())
            start(slot);
    });
}

void Continuation::start()
{
    bool any = false;
    for (const Slot slot : {Slot::A, Slot::B})
        if (m_explorer.hasModel(slot) && !m_explorer.prompt().text.empty()) {
            start(slot);
            any = true;
        } else {
            m_parts.continuation->removeSide(sideOf(slot));
        }
    if (!any)
        m_parts.messages->showMessage(widgets::MessageBar::Kind::Info,
                                      tr("There is nothing to continue yet; open a model and write a prompt."));
}

void Continuation::start(Slot slot)
{
    const QString ablation = m_explorer.ablation(slot);
    m_parts.continuation->begin(sideOf(slot), ablation.isEmpty() ? tr("all heads on") : tr("%1 off").arg(ablation));
    m_client.requestContinuation(
        slot, m_explorer.prompt(), ablation,
        {.tokens = m_parts.continuation->tokens(), .temperature = m_parts.continuation->temperature()});
}

void Continuation::stop()
{
    for (const Slot slot : {Slot::A, Slot::B})
        m_client.stop(Kind::Continue, slot);
}

void Continuation::partArrived(Slot slot, const app::ContinuationPart& part)
{
    std::vector<widgets::ContinuedWord> words;
    for (const app::ContinuedToken& token : part.tokens) {
        widgets::ContinuedWord word{QString::fromStdString(token.text), token.probability, {}};
        for (const auto& [text, probability] : token.candidates)
            word.candidates.emplace_back(QString::fromStdString(text), probability);
        words.push_back(std::move(word));
    }
    m_parts.continuation->append(sideOf(slot), words);
    switch (part.ending) {
    case Ending::None: break;
    case Ending::EnoughTokens: m_parts.continuation->finish(sideOf(slot), {}); break;
    case Ending::StopToken: m_parts.continuation->finish(sideOf(slot), tr("the model ended here")); break;
    case Ending::LongestPrompt: m_parts.continuation->finish(sideOf(slot), tr("longest text this model reads")); break;
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
