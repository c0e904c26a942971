// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explorer.h"

#include "app/gui/presenters.h"

#include <QDateTime>

#include <algorithm>
#include <random>

namespace headscope::gui {

using interventions::EditHead;
using interventions::Intervention;
using interventions::InterventionSet;
using interventions::KeepHeads;
using interventions::MaskLastRow;
using interventions::SkipLayer;
using Kind = BackendClient::Kind;
using widgets::HeadCut;
using widgets::HeadSpan;

namespace {

constexpr int kRankLimit = 64;      // examples a head in the automatic ranking
constexpr int kTypingPauseMs = 250; // a pause in typing after which the prompt is read

QString text(const std::string& s) { return QString::fromStdString(s); }

} // namespace

AblationCommand::AblationCommand(Explorer& explorer, Slot slot, InterventionSet before, InterventionSet after, const QString& text)
    : QUndoCommand(text), m_explorer(explorer), m_slot(slot), m_before(std::move(before)), m_after(std::move(after))
{
}

void AblationCommand::undo() { m_explorer.applyAblation(m_slot, m_before); }
void AblationCommand::redo() { m_explorer.applyAblation(m_slot, m_after); }

Explorer::Explorer(const Parts& parts, BackendClient& client, QUndoStack& undo, QObject* parent)
    : QObject(parent), m_parts(parts), m_client(client), m_undo(undo)
{
    m_save.setSingleShot(true);
    m_save.setInterval(200);
    connect(&m_save, &QTimer::timeout, this, &Explorer::saveState);
    m_typing.setSingleShot(true);
    m_typing.setInterval(kTypingPauseMs);
    connectPrompt();
    connectMap(Slot::A);
    connectMap(Slot::B);
    connectViews();
    connectScores();
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
    connect(bar, &widgets::PromptBar::modelAChosen, this, [this](const QString& id) { openModel(Slot::A, id); });
    connect(bar, &widgets::PromptBar::modelBChosen, this, [this](const QString& id) {
        if (id.isEmpty())
            closeB();
        else
            openModel(Slot::B, id);
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
        m_parts.prompt->setTokenCount(-1);
        m_typing.start();
    });
    connect(&m_typing, &QTimer::timeout, this, [this] { promptArrived({.text = m_parts.prompt->prompt().toStdString()}); });
}

void Explorer::connectMap(Slot slot)
{
    widgets::HeadMapView* heads = map(slot)->view();
    const auto activate = [this, slot] {
        if (m_active == slot)
            return;
        m_active = slot;
        showScores(slot);
        refreshState();
    };
    connect(heads, &widgets::HeadMapView::switchRequested, this, [=, this](const QList<HeadSpan>& spans, bool off) {
        activate();
        const QString names = spans.size() == 1 ? spans.first().text() : tr("%1 heads").arg(spans.size());
        changeAblation(slot, switched(slot, spans, off, HeadCut::Zero), off ? tr("%1 off").arg(names) : tr("%1 on").arg(names));
        if (!spans.isEmpty())
            showHead(slot, spans.first());
    });
    connect(heads, &widgets::HeadMapView::cutRequested, this, [=, this](const QList<HeadSpan>& spans, HeadCut cut) {
        activate();
        changeAblation(slot, switched(slot, spans, true, cut), tr("Replace head output"));
    });
    connect(heads, &widgets::HeadMapView::keepOnlyRequested, this, [=, this](const QList<HeadSpan>& spans) {
        activate();
        std::vector<Intervention> items;
        for (const HeadSpan& span : spans)
            for (int i = 0; i < span.count; ++i) {
                const auto ref = headRef(*pane(slot).model, span, i);
                items.push_back(KeepHeads{ref.layer, ref.site, {ref.head}});
            }
        changeAblation(slot, InterventionSet(std::move(items)), tr("Keep only the selection"));
    });
    connect(heads, &widgets::HeadMapView::lastRowOnlyRequested, this, [=, this](const QList<HeadSpan>& spans) {
        activate();
        std::vector<Intervention> items = pane(slot).set.items();
        for (const HeadSpan& span : spans)
            for (int i = 0; i < span.count; ++i)
                items.push_back(EditHead{.head = headRef(*pane(slot).model, span, i), .lastOnly = true});
        changeAblation(slot, InterventionSet(std::move(items)), tr("Off at the last position"));
    });
    connect(heads, &widgets::HeadMapView::currentHeadChanged, this, [=, this](const HeadSpan& head) {
        activate();
        showHead(slot, head);
    });
    connect(map(slot), &widgets::HeadMapPanel::metricChosen, this, [=, this](const QString& metric) {
        pane(slot).metric = metric;
        showMetric(slot);
    });
}

void Explorer::connectViews()
{
    using widgets::PatternView;
    for (const auto [one, other] : {std::pair(m_parts.patternA, m_parts.patternB), std::pair(m_parts.patternB, m_parts.patternA)}) {
        connect(one, &PatternView::viewportChanged, other, &PatternView::setViewport);
        connect(one, &PatternView::cellHovered, this, [this, other = other](int row, int col) {
            other->setCrosshair(row, col);
            m_parts.profile->setMarkedToken(col);
        });
        connect(one, &PatternView::hoverEnded, this, [this, other = other] {
            other->setCrosshair(-1, -1);
            m_parts.profile->setMarkedToken(-1);
        });
        connect(one, &PatternView::rowLocked, this, [this, other = other](int row) {
            m_lockedRow = row;
            other->setLockedRow(row);
            showProfile();
        });
    }
    connect(m_parts.profile, &widgets::RowProfileView::tokenHovered, this, [this](int token) {
        for (PatternView* patterns : {m_parts.patternA, m_parts.patternB})
            patterns->setCrosshair(token < 0 ? -1 : patterns->profileRow(), token);
    });
}

void Explorer::connectScores()
{
    connect(m_parts.scores->model(), &widgets::ScoreboardModel::followChanged, this, [this](const QString& id, bool follow) {
        m_follow[id] = follow;
        if (follow)
            requestScores(m_active);
        m_save.start();
    });
    connect(m_parts.scores, &widgets::ScoreboardView::benchmarkChosen, this, [this](const QString& id) {
        m_flipsTask = id;
        if (!pane(m_active).set.empty())
            m_client.requestFlips(m_active, id, text(pane(m_active).set.canonical()));
    });
    connect(m_parts.scores, &widgets::ScoreboardView::flipsToggled, m_parts.flips, &QWidget::setVisible);
    connect(m_parts.flips, &widgets::FlipsView::exampleActivated, this, [this](const QString& sample) {
        if (!m_flipsTask.isEmpty())
            m_client.requestSample(m_flipsTask, sample.toInt());
    });
    connect(m_parts.scores, &widgets::ScoreboardView::keepRunRequested, this, [this] { rememberRun(m_active); });
    connect(m_parts.runs, &widgets::RunsView::restoreRequested, this, [this](qint64 id) {
        if (id < 0 || id >= static_cast<qint64>(m_runs.size()))
            return;
        const sessions::RunRecord& run = m_runs[static_cast<std::size_t>(id)];
        const auto set = InterventionSet::parse(run.ablation);
        for (const Slot slot : {Slot::A, Slot::B})
            if (set.has_value() && pane(slot).model && pane(slot).model->hash == run.modelHash)
                changeAblation(slot, *set, tr("Back to %1").arg(text(run.name)));
    });
    connect(m_parts.runs->model(), &widgets::RunsModel::noteChanged, this, [this](qint64 id, const QString& note) {
        if (id < 0 || id >= static_cast<qint64>(m_runs.size()) || !m_session)
            return;
        m_runs[static_cast<std::size_t>(id)].note = note.toStdString();
        const auto stored = m_session->putRun(m_runs[static_cast<std::size_t>(id)]);
        report(stored.has_value() ? Result<void>() : Result<void>(stored.error()));
    });
    connect(m_parts.runs, &widgets::RunsView::stopRequested, this, [this](qint64 id) {
        m_client.stop(Kind::Rank, id == 0 ? Slot::A : Slot::B);
    });
}

InterventionSet Explorer::switched(Slot slot, const QList<HeadSpan>& heads, bool off, HeadCut cut) const
{
    const Pane& p = pane(slot);
    std::vector<Intervention> items = p.set.items();
    for (const HeadSpan& span : heads)
        for (int i = 0; i < span.count; ++i) {
            const auto ref = headRef(*p.model, span, i);
            // Whatever was done to this head before is replaced.
            std::erase_if(items, [&](const Intervention& item) {
                const auto* edit = std::get_if<EditHead>(&item);
                return edit && edit->head == ref;
            });
            const auto keep = std::find_if(items.begin(), items.end(), [&](const Intervention& item) {
                const auto* kept = std::get_if<KeepHeads>(&item);
                return kept && kept->layer == ref.layer && kept->site == ref.site;
            });
            if (keep != items.end()) {
                // In a layer where only some are kept, on and off mean in and out of that list.
                auto& kept = std::get<KeepHeads>(*keep).heads;
                std::erase(kept, ref.head);
                if (!off)
                    kept.insert(std::lower_bound(kept.begin(), kept.end(), ref.head), ref.head);
            } else if (off) {
                using interventions::Replacement;
                items.push_back(EditHead{.head = ref, .replacement = cut == HeadCut::Mean ? Replacement::Mean
                                                                     : cut == HeadCut::Resample ? Replacement::Resample : Replacement::Zero});
            }
        }
    return InterventionSet(std::move(items));
}

void Explorer::changeAblation(Slot slot, const InterventionSet& set, const QString& what)
{
    if (!pane(slot).model || set == pane(slot).set)
        return;
    m_undo.push(new AblationCommand(*this, slot, pane(slot).set, set, what));
}

void Explorer::applyAblation(Slot slot, const InterventionSet& set)
{
    Pane& p = pane(slot);
    p.set = set;
    if (!p.model)
        return;
    map(slot)->model()->setOff(offHeads(*p.model, set)); // at once; everything else follows
    m_active = slot;
    p.scores.reset();
    p.curve.reset();
    m_client.stop(Kind::Curve, slot);
    requestScores(slot);
    requestPattern(slot);
    refreshState();
    m_save.start();
    if (m_session && !m_restoring)
        report(m_session->addHistory({.label = set.canonical(), .modelHash = p.model->hash, .ablation = set.canonical()}));
}

void Explorer::restoreAll(Slot slot) { changeAblation(slot, {}, tr("All heads on")); }

void Explorer::toggleLastRow(Slot slot)
{
    std::vector<Intervention> items = pane(slot).set.items();
    const Intervention mask = MaskLastRow{.layer = pane(slot).head.layer};
    const auto found = std::find(items.begin(), items.end(), mask);
    if (found != items.end())
        items.erase(found);
    else
        items.push_back(mask);
    changeAblation(slot, InterventionSet(std::move(items)), tr("Last row of layer %1").arg(pane(slot).head.layer));
}

void Explorer::skipLayer(Slot slot)
{
    std::vector<Intervention> items = pane(slot).set.items();
    const Intervention skip = SkipLayer{.layer = pane(slot).head.layer};
    const auto found = std::find(items.begin(), items.end(), skip);
    if (found != items.end())
        items.erase(found);
    else
        items.push_back(skip);
    changeAblation(slot, InterventionSet(std::move(items)), tr("Skip layer %1").arg(pane(slot).head.layer));
}

void Explorer::switchOffTop(Slot slot, int count)
{
    const Pane& p = pane(slot);
    if (!p.model || !p.effects) {
        m_parts.messages->showMessage(widgets::MessageBar::Kind::Info, tr("Rank the heads first (Run > Rank all heads)."));
        return;
    }
    std::vector<app::HeadValue> heads = *p.effects;
    std::stable_sort(heads.begin(), heads.end(), [](const auto& a, const auto& b) { return a.delta < b.delta; });
    heads.resize(std::min(heads.size(), static_cast<std::size_t>(std::max(count, 0))));
    std::vector<Intervention> items;
    for (const app::HeadValue& head : heads)
        if (const auto ref = interventions::parseHead(head.text); ref.has_value())
            items.push_back(EditHead{.head = *ref});
    changeAblation(slot, InterventionSet(std::move(items)), tr("Top %1 of the ranking off").arg(heads.size()));
}

void Explorer::switchOffRandom(Slot slot, int count, quint64 seed)
{
    const Pane& p = pane(slot);
    if (!p.model)
        return;
    std::vector<Intervention> all;
    for (const widgets::HeadRow& row : headRows(*p.model))
        for (int head = 0; head < row.heads; ++head)
            all.push_back(EditHead{.head = headRef(*p.model, {row.layer, row.kind, head, 1})});
    std::mt19937_64 random(seed);
    for (std::size_t i = all.size(); i > 1; --i)
        std::swap(all[i - 1], all[random() % i]);
    all.resize(std::min(all.size(), static_cast<std::size_t>(std::max(count, 0))));
    const auto off = static_cast<qulonglong>(all.size());
    changeAblation(slot, InterventionSet(std::move(all)), tr("%1 random heads off").arg(off));
}

void Explorer::stepSample(int step)
{
    if (!m_prompt.task.empty())
        m_client.requestSample(text(m_prompt.task), m_prompt.sample + step);
}

void Explorer::openSession(const QString& file)
{
    m_client.openSession(file);
    m_session.reset();
    if (file.isEmpty())
        return;
    auto session = sessions::SessionStore::open(file.toStdString());
    if (!session.has_value()) {
        m_parts.messages->showMessage(widgets::MessageBar::Kind::Error, text(session.error().message));
        return;
    }
    m_session.emplace(std::move(*session));
    restoreState();
    refreshRuns();
}

void Explorer::openModel(Slot slot, const QString& model)
{
    m_parts.messages->showMessage(widgets::MessageBar::Kind::Info, tr("Opening %1 …").arg(model));
    m_client.openModel(slot, model);
}

void Explorer::closeB()
{
    m_client.closeModel(Slot::B);
    pane(Slot::B) = {};
    m_parts.mapB->hide();
    m_parts.patternB->hide();
    m_parts.profile->clearProfile(widgets::Side::B);
    m_active = Slot::A;
    showScores(Slot::A);
    showCurve();
    m_save.start();
}

void Explorer::showHead(Slot slot, const HeadSpan& head)
{
    Pane& p = pane(slot);
    if (!p.model || head.count < 1)
        return;
    p.head = {head.layer, head.kind, head.first, 1};
    map(slot)->view()->setCurrentHead(p.head);
    requestPattern(slot);
    m_save.start();
}

void Explorer::rankHeads(Slot slot, app::RankMethod method)
{
    Pane& p = pane(slot);
    if (!p.model)
        return;
    if (method == app::RankMethod::Exact || method == app::RankMethod::Race) {
        m_rankClock.start();
        m_rankMethod = method;
        p.metric = QStringLiteral("effect");
        m_client.requestRank({.slot = slot, .task = p.model->kvTask + ":pairs=" + std::to_string(p.model->kvSizes.at(1)),
                              .limit = method == app::RankMethod::Race ? 0 : kRankLimit, .method = method});
    } else {
        p.metric = method == app::RankMethod::Estimate ? QStringLiteral("estimate") : method == app::RankMethod::Gather ? QStringLiteral("gather") : QStringLiteral("aggregate");
    }
    showMetricChoices(slot);
    showMetric(slot);
}

QString Explorer::rankName(Slot slot) const
{
    return (m_rankMethod == app::RankMethod::Race ? tr("Race for the first ten heads of %1") : tr("Rank all heads of %1 (ablate, measure, reinsert)")).arg(letter(slot));
}

// ---------------------------------------------------------------- requests

QStringList Explorer::followed(Slot slot) const
{
    QStringList tasks;
    if (pane(slot).model)
        for (const std::string& task : pane(slot).model->benchmarks)
            if (m_follow.value(text(task), true))
                tasks.append(text(task));
    return tasks;
}

void Explorer::requestPattern(Slot slot)
{
    const Pane& p = pane(slot);
    if (!p.model || m_prompt.text.empty())
        return;
    view(slot)->setStale(true);
    m_client.requestPattern(slot, m_prompt, text(toText(headRef(*p.model, p.head))), text(p.set.canonical()));
}

void Explorer::requestScores(Slot slot)
{
    if (!pane(slot).model)
        return;
    if (slot == m_active)
        m_parts.scores->model()->markStale();
    m_client.requestScores(slot, followed(slot), text(pane(slot).set.canonical()));
}

void Explorer::requestCurve(Slot slot)
{
    const Pane& p = pane(slot);
    if (!p.model)
        return;
    QStringList tasks;
    for (const int size : p.model->kvSizes)
        tasks.append(text(p.model->kvTask) + QLatin1String(":pairs=") + QString::number(size));
    m_client.requestCurve(slot, tasks, text(p.set.canonical()));
}

} // namespace headscope::gui
