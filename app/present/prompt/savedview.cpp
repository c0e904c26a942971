// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/prompt/savedview.h"

#include "app/present/heads/sidenames.h"
#include "app/present/text.h"
#include "widgets/prompt/conversationview.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace headscope::gui {

namespace {

std::string wordAt(const QJsonObject& object, const char* name)
{
    return object[QLatin1String(name)].toString().toStdString();
}

std::optional<SavedSide> sideFrom(const QJsonObject& kept)
{
    SavedSide side{.model = wordAt(kept, "model"),
                   .hash = wordAt(kept, "hash"),
                   .type = wordAt(kept, "type"),
                   .metric = wordAt(kept, "metric")};
    if (side.model.empty())
        return std::nullopt;
    if (const auto set = interventions::InterventionSet::parse(wordAt(kept, "ablation")); set.has_value())
        side.ablation = *set;
    if (const auto head = interventions::parseHead(wordAt(kept, "head")); head.has_value())
        side.head = *head;
    return side;
}

} // namespace

SavedView savedView(const WindowState& state)
{
    SavedView view{.unfollowed = state.unfollowed(),
                   .pinned = state.pinned(),
                   .prompt = state.prompt().text,
                   .task = state.prompt().task,
                   .sample = state.prompt().sample,
                   .turns = state.prompt().turns};
    for (const Side side : kSides)
        if (const SideState& now = state.side(side); now.model)
            view.sides[indexOf(side)] = SavedSide{.model = now.model->path,
                                                  .hash = now.model->hash,
                                                  .type = now.model->wantedType,
                                                  .ablation = now.ablation,
                                                  .metric = now.metric,
                                                  .head = now.head};
    return view;
}

std::string viewText(const SavedView& view)
{
    QJsonObject all;
    for (const Side side : kSides)
        if (const auto& kept = view.sides[indexOf(side)])
            all[letterOf(side)] =
                QJsonObject{{QStringLiteral("model"), text(kept->model)},
                            {QStringLiteral("hash"), text(kept->hash)},
                            {QStringLiteral("type"), text(kept->type)},
                            {QStringLiteral("ablation"), text(kept->ablation.canonical())},
                            {QStringLiteral("metric"), text(kept->metric)},
                            {QStringLiteral("head"), kept->head ? text(toText(*kept->head)) : QString()}};
    QJsonArray unfollowed;
    for (const std::string& task : view.unfollowed)
        unfollowed.append(text(task));
    all[QStringLiteral("unfollowed")] = unfollowed;
    if (!view.pinned.empty())
        all[QStringLiteral("pinned")] = text(view.pinned);
    QJsonObject prompt{{QStringLiteral("text"), text(view.prompt)},
                       {QStringLiteral("task"), text(view.task)},
                       {QStringLiteral("sample"), view.sample}};
    QJsonArray turns;
    for (const auto& [role, content] : view.turns)
        turns.append(QJsonObject{{QStringLiteral("role"), text(role)}, {QStringLiteral("content"), text(content)}});
    if (!turns.isEmpty())
        prompt[QStringLiteral("turns")] = turns;
    all[QStringLiteral("prompt")] = prompt;
    return QJsonDocument(all).toJson(QJsonDocument::Compact).toStdString();
}

SavedView viewFrom(const std::string& text)
{
    const QJsonObject all = QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
    const QJsonObject prompt = all[QLatin1String("prompt")].toObject();
    SavedView view{.prompt = wordAt(prompt, "text"),
                   .task = wordAt(prompt, "task"),
                   .sample = prompt[QLatin1String("sample")].toInt()};
    for (const Side side : kSides)
        view.sides[indexOf(side)] = sideFrom(all[letterOf(side)].toObject());
    const QJsonArray turns = prompt[QLatin1String("turns")].toArray();
    for (const QJsonValue& turn : turns.size() <= widgets::ConversationView::kMostTurns ? turns : QJsonArray())
        view.turns.push_back({wordAt(turn.toObject(), "role"), wordAt(turn.toObject(), "content")});
    for (const QJsonValue& task : all[QLatin1String("unfollowed")].toArray())
        view.unfollowed.insert(task.toString().toStdString());
    view.pinned = all[QLatin1String("pinned")].toString().toStdString();
    return view;
}

} // namespace headscope::gui
