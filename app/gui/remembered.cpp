// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Explorer that keeps in the session what the window shows, and shows it again.
#include "app/gui/explorer.h"

#include "app/present/headmetrics.h"
#include "app/present/sidenames.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <utility>

namespace headscope::gui {

using interventions::InterventionSet;

namespace {

constexpr int kSavePauseMs = 200;

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

} // namespace

void Explorer::connectKept()
{
    m_save.setSingleShot(true);
    m_save.setInterval(kSavePauseMs);
    connect(&m_save, &QTimer::timeout, this, &Explorer::saveState);
    const auto save = [this] { m_save.start(); };
    connect(&m_state, &WindowState::modelChanged, this, save);
    connect(&m_state, &WindowState::ablationChanged, this, save);
    connect(&m_state, &WindowState::headChanged, this, save);
    connect(&m_state, &WindowState::metricChanged, this, save);
    connect(&m_state, &WindowState::promptChanged, this, save);
    connect(&m_state, &WindowState::followedChanged, this, save);
    connect(&m_state, &WindowState::ablationChanged, this, [this](Side side) {
        const std::string set = at(side).ablation.canonical();
        if (m_session && !m_restoring)
            report(m_session->addHistory({.label = set, .modelHash = at(side).model->hash, .ablation = set}));
    });
    connect(&m_state, &WindowState::modelChanged, this, &Explorer::restoreSide);
}

void Explorer::report(const Result<void>& stored)
{
    if (!stored.has_value())
        m_state.tellError(stored.error());
}

void Explorer::saveState()
{
    if (!m_session || m_session->readOnly())
        return;
    QJsonObject state;
    for (const Side side : kSides)
        if (const SideState& now = at(side); now.model)
            state[letterOf(side)] = QJsonObject{{QStringLiteral("model"), text(now.model->path)},
                                                {QStringLiteral("hash"), text(now.model->hash)},
                                                {QStringLiteral("ablation"), text(now.ablation.canonical())},
                                                {QStringLiteral("metric"), text(now.metric)},
                                                {QStringLiteral("head"), text(toText(now.head))}};
    QJsonArray unfollowed;
    for (const std::string& task : m_state.unfollowed())
        unfollowed.append(text(task));
    state[QStringLiteral("unfollowed")] = unfollowed;
    const app::Prompt& prompt = m_state.prompt();
    state[QStringLiteral("prompt")] = QJsonObject{{QStringLiteral("text"), text(prompt.text)},
                                                  {QStringLiteral("task"), text(prompt.task)},
                                                  {QStringLiteral("sample"), prompt.sample}};
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
            m_wanted[i] = Wanted{.hash = (*models)[i].hash};
            m_controllers.models.open(i == 0 ? Side::A : Side::B, text((*models)[i].source));
        }
        return;
    }
    const QJsonObject state = QJsonDocument::fromJson(QByteArray::fromStdString(**stored)).object();
    std::set<std::string> unfollowed;
    for (const QJsonValue& task : state[QLatin1String("unfollowed")].toArray())
        unfollowed.insert(task.toString().toStdString());
    m_state.setUnfollowed(std::move(unfollowed));
    const QJsonObject prompt = state[QLatin1String("prompt")].toObject();
    m_state.setPrompt({.text = prompt[QLatin1String("text")].toString().toStdString()});
    if (const QString task = prompt[QLatin1String("task")].toString(); !task.isEmpty())
        m_client.requestSample(task, prompt[QLatin1String("sample")].toInt());
    for (const Side side : kSides) {
        const QJsonObject kept = state[letterOf(side)].toObject();
        const QString model = kept[QLatin1String("model")].toString();
        if (model.isEmpty())
            continue;
        Wanted wanted{.hash = kept[QLatin1String("hash")].toString().toStdString(),
                      .metric = kept[QLatin1String("metric")].toString().toStdString()};
        if (const auto set = InterventionSet::parse(kept[QLatin1String("ablation")].toString().toStdString());
            set.has_value())
            wanted.ablation = *set;
        if (const auto head = interventions::parseHead(kept[QLatin1String("head")].toString().toStdString());
            head.has_value())
            wanted.head = *head;
        m_wanted[indexOf(side)] = std::move(wanted);
        m_controllers.models.open(side, model);
    }
}

// Taken over when the model is there; once.
void Explorer::restoreSide(Side side)
{
    if (!m_state.hasModel(side) || at(side).isStored())
        return;
    const auto wanted = std::exchange(m_wanted[indexOf(side)], std::nullopt);
    if (!wanted)
        return;
    const app::ModelSummary& model = *at(side).model;
    if (!wanted->hash.empty() && wanted->hash != model.hash)
        m_state.tell(
            {.kind = Message::Kind::Warning,
             .text = tr("%1 has other weights than the model that this session speaks of (%2, not %3): its "
                        "stored results do not belong to it.")
                         .arg(text(model.name), text(model.hash.substr(0, 12)), text(wanted->hash.substr(0, 12)))});
    m_restoring = true;
    if (!wanted->ablation.empty())
        m_state.setAblation(side, wanted->ablation);
    if (wanted->head)
        m_state.setHead(side, *wanted->head);
    if (isHeadMetric(text(wanted->metric)))
        m_state.setMetric(side, wanted->metric);
    m_restoring = false;
}

} // namespace headscope::gui
