// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/session/labelscontroller.h"

#include "app/backend/session/keeprequests.h"
#include "app/present/heads/headspans.h"
#include "app/present/scores/recordpresenters.h"

namespace headscope::gui {

using app::SessionDoor;
using sessions::HeadLabel;
using sessions::LabelChange;
using widgets::HeadSpan;

namespace {

QList<HeadSpan> singleHeads(const QList<HeadSpan>& spans)
{
    QList<HeadSpan> heads;
    for (HeadSpan span : spans)
        for (const int end = span.first + span.count; span.first < end; ++span.first)
            heads.append(span);
    return heads;
}

/// Keeps the heads, so that show() clears them on the maps.
void clear(std::map<std::string, HeadLabel>& labels)
{
    for (auto& [head, label] : labels)
        label.name = label.colour = {};
}

} // namespace

LabelsController::LabelsController(WindowState& state, SessionDoor& door, const Maps& maps, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_maps(maps)
{
    for (const Side side : kSides) {
        connect(m_maps[indexOf(side)]->model(), &widgets::HeadMapModel::nameEdited, this,
                [=, this](const HeadSpan& head, const QString& name) {
                    label(side, {head}, &LabelChange::name, name.toStdString());
                });
        connect(m_maps[indexOf(side)]->view(), &widgets::HeadMapView::colorRequested, this,
                [=, this](const QList<HeadSpan>& spans, const QColor& color) {
                    label(side, singleHeads(spans), &LabelChange::colour,
                          color.isValid() ? color.name().toStdString() : std::string());
                });
    }
    connect(&state, &WindowState::modelChanged, this, &LabelsController::read);
    connect(&door, &SessionDoor::opened, this, [this] {
        for (const Side side : kSides)
            read(side);
    });
    connect(&door, &SessionDoor::closed, this, &LabelsController::forget);
}

void LabelsController::label(Side side, const QList<HeadSpan>& heads, std::optional<std::string> LabelChange::*field,
                             const std::string& value)
{
    const auto& model = m_state.side(side).model;
    if (!model)
        return;
    std::vector<LabelChange> before, after;
    for (const HeadSpan& head : heads) {
        LabelChange change{.modelHash = model->hash, .head = toText(headRef(*model, head)), .name = {}, .colour = {}};
        const HeadLabel& known = m_labels[model->hash][change.head];
        change.*field = field == &LabelChange::name ? known.name : known.colour;
        before.push_back(change);
        change.*field = value;
        after.push_back(std::move(change));
    }
    if (before == after)
        return;
    const auto set = [this, side, hash = model->hash, session = m_session](const std::vector<LabelChange>& changes) {
        if (session == m_session)
            put(side, hash, changes);
    };
    m_state.change(
        this, heads.size() == 1 ? tr("Label %1").arg(QString::fromStdString(after.front().head)) : tr("Label heads"),
        [=] { set(after); }, [=] { set(before); });
}

void LabelsController::put(Side side, const std::string& modelHash, const std::vector<LabelChange>& changes)
{
    for (const LabelChange& change : changes) {
        HeadLabel& label = m_labels[modelHash][change.head];
        label.name = change.name.value_or(label.name);
        label.colour = change.colour.value_or(label.colour);
    }
    for (const Side each : kSides)
        show(each);
    const auto& model = m_state.side(side).model;
    if (!model || model->hash != modelHash)
        return;
    m_door.keep(app::keepLabels(modelRecord(*model), changes));
    if (!m_door.readOnly())
        read(side); // an answer that is on the way does not know of it
}

void LabelsController::read(Side side)
{
    const auto& model = m_state.side(side).model;
    if (!model)
        return;
    show(side);
    if (!m_door.isOpen())
        return;
    using Labels = std::vector<HeadLabel>;
    m_door.askLatest<Labels>(this, side == Side::A ? "labels A" : "labels B", app::labelsOf(model->hash),
                             [this, side, hash = model->hash](const Result<Labels>& labels) {
                                 if (!labels.has_value())
                                     return;
                                 if (!m_door.readOnly()) // there, what is on the screen is stored nowhere
                                     clear(m_labels[hash]);
                                 for (const HeadLabel& label : *labels)
                                     m_labels[hash].insert_or_assign(label.head, label);
                                 show(side);
                             });
}

void LabelsController::forget()
{
    ++m_session;
    for (auto& [hash, labels] : m_labels)
        clear(labels);
    for (const Side side : kSides)
        show(side);
    m_labels.clear();
}

void LabelsController::show(Side side)
{
    const auto& model = m_state.side(side).model;
    if (!model)
        return;
    widgets::HeadMapModel& map = *m_maps[indexOf(side)]->model();
    for (const auto& [head, label] : m_labels[model->hash])
        if (const auto ref = interventions::parseHead(head); ref.has_value()) {
            const HeadSpan span = headSpan(*model, *ref);
            map.setName(span, QString::fromStdString(label.name));
            map.setLabelColor(span, QColor::fromString(QLatin1StringView(label.colour)));
        }
}

} // namespace headscope::gui
