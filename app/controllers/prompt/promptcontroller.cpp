// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/prompt/promptcontroller.h"

#include "app/present/prompt/prompttext.h"
#include "app/present/scores/tasknames.h"
#include "app/state/modelheads.h"

#include <utility>

namespace headscope::gui {

using widgets::PromptBar;

namespace {

constexpr int kTypingPauseMs = 250; // a pause in typing after which the prompt is read

/// Of the choice of sources; no task has such a name.
QString conversationSource()
{
    return QStringLiteral("<conversation>");
}

} // namespace

PromptController::PromptController(WindowState& state, app::Door& door, PromptBar& bar, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_bar(bar)
{
    m_typing.setSingleShot(true);
    m_typing.setInterval(kTypingPauseMs);
    connectBar();
    door.on<app::SampleRequest>(this, [this](const auto& prompt) { sampleArrived(*prompt); });
    door.on<app::TokensRequest>(this, [this](Side side, const auto& tokens) { tokensArrived(side, tokens); });
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane, const QString& sentence) {
        if (lane.is<app::SampleRequest>())
            m_asked = false;
        if (lane.is<app::TokensRequest>() || lane.is<app::MapRequest>())
            m_bar.setTokenCount(lane.side, 0, sentence);
        if (lane.is<app::TokensRequest>())
            offerOtherModels(lane.side, sentence);
    });
    connect(&state, &WindowState::modelChanged, this, &PromptController::modelChanged);
    connect(&state, &WindowState::promptChanged, this, &PromptController::showPrompt);
    connect(&state, &WindowState::patternChanged, this, [this](Side side) {
        if (const auto& pattern = m_state.side(side).pattern)
            m_bar.setTokenCount(side, static_cast<int>(pattern->prompt.ids.size()));
    });
}

void PromptController::connectBar()
{
    connect(&m_bar, &PromptBar::sourceChosen, this, &PromptController::chooseSource);
    connect(&m_bar, &PromptBar::sampleStepRequested, this, &PromptController::stepSample);
    connect(&m_bar, &PromptBar::sampleRequested, this, [this](int index) {
        if (const std::string& task = m_state.prompt().task; !task.empty())
            showSample(QString::fromStdString(task), index);
    });
    connect(&m_state, &WindowState::benchmarksChanged, this, &PromptController::showSources);
    connect(&m_bar, &PromptBar::promptEdited, this, [this] {
        m_bar.setTokenCount(Side::A, -1);
        m_typing.start();
    });
    connect(&m_typing, &QTimer::timeout, this,
            [this] { m_state.changePrompt(edited(m_state.prompt(), m_bar.prompt()), tr("Change the prompt"), true); });
    connect(&m_bar, &PromptBar::segmentMarked, this, [this](Role role, int begin, int end) {
        m_state.changePrompt(marked(m_state.prompt(), role, begin, end), tr("Mark a segment"));
    });
    connect(&m_bar, &PromptBar::segmentsCleared, this, [this] {
        app::Prompt plain = m_state.prompt();
        plain.spans.clear();
        m_state.changePrompt(plain, tr("Clear the segments"));
    });
}

void PromptController::chooseSource(const QString& task)
{
    if (task == conversationSource())
        Q_EMIT conversationWanted();
    else if (task.isEmpty())
        m_state.changePrompt({.text = m_state.prompt().text}, tr("Free text"));
    else
        showSample(task, 0);
}

void PromptController::stepSample(int step)
{
    const app::Prompt& prompt = m_state.prompt();
    if (!prompt.task.empty())
        showSample(QString::fromStdString(prompt.task), prompt.sample + step);
}

void PromptController::showSample(const QString& task, int index)
{
    m_replacing.clear();
    m_asked = true;
    m_door.ask(app::SampleRequest{task.toStdString(), index});
}

void PromptController::sampleArrived(const app::Prompt& prompt)
{
    const std::string replaced = std::exchange(m_replacing, {});
    if (!replaced.empty() && m_state.prompt().text != replaced)
        return; // another prompt was written meanwhile
    if (std::exchange(m_asked, false))
        m_state.changePrompt(
            prompt, tr("%1, sample %2").arg(taskTitle(QString::fromStdString(prompt.task))).arg(prompt.sample + 1));
    else if (const app::Prompt& now = m_state.prompt();
             now.task != prompt.task || now.sample != prompt.sample || now.text != prompt.text)
        m_state.setPrompt(prompt);
}

void PromptController::modelChanged(Side side)
{
    showSources();
    const SideState& now = m_state.side(side);
    if (!now.model)
        return m_bar.setTokenCount(side, 0);
    if (now.isStored())
        return;
    const app::Prompt& prompt = m_state.prompt();
    if (!prompt.text.empty()) {
        countTokens(side);
        if (!prompt.task.empty() && !m_asked && (side == Side::A || !m_state.hasModel(Side::A))) {
            m_replacing = prompt.text;
            m_door.ask(app::SampleRequest{prompt.task, prompt.sample}); // as this model reads it
        }
    } else if (prompt.turns.empty()
               && !m_door.isRunning<app::SampleRequest>(Side::A)) { // with two models being opened one prompt is enough
        m_cutting[indexOf(side)] = true;                            // no dictionary may be short enough
        m_door.ask(app::SampleRequest{retrievalTask(*now.model), 0});
    }
}

void PromptController::showPrompt(bool reread)
{
    m_tokens = {};
    const app::Prompt& prompt = m_state.prompt();
    if (m_bar.prompt().toStdString() != prompt.text)
        m_bar.setPrompt(QString::fromStdString(prompt.text));
    m_bar.setSample(prompt.sample, prompt.samples);
    showSources();
    for (const Side side : kSides)
        if (reread || !m_state.side(side).keptPrompt)
            countTokens(side);
}

void PromptController::countTokens(Side side)
{
    const SideState& now = m_state.side(side);
    if (now.model && !now.isStored())
        m_door.ask(app::TokensRequest{side, m_state.promptOf(side)});
}

// A text of a person's own that this model's vocabulary cannot write is no dead end.
void PromptController::offerOtherModels(Side side, const QString& sentence)
{
    const app::Prompt& prompt = m_state.promptOf(side);
    if (!m_state.hasModel(side) || !prompt.task.empty() || prompt.text.empty())
        return;
    m_offered = side;
    m_state.notify({.kind = Message::Kind::Warning,
                    .text = tr("%1 cannot read this prompt: %2 The small English models read any word.")
                                .arg(QString::fromStdString(m_state.side(side).model->name), sentence),
                    .step = Message::Step::OpenForAnyWords,
                    .side = side});
}

int PromptController::longest(Side side, std::size_t tokens) const
{
    const SideState& now = m_state.side(side);
    const int most = now.model && !now.keptPrompt ? now.model->maxPositions : 0;
    return most > 0 && static_cast<int>(tokens) > most ? most : 0;
}

void PromptController::tokensArrived(Side side, const std::shared_ptr<const app::TokenizedPrompt>& tokens)
{
    const std::size_t count = tokens->ids.size();
    m_tokens[indexOf(side)] = tokens;
    m_bar.setTokenCount(side, static_cast<int>(count));
    if (m_offered == side) {
        m_offered.reset();
        m_state.clearMessage();
    }
    if (side == (m_state.hasModel(Side::A) ? Side::A : Side::B))
        m_bar.setMarks(textSpans(m_state.prompt()), tokenStarts(m_state.prompt(), *tokens));
    const int most = longest(side, count);
    if (most == 0)
        m_cutting[indexOf(side)] = false;
    else if (m_cutting[indexOf(side)])
        cutToFit(side);
    else
        m_state.notify({.kind = Message::Kind::Warning,
                        .text = tr("The prompt has %L1 tokens; %2 reads at most %L3.")
                                    .arg(count)
                                    .arg(QString::fromStdString(m_state.side(side).model->name))
                                    .arg(most),
                        .step = Message::Step::CutPrompt,
                        .side = side});
}

void PromptController::cutToFit(Side side)
{
    const auto& tokens = m_tokens[indexOf(side)];
    const int most = tokens ? longest(side, tokens->ids.size()) : 0;
    m_cutting[indexOf(side)] = most > 0;
    if (most > 0)
        m_state.changePrompt(withoutBeginning(m_state.prompt(), *tokens, most), tr("Cut the prompt to fit"));
}

void PromptController::showSources()
{
    QList<widgets::Choice> sources{{QString(), tr("free text"), tr("Type or paste a prompt")}};
    const bool converses = !m_state.prompt().turns.empty();
    const QString current = converses ? conversationSource() : QString::fromStdString(m_state.prompt().task);
    const bool chats = std::ranges::any_of(kSides, [this](Side side) {
        const auto& model = m_state.side(side).model;
        return model && !model->roles.empty();
    });
    if (chats || converses)
        sources.append(
            {conversationSource(), tr("conversation"), tr("Turns with roles, written by the model's chat template")});
    const auto offer = [&sources](const QString& task) {
        const auto same = [&task](const widgets::Choice& choice) { return choice.id == task; };
        if (std::none_of(sources.cbegin(), sources.cend(), same))
            sources.append({task, taskTitle(task), task});
    };
    for (const std::string& task : m_state.benchmarks(m_state.hasModel(Side::A) ? Side::A : Side::B))
        offer(QString::fromStdString(task));
    if (!current.isEmpty() && !converses)
        offer(current); // a sample of a size that is no benchmark of these models is no free text
    m_bar.setSources(sources, current);
}

} // namespace headscope::gui
