// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Explorer that knows what a person calls the heads: names and colours, kept in the session with the model.
#include "app/gui/explorer.h"

#include "app/present/headspans.h"

namespace headscope::gui {

void Explorer::connectLabels()
{
    for (const Side side : kSides) {
        connect(map(side)->model(), &widgets::HeadMapModel::nameEdited, this,
                [=, this](const widgets::HeadSpan& head, const QString& name) {
                    labelHead(side, head, [&name](sessions::HeadLabel& label) { label.name = name.toStdString(); });
                });
        connect(map(side)->view(), &widgets::HeadMapView::colorRequested, this,
                [=, this](const QList<widgets::HeadSpan>& spans, const QColor& color) {
                    for (widgets::HeadSpan span : spans)
                        for (const int end = span.first + span.count; span.first < end; ++span.first)
                            labelHead(side, span, [&color](sessions::HeadLabel& label) {
                                label.colour = color.isValid() ? color.name().toStdString() : std::string();
                            });
                });
    }
    connect(&m_state, &WindowState::modelChanged, this, [this](Side side) {
        if (m_state.hasModel(side))
            readLabels(side);
    });
}

void Explorer::labelHead(Side side, const widgets::HeadSpan& head,
                         const std::function<void(sessions::HeadLabel&)>& change)
{
    const SideState& p = at(side);
    if (!p.model)
        return;
    const std::string key = toText(headRef(*p.model, head));
    sessions::HeadLabel& label = m_labels[p.model->hash][key];
    label.modelHash = p.model->hash;
    label.head = key;
    change(label);
    for (const Side each : kSides)
        showLabels(each);
    if (!m_session || m_session->readOnly())
        return;
    if (const auto there = keepModel(side, *m_session); !there.has_value())
        return report(there);
    report(m_session->putLabel(label));
}

void Explorer::readLabels(Side side)
{
    const std::string& hash = at(side).model->hash;
    if (m_session)
        if (const auto stored = m_session->labels(hash); stored.has_value())
            for (const sessions::HeadLabel& label : *stored)
                m_labels[hash].insert_or_assign(label.head, label);
    showLabels(side);
}

void Explorer::forgetLabels()
{
    for (auto& [hash, labels] : m_labels)
        for (auto& [head, label] : labels)
            label.name = label.colour = {};
    for (const Side side : kSides)
        showLabels(side);
    m_labels.clear();
}

void Explorer::showLabels(Side side)
{
    const SideState& p = at(side);
    if (!p.model)
        return;
    for (const auto& [head, label] : m_labels[p.model->hash])
        if (const auto ref = interventions::parseHead(head); ref.has_value()) {
            const widgets::HeadSpan span = headSpan(*p.model, *ref);
            map(side)->model()->setName(span, QString::fromStdString(label.name));
            map(side)->model()->setLabelColor(span, QColor::fromString(QLatin1StringView(label.colour)));
        }
}

} // namespace headscope::gui
