// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/welcome/welcomedemo.h"

#include "app/present/heads/modelchoice.h"
#include "app/present/prompt/patternpresenters.h"
#include "app/state/modelheads.h"
#include "core/analysis/patternscores.h"
#include "widgets/look/countedtext.h"
#include "widgets/pattern/card/rowprofile.h"
#include "widgets/welcome/livedemo.h"

#include <algorithm>
#include <cmath>

namespace headscope::gui {

using widgets::LiveDemo;

namespace {

constexpr int kDemoPauseMs = 150;
constexpr auto kDemoTask = "toy_kv:pairs=8";

/// The prompt without its start token, cut where roles begin and end.
QList<std::pair<QString, std::optional<Role>>> piecesOf(const app::Prompt& prompt)
{
    QList<std::pair<QString, std::optional<Role>>> pieces;
    const std::string start = "<s> ";
    std::size_t at = prompt.text.starts_with(start) ? start.size() : 0;
    const auto add = [&](std::size_t end, std::optional<Role> role) {
        if (end > at)
            pieces.append({QString::fromStdString(prompt.text.substr(at, end - at)), role});
        at = std::max(at, end);
    };
    auto spans = prompt.spans;
    std::ranges::sort(spans, {}, &app::Span::begin);
    for (const app::Span& span : spans) {
        add(span.begin, std::nullopt);
        add(span.end, span.role);
    }
    add(prompt.text.size(), std::nullopt);
    return pieces;
}

} // namespace

WelcomeDemo::WelcomeDemo(LiveDemo& view, const app::ModelsOptions& options, const app::Door& worker,
                         const std::array<Part, 2>& parts, QObject* parent)
    : QObject(parent), m_view(view), m_options(options), m_worker(worker), m_parts(parts)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kDemoPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &WelcomeDemo::begin);
    connect(&view, &LiveDemo::switched, this, &WelcomeDemo::ask);
}

void WelcomeDemo::setShown(bool shown)
{
    if (shown)
        return m_pause.start();
    m_pause.stop();
    m_door.reset();
}

void WelcomeDemo::begin()
{
    if (std::ranges::any_of(kSides, [this](Side side) { return m_worker.isRunning<app::OpenModelRequest>(side); }))
        return m_pause.start();
    m_door = std::make_unique<app::Door>(m_options);
    m_door->on<app::OpenModelRequest>(
        this, [this](const app::OpenModelRequest& request, const auto& model) { modelOpened(request.side, *model); });
    m_door->on<app::SampleRequest>(this, [this](const app::SampleRequest&, const auto& prompt) {
        m_prompt = *prompt;
        m_view.setPrompt(piecesOf(m_prompt));
        for (const Side side : kSides)
            ask(side);
    });
    m_door->on<app::NextTokensRequest>(this, [this](const app::NextTokensRequest& request, const auto& reply) {
        showAnswer(request.side, request, *reply);
    });
    m_door->on<app::PreviewsRequest>(
        this, [this](const app::PreviewsRequest& request, const auto& preview) { showMap(request.side, *preview); });
    m_opened = {};
    for (const Side side : kSides)
        m_door->ask(app::OpenModelRequest{side, {m_parts[indexOf(side)].model, {}}});
}

void WelcomeDemo::modelOpened(Side side, const app::ModelSummary& model)
{
    m_opened[indexOf(side)].model = model;
    const auto kind = modelKind(model.path);
    m_view.setModel(side, kind ? kindText(*kind) : QString::fromStdString(model.name),
                    QString::fromLatin1(m_parts[indexOf(side)].head));
    if (m_opened[0].model && m_opened[1].model)
        m_door->ask(app::SampleRequest{kDemoTask, 0});
}

void WelcomeDemo::ask(Side side)
{
    const auto& model = m_opened[indexOf(side)].model;
    const auto head = interventions::parseHead(m_parts[indexOf(side)].head);
    if (!m_door || !model || m_prompt.text.empty() || !head.has_value())
        return;
    const interventions::HeadRef named = siteNamed(*model, *head);
    const auto off = interventions::InterventionSet::parse(
        m_view.headOn(side) ? std::string_view() : std::string_view(m_parts[indexOf(side)].head));
    if (!off.has_value())
        return;
    m_door->ask(app::NextTokensRequest{side, m_prompt, *off});
    // What the head looks at is the same with it off: nothing below it changes.
    m_door->ask(app::PreviewsRequest{side, m_prompt, {named}, {.head = named}});
}

void WelcomeDemo::showAnswer(Side side, const app::NextTokensRequest& request, const app::NextTokenReply& reply)
{
    if (reply.tokens.empty())
        return;
    const QString said = QString::fromStdString(reply.written).trimmed();
    QString& withHead = m_opened[indexOf(side)].withHead;
    if (request.ablation.empty())
        withHead = said;
    m_view.setAnswer(side, {.said = said,
                            .before = said == withHead ? QString() : withHead,
                            .probability = reply.tokens.front().second,
                            .right = said == QString::fromStdString(request.prompt.answer).trimmed()});
}

void WelcomeDemo::showMap(Side side, const app::PatternPreview& preview)
{
    const Matrix& matrix = preview.matrix;
    if (matrix.rows == 0)
        return;
    const int last = matrix.rows - 1;
    const double effective = analysis::rowScores(matrix.row(last), last).effectiveTokens;
    const auto tokens = static_cast<int>(std::lround(effective));
    const QString reads = widgets::counted(tokens, tr("reads 1 token"), tr("reads %L1 tokens"));
    m_view.setMap(side, previewImage(preview, {.kind = widgets::ScaleKind::Row}, LiveDemo::kMapSide),
                  (effective <= widgets::RowProfile::kPeakedTokens ? tr("peaked: %1") : tr("diffuse: %1")).arg(reads));
}

} // namespace headscope::gui
