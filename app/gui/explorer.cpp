// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explorer.h"

#include "app/gui/headcsv.h"
#include "app/gui/headedits.h"
#include "app/gui/presenters.h"
#include "app/gui/prompttext.h"

#include <algorithm>

namespace headscope::gui {

using interventions::InterventionSet;
using interventions::MaskLastRow;
using interventions::SkipLayer;
using Kind = BackendClient::Kind;
using widgets::HeadCut;
using widgets::HeadSpan;

namespace {

constexpr int kTypingPauseMs = 250; // a pause in typing after which the prompt is read

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

} // namespace

AblationCommand::AblationCommand(Explorer& explorer, Side side, InterventionSet before, InterventionSet after,
                                 const QString& text)
    : QUndoCommand(text), m_explorer(explorer), m_side(side), m_before(std::move(before)), m_after(std::move(after))
{
}

void AblationCommand::undo()
{
    m_explorer.applyAblation(m_side, m_before);
}
void AblationCommand::redo()
{
    m_explorer.applyAblation(m_side, m_after);
}

Explorer::Explorer(const Parts& parts, BackendClient& client, QUndoStack& undo, QObject* parent)
    : QObject(parent), m_parts(parts), m_patterns(new Patterns(parts, client, this)), m_client(client), m_undo(undo)
{
    m_save.setSingleShot(true);
    m_save.setInterval(200);
    connect(&m_save, &QTimer::timeout, this, &Explorer::saveState);
    m_typing.setSingleShot(true);
    m_typing.setInterval(kTypingPauseMs);
    connectPrompt();
    connectMap(Side::A);
    connectMap(Side::B);
    connect(m_patterns, &Patterns::shown, this, [this](Side side) {
        m_parts.prompt->setTokenCount(side, static_cast<int>(m_patterns->pattern(side)->prompt.ids.size()));
        Q_EMIT patternShown(side);
    });
    connect(m_patterns, &Patterns::headChosen, this, &Explorer::showHead);
    connectScores();
    connectRuns();
    connectRanking();
    connectAnswers();
}

void Explorer::setModelChoices(const QList<widgets::Choice>& choices)
{
    m_modelChoices = choices;
    m_parts.prompt->setModels(choices, {}, {});
}

// ---------------------------------------------------------------- what a person does

void Explorer::connectPrompt()
{
    auto* bar = m_parts.prompt;
    connect(bar, &widgets::PromptBar::modelAChosen, this, [this](const QString& id) { openModel(Side::A, id); });
    connect(bar, &widgets::PromptBar::modelBChosen, this, [this](const QString& id) {
        if (id.isEmpty())
            closeB();
        else
            openModel(Side::B, id);
    });
    connect(bar, &widgets::PromptBar::sourceChosen, this, [this](const QString& id) {
        if (!id.isEmpty())
            m_client.requestSample(id, 0);
        else
            promptArrived({.text = m_prompt.text});
    });
    connect(bar, &widgets::PromptBar::sampleStepRequested, this, &Explorer::stepSample);
    connect(bar, &widgets::PromptBar::sampleRequested, this, [this](int index) {
        if (!m_prompt.task.empty())
            m_client.requestSample(text(m_prompt.task), index);
    });
    connect(bar, &widgets::PromptBar::promptEdited, this, [this] {
        m_parts.prompt->setTokenCount(Side::A, -1);
        m_typing.start();
    });
    connect(bar, &widgets::PromptBar::segmentMarked, this,
            [this](Role role, int begin, int end) { usePrompt(marked(m_prompt, role, begin, end)); });
    connect(bar, &widgets::PromptBar::segmentsCleared, this, [this] {
        m_prompt.spans.clear();
        usePrompt(app::Prompt(m_prompt));
    });
    connect(&m_typing, &QTimer::timeout, this, [this] { promptArrived(edited(m_prompt, m_parts.prompt->prompt())); });
}

void Explorer::connectMap(Side side)
{
    widgets::HeadMapView* heads = map(side)->view();
    const auto activate = [this, side] {
        if (m_active == side)
            return;
        m_active = side;
        m_patterns->setStripSide(side);
        showScores(side);
        refreshState();
    };
    connect(heads, &widgets::HeadMapView::switchRequested, this, [=, this](const QList<HeadSpan>& spans, bool off) {
        activate();
        const QString names = spans.size() == 1 ? spans.first().text() : tr("%1 heads").arg(spans.size());
        changeAblation(side, switched(*pane(side).model, pane(side).set, spans, off),
                       off ? tr("%1 off").arg(names) : tr("%1 on").arg(names));
        if (!spans.isEmpty())
            showHead(side, spans.first());
    });
    connect(heads, &widgets::HeadMapView::cutRequested, this, [=, this](const QList<HeadSpan>& spans, HeadCut cut) {
        activate();
        changeAblation(side, switched(*pane(side).model, pane(side).set, spans, true, cut), tr("Replace head output"));
    });
    connect(heads, &widgets::HeadMapView::keepOnlyRequested, this, [=, this](const QList<HeadSpan>& spans) {
        activate();
        changeAblation(side, keptOnly(*pane(side).model, spans), tr("Keep only the selection"));
    });
    connect(heads, &widgets::HeadMapView::lastRowOnlyRequested, this, [=, this](const QList<HeadSpan>& spans) {
        activate();
        changeAblation(side, offAtTheEnd(*pane(side).model, pane(side).set, spans), tr("Off at the last position"));
    });
    connect(map(side), &widgets::HeadMapPanel::topRequested, this, [=, this](int count) {
        activate();
        if (pane(side).model)
            changeAblation(side, topHeads(*pane(side).model, map(side)->model()->metric(), count),
                           tr("Top %1 off").arg(count));
    });
    connect(map(side), &widgets::HeadMapPanel::randomRequested, this, [=, this](int count, int seed) {
        activate();
        if (pane(side).model)
            changeAblation(side, randomHeads(*pane(side).model, count, static_cast<quint64>(seed)),
                           tr("%1 random heads off (seed %2)").arg(count).arg(seed));
    });
    connect(map(side)->model(), &widgets::HeadMapModel::nameEdited, this,
            [=, this](const HeadSpan& head, const QString& name) {
                labelHead(side, head, [&name](sessions::HeadLabel& label) { label.name = name.toStdString(); });
            });
    connect(heads, &widgets::HeadMapView::colorRequested, this,
            [=, this](const QList<HeadSpan>& spans, const QColor& color) {
                for (HeadSpan span : spans)
                    for (const int end = span.first + span.count; span.first < end; ++span.first)
                        labelHead(side, span, [&color](sessions::HeadLabel& label) {
                            label.colour = color.isValid() ? color.name().toStdString() : std::string();
                        });
            });
    connect(heads, &widgets::HeadMapView::currentHeadChanged, this, [=, this](const HeadSpan& head) {
        activate();
        showHead(side, head);
    });
    connect(heads, &widgets::HeadMapView::headHovered, this,
            [=, this](const HeadSpan& head) { m_patterns->hover(side, head); });
    connect(map(side), &widgets::HeadMapPanel::metricChosen, this, [=, this](const QString& metric) {
        pane(side).metric = metric;
        showMetric(side);
    });
}

void Explorer::connectScores()
{
    connect(m_parts.scores->model(), &widgets::ScoreboardModel::followChanged, this,
            [this](const QString& id, bool follow) {
                m_follow[id] = follow;
                if (follow)
                    requestScores(m_active);
                m_save.start();
            });
    connect(m_parts.scores, &widgets::ScoreboardView::benchmarkChosen, this, [this](const QString& id) {
        m_flipsTask = id;
        if (isStored(m_active))
            showStoredFlips(m_active);
        else
            requestFlips(m_active);
    });
    connect(m_parts.scores, &widgets::ScoreboardView::flipsToggled, m_parts.flips, &QWidget::setVisible);
    connect(m_parts.flips, &widgets::FlipsView::exampleActivated, this, [this](const QString& sample) {
        if (isStored(m_active))
            showStoredExample(sample);
        else if (!m_flipsTask.isEmpty())
            m_client.requestSample(m_flipsTask, sample.toInt());
    });
}

void Explorer::changeAblation(Side side, const InterventionSet& set, const QString& what)
{
    if (!pane(side).model || set == pane(side).set)
        return;
    m_undo.push(new AblationCommand(*this, side, pane(side).set, set, what));
}

void Explorer::applyAblation(Side side, const InterventionSet& set)
{
    Pane& p = pane(side);
    p.set = set;
    if (!p.model)
        return;
    map(side)->model()->setOff(offHeads(*p.model, set)); // at once; everything else follows
    if (set.empty() && !m_restoring)
        m_parts.messages->clear(); // what it says of a head that was off is over
    m_active = side;
    m_patterns->setStripSide(side);
    p.scores.reset();
    p.curve.reset();
    p.headScores.reset();
    m_client.stop(Kind::Curve, side);
    Q_EMIT ablationChanged(side); // a continuation gives its first token at once, scores take longer
    requestPattern(side);         // a moment's work, so it goes before the scores
    requestScores(side);
    showMetric(side);
    refreshState();
    m_save.start();
    if (m_session && !m_restoring)
        report(
            m_session->addHistory({.label = set.canonical(), .modelHash = p.model->hash, .ablation = set.canonical()}));
}

void Explorer::restoreAll(Side side)
{
    changeAblation(side, {}, tr("All heads on"));
}

void Explorer::toggleLastRow(Side side, bool thisLayerOnly)
{
    const Pane& p = pane(side);
    if (!thisLayerOnly)
        return changeAblation(side, toggled(p.set, MaskLastRow{}), tr("Last row of all layers"));
    changeAblation(side, toggled(p.set, MaskLastRow{.layer = p.head.layer}),
                   tr("Last row of layer %1").arg(p.head.layer));
}

void Explorer::skipLayer(Side side)
{
    const Pane& p = pane(side);
    changeAblation(side, toggled(p.set, SkipLayer{.layer = p.head.layer}), tr("Skip layer %1").arg(p.head.layer));
}

void Explorer::minimalModel(Side side)
{
    const Pane& p = pane(side);
    changeAblation(side, minimalUpTo(p.set, p.head.layer), tr("Minimal model up to layer %1").arg(p.head.layer));
}

bool Explorer::isHybrid(Side side) const
{
    const auto& model = pane(side).model;
    bool attention = false, ssm = false;
    for (std::size_t layer = 0; model && layer < model->layers.size(); ++layer)
        for (const app::MixerSummary& mixer : model->layers[layer])
            (mixer.attention ? attention : ssm) = true;
    return attention && ssm;
}

void Explorer::openTwin()
{
    if (pane(Side::A).model)
        openModel(Side::B, text(pane(Side::A).model->path));
}

void Explorer::compareKinds()
{
    if (!isHybrid(Side::A)) {
        m_parts.messages->showMessage(
            widgets::MessageBar::Kind::Info,
            tr("This model has heads of one kind only; open a hybrid such as tiny-hybrid as A."));
        return;
    }
    pane(Side::A).attention = true;
    m_kindsWanted = true;
    lookAtMostImportant(Side::A);
    openTwin();
}

void Explorer::addMetricFile(Side side, const QString& path)
{
    Pane& p = pane(side);
    const auto show = [this](const Error& error) {
        m_parts.messages->showMessage(widgets::MessageBar::Kind::Error, text(error.message));
    };
    if (!p.model)
        return;
    const auto columns = readHeadColumnFile(path);
    if (!columns.has_value())
        return show(columns.error());
    for (const HeadColumn& column : *columns) {
        const auto values = headValues(column, *p.model);
        if (!values.has_value())
            return show(values.error());
        p.ownMetrics[column.name] = *values;
        p.metric = column.name;
    }
    showMetricChoices(side);
    showMetric(side);
}

void Explorer::keepPrompt(Side side, bool keep)
{
    pane(side).keptPrompt = keep ? std::optional(m_prompt) : std::nullopt;
    if (!keep)
        promptArrived(m_prompt);
}

void Explorer::scoreAgain()
{
    for (const Side side : kSides) {
        pane(side).scores.reset();
        requestScores(side);
        if (pane(side).model)
            rankHeads(side);
    }
}

void Explorer::stepSample(int step)
{
    if (!m_prompt.task.empty())
        m_client.requestSample(text(m_prompt.task), m_prompt.sample + step);
}

void Explorer::openSession(const QString& file, bool restore)
{
    m_client.openSession(file);
    m_parts.flips->setExamples({}, nullptr); // its rows are read from the session
    if (m_session)
        forgetLabels();
    m_session.reset();
    readRuns();
    if (file.isEmpty())
        return refreshRuns();
    auto session = sessions::SessionStore::open(file.toStdString());
    if (!session.has_value()) {
        m_parts.messages->showMessage(widgets::MessageBar::Kind::Error, text(session.error().message));
        return;
    }
    m_session.emplace(std::move(*session));
    m_seenVersion = m_session->dataVersion().has_value() ? *m_session->dataVersion() : 0;
    readRuns();
    for (const Side side : kSides)
        if (pane(side).model)
            readLabels(side);
    if (restore)
        restoreState();
    refreshRuns();
}

void Explorer::openModel(Side side, const QString& model)
{
    m_parts.messages->showMessage(widgets::MessageBar::Kind::Info, tr("Opening %1 …").arg(model));
    m_asked[indexOf(side)] = model;
    m_client.openModel(side, model);
}

void Explorer::closeB()
{
    m_client.closeModel(Side::B);
    forgetReferencesTo(Side::B);
    pane(Side::B) = {};
    m_parts.mapB->hide();
    m_patterns->close(Side::B);
    m_parts.prompt->setTokenCount(Side::B, 0);
    m_active = Side::A;
    showScores(Side::A);
    showCurve();
    m_save.start();
}

void Explorer::showHead(Side side, const HeadSpan& head)
{
    Pane& p = pane(side);
    if (!p.model || head.count < 1)
        return;
    p.head = {head.layer, head.kind, head.first, 1};
    {
        const QSignalBlocker quiet(map(side)->view()); // only what a person chooses makes its side the active one
        map(side)->view()->setCurrentHead(p.head);
    }
    requestPattern(side);
    m_save.start();
}

// ---------------------------------------------------------------- requests

QStringList Explorer::followed(Side side) const
{
    QStringList tasks;
    if (pane(side).model)
        for (const std::string& task : pane(side).model->benchmarks)
            if (m_follow.value(text(task), true))
                tasks.append(text(task));
    return tasks;
}

void Explorer::requestPattern(Side side)
{
    const Pane& p = pane(side);
    if (!p.model)
        return;
    if (isStored(side))
        return showStoredPattern(side);
    m_patterns->show(side, {p.model, promptOf(side), p.head, text(p.set.canonical()), provenance(side)});
}

void Explorer::requestScores(Side side)
{
    if (!pane(side).model)
        return;
    if (isStored(side))
        return showStoredScores(side);
    if (side == m_active)
        m_parts.scores->model()->markStale();
    m_client.requestScores(stateOf(side), referenceOf(side), followed(side));
}

void Explorer::requestFlips(Side side)
{
    if (stateOf(side).ablation == referenceOf(side).ablation && referenceOf(side).side == side)
        m_parts.scores->setFlips(-1); // nothing can flip against itself
    else if (!m_flipsTask.isEmpty())
        m_client.requestFlips(stateOf(side), referenceOf(side), m_flipsTask);
}

void Explorer::requestCurve(Side side)
{
    const Pane& p = pane(side);
    if (!p.model || isStored(side))
        return;
    QStringList tasks;
    for (const int size : p.model->kvSizes)
        tasks.append(text(p.model->kvTask) + QLatin1String(":pairs=") + QString::number(size));
    m_client.requestCurve(side, tasks, text(p.set.canonical()));
}

} // namespace headscope::gui
