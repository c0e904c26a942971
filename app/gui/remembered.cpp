// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Explorer that remembers: what scores are compared with, and what the session keeps of the window.
#include "app/gui/explorer.h"

#include "app/gui/presenters.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <utility>

namespace headscope::gui {

using interventions::InterventionSet;
using widgets::MessageBar;

namespace {

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

} // namespace

// ---------------------------------------------------------------- comparing two states

QString Explorer::stateText(const app::ModelState& state) const
{
    return state.ablation.empty() ? tr("%1, all heads on").arg(letter(state.side))
                                  : tr("%1 without %2").arg(letter(state.side), text(state.ablation));
}

void Explorer::forgetReferencesTo(Side side)
{
    for (Pane& each : m_panes)
        if (each.reference && each.reference->side == side)
            each.reference.reset();
}

void Explorer::compareWith(Side side, const app::ModelState& reference)
{
    if (reference.side == side && reference.ablation.empty())
        pane(side).reference.reset();
    else
        pane(side).reference = reference;
    pane(side).scores.reset();
    requestScores(side);
    refreshState();
}

// ---------------------------------------------------------------- the session

void Explorer::report(const Result<void>& stored)
{
    if (!stored.has_value())
        m_parts.messages->showMessage(MessageBar::Kind::Error, text(stored.error().message));
}

void Explorer::saveState()
{
    if (!m_session || m_session->readOnly())
        return;
    QJsonObject state;
    for (const Side side : kSides)
        if (const Pane& p = pane(side); p.model)
            state[letter(side)] = QJsonObject{{QStringLiteral("model"), text(p.model->path)},
                                              {QStringLiteral("hash"), text(p.model->hash)},
                                              {QStringLiteral("ablation"), text(p.set.canonical())},
                                              {QStringLiteral("metric"), p.metric},
                                              {QStringLiteral("head"), text(toText(headRef(*p.model, p.head)))}};
    QJsonArray unfollowed;
    for (auto it = m_follow.constBegin(); it != m_follow.constEnd(); ++it)
        if (!it.value())
            unfollowed.append(it.key());
    state[QStringLiteral("unfollowed")] = unfollowed;
    state[QStringLiteral("prompt")] = QJsonObject{{QStringLiteral("text"), text(m_prompt.text)},
                                                  {QStringLiteral("task"), text(m_prompt.task)},
                                                  {QStringLiteral("sample"), m_prompt.sample}};
    report(m_session->setUiState("explorer", QJsonDocument(state).toJson(QJsonDocument::Compact).toStdString()));
}

void Explorer::restoreState()
{
    m_wanted = {};
    const auto stored = m_session->uiState("explorer");
    if (!stored.has_value())
        return report(stored.error());
    if (!*stored) {
        // Written by the command line, perhaps on another machine: the first two models are what it is about.
        const auto models = m_session->models();
        if (!models.has_value())
            return report(models.error());
        for (std::size_t i = 0; i < std::min<std::size_t>(2, models->size()); ++i) {
            m_wanted[i] = (*models)[i].hash;
            openModel(i == 0 ? Side::A : Side::B, text((*models)[i].source));
        }
        return;
    }
    const QJsonObject state = QJsonDocument::fromJson(QByteArray::fromStdString(**stored)).object();
    m_follow.clear();
    for (const QJsonValue& task : state[QLatin1String("unfollowed")].toArray())
        m_follow[task.toString()] = false;
    const QJsonObject prompt = state[QLatin1String("prompt")].toObject();
    m_prompt = {.text = prompt[QLatin1String("text")].toString().toStdString()};
    if (const QString task = prompt[QLatin1String("task")].toString(); !task.isEmpty())
        m_client.requestSample(task, prompt[QLatin1String("sample")].toInt());
    for (const Side side : kSides) {
        const QJsonObject kept = state[letter(side)].toObject();
        const QString model = kept[QLatin1String("model")].toString();
        if (model.isEmpty())
            continue;
        m_wanted[indexOf(side)] = kept[QLatin1String("hash")].toString().toStdString();
        openModel(side, model);
        const auto set = InterventionSet::parse(kept[QLatin1String("ablation")].toString().toStdString());
        const auto head = interventions::parseHead(kept[QLatin1String("head")].toString().toStdString());
        const QString metric = kept[QLatin1String("metric")].toString();
        // Taken over when the model is there; once.
        auto connection = std::make_shared<QMetaObject::Connection>();
        *connection =
            connect(&m_client, &BackendClient::modelOpened, this, [=, this](Side opened, const auto& summary) {
                if (opened != side)
                    return;
                disconnect(*connection);
                m_restoring = true;
                if (set.has_value())
                    applyAblation(side, *set);
                if (head.has_value())
                    showHead(side, headSpan(*summary, *head));
                if (const auto known = headMetricChoices(); std::any_of(
                        known.begin(), known.end(), [&](const auto& choice) { return choice.first == metric; })) {
                    pane(side).metric = metric;
                    showMetricChoices(side);
                    showMetric(side);
                }
                m_restoring = false;
            });
    }
}

} // namespace headscope::gui
