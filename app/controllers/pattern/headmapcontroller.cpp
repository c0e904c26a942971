// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/pattern/headmapcontroller.h"

#include "app/present/heads/headedits.h"
#include "app/present/heads/headmetrics.h"
#include "app/present/heads/headspans.h"
#include "app/present/heads/sidenames.h"
#include "widgets/look/countedtext.h"

#include <QSignalBlocker>

namespace headscope::gui {

using interventions::InterventionSet;
using widgets::HeadCut;
using widgets::HeadMapPanel;
using widgets::HeadMapView;
using widgets::HeadSpan;

HeadMapController::HeadMapController(WindowState& state, Side side, HeadMapPanel& panel, QObject* parent)
    : QObject(parent), m_state(state), m_side(side), m_panel(panel)
{
    connectView();
    connectPanel();
    connectState();
}

void HeadMapController::connectView()
{
    HeadMapView* heads = m_panel.view();
    connect(heads, &HeadMapView::switchRequested, this, [this](const QList<HeadSpan>& spans, bool off) {
        const QString names = spans.size() == 1 ? spans.first().text() : tr("%1 heads").arg(spans.size());
        change(switched(*now().model, now().ablation, spans, off),
               off ? tr("Ablate %1").arg(names) : tr("Restore %1").arg(names));
        if (!spans.isEmpty())
            m_state.setHead(m_side, headRef(*now().model, spans.first()));
    });
    connect(heads, &HeadMapView::cutRequested, this, [this](const QList<HeadSpan>& spans, HeadCut cut) {
        change(switched(*now().model, now().ablation, spans, true, cut), tr("Replace head output"));
    });
    connect(heads, &HeadMapView::keepOnlyRequested, this, [this](const QList<HeadSpan>& spans) {
        change(keptOnly(*now().model, spans), tr("Keep only the selection"));
    });
    connect(heads, &HeadMapView::lastRowOnlyRequested, this, [this](const QList<HeadSpan>& spans) {
        change(ablatedAtLastPosition(*now().model, now().ablation, spans), tr("Ablate at the last position"));
    });
    connect(heads, &HeadMapView::currentHeadChanged, this, [this](const HeadSpan& head) {
        if (!now().model || head.count < 1)
            return;
        m_state.setActiveSide(m_side);
        m_state.setHead(m_side, headRef(*now().model, head));
    });
}

void HeadMapController::connectPanel()
{
    connect(&m_panel, &HeadMapPanel::topRequested, this, [this](int count) {
        if (now().model)
            change(topHeads(*now().model, m_panel.model()->metric(), count), tr("Ablate top %1").arg(count));
    });
    connect(&m_panel, &HeadMapPanel::randomRequested, this, [this](int count, int seed) {
        if (now().model)
            change(randomHeads(*now().model, count, static_cast<quint64>(seed)),
                   widgets::counted(count, tr("Ablate 1 random head (seed %1)").arg(seed),
                                    tr("Ablate %L2 random heads (seed %1)").arg(seed)));
    });
    connect(&m_panel, &HeadMapPanel::metricChosen, this, [this](const QString& metric) {
        m_state.setMetric(m_side, metric.toStdString());
        // One colour for both maps, where the other model has it too.
        if (const Side other = otherSide(m_side); m_state.hasModel(other) && hasMetric(other, metric))
            m_state.setMetric(other, metric.toStdString());
    });
}

void HeadMapController::connectState()
{
    const auto show = [this](auto signal, void (HeadMapController::*shown)()) {
        connect(&m_state, signal, this, [this, shown](Side side) {
            if (side == m_side && (now().model || shown == &HeadMapController::showModel))
                (this->*shown)();
        });
    };
    show(&WindowState::modelChanged, &HeadMapController::showModel);
    show(&WindowState::ablationChanged, &HeadMapController::showOff);
    show(&WindowState::headChanged, &HeadMapController::showHead);
    show(&WindowState::metricChanged, &HeadMapController::showMetricChoices);
    show(&WindowState::metricChanged, &HeadMapController::showMetric);
    show(&WindowState::effectsChanged, &HeadMapController::showMetric);
    show(&WindowState::ownMetricsChanged, &HeadMapController::showMetricChoices);
    show(&WindowState::ownMetricsChanged, &HeadMapController::showMetric);
    show(&WindowState::headScoresChanged, &HeadMapController::showMetric);
    // Values of one prompt or state are cleared immediately; pattern scores remain until new ones arrive.
    const auto forget = [this] {
        const auto& metric = now().metric;
        if (now().model && (metric == "prompt" || SideState::isOfPage(metric) || m_state.promptOf(m_side).text.empty()))
            showMetric();
    };
    connect(&m_state, &WindowState::promptChanged, this, forget);
    connect(&m_state, &WindowState::ablationChanged, this, forget);
    show(&WindowState::foundHeadsChanged, &HeadMapController::showMarks);
}

void HeadMapController::change(const InterventionSet& set, const QString& what)
{
    m_state.setActiveSide(m_side);
    m_state.changeAblation(m_side, set, what);
}

void HeadMapController::showModel()
{
    m_panel.setVisible(now().model != nullptr || m_side == Side::A);
    if (!now().model) // a map that kept its heads would act on them
        return m_panel.model()->setRows({});
    m_panel.setModelName(modelText(*now().model));
    m_panel.model()->setRows(headRows(*now().model));
    showOff();
    showMetricChoices();
    showMetric();
    showHead();
}

void HeadMapController::showOff()
{
    m_panel.model()->setOff(offHeads(*now().model, now().ablation), partlyOffHeads(*now().model, now().ablation));
}

void HeadMapController::showHead()
{
    const QSignalBlocker quiet(m_panel.view()); // only what a person chooses makes its side the active one
    m_panel.view()->setCurrentHead(headSpan(*now().model, now().head));
}

void HeadMapController::showMetricChoices()
{
    auto choices = headMetricChoices();
    for (const auto& [id, values] : now().ownMetrics)
        if (const QString own = QString::fromStdString(id); !isHeadMetric(own))
            choices.append({own, headMetricName(own)});
    m_panel.setMetricChoices(choices, QString::fromStdString(now().metric));
}

bool HeadMapController::hasMetric(Side side, const QString& metric) const
{
    return m_state.side(side).ownMetrics.contains(metric.toStdString())
           || (isHeadMetric(metric) && !m_state.side(side).isStored());
}

void HeadMapController::showMetric()
{
    if (auto metric = shownMetric(now()))
        m_panel.model()->setMetric(std::move(*metric));
}

void HeadMapController::showMarks()
{
    QList<HeadSpan> gather, aggregate;
    if (const auto& found = now().found) {
        for (const interventions::HeadRef& head : found->gather)
            gather.append(headSpan(*now().model, head));
        for (const interventions::HeadRef& head : found->aggregate)
            aggregate.append(headSpan(*now().model, head));
    }
    m_panel.model()->setMarks(gather, aggregate);
}

} // namespace headscope::gui
