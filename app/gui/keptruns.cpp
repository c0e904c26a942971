// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Explorer that keeps the list of runs: every state that was scored, to go back to, to name and to compare.
#include "app/gui/comparedialog.h"
#include "app/gui/explorer.h"
#include "app/present/scorepresenters.h"
#include "app/present/sidenames.h"
#include "app/present/tasknames.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace headscope::gui {

using interventions::InterventionSet;

namespace {

constexpr qint64 kNewsMs = 2000; // a look at a counter, to see whether another program has stored something

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

QString keyOf(const std::string& modelHash, const std::string& ablation)
{
    return text(modelHash) + QLatin1Char('\n') + text(ablation);
}

QString stateName(const std::string& ablation)
{
    const auto set = InterventionSet::parse(ablation);
    return set.has_value() ? gui::stateName(*set) : text(ablation);
}

} // namespace

void Explorer::connectRuns()
{
    m_news.setInterval(kNewsMs);
    connect(&m_news, &QTimer::timeout, this, &Explorer::lookForNews);
    m_news.start();
    connect(&m_state, &WindowState::scoresChanged, this, &Explorer::rememberRun);
    connect(m_parts.scores, &widgets::ScoreboardView::keepRunRequested, this, [this] {
        rememberRun(m_state.activeSide());
        for (const widgets::RunRow& row : m_parts.runs->model()->runs())
            if (row.current)
                return m_parts.runs->editName(row.id);
    });
    connect(m_parts.runs, &widgets::RunsView::restoreRequested, this, [this](qint64 id) {
        const sessions::RunRecord* run = runOf(id);
        const auto set = run ? InterventionSet::parse(run->ablation) : Result<InterventionSet>(InterventionSet());
        for (const Side side : kSides)
            if (run && set.has_value() && m_state.hasModel(side) && at(side).model->hash == run->modelHash)
                m_state.changeAblation(side, *set, tr("Back to %1").arg(text(run->name)));
    });
    connect(m_parts.runs, &widgets::RunsView::compareRequested, this, &Explorer::compareRuns);
    auto* model = m_parts.runs->model();
    connect(model, &widgets::RunsModel::nameChanged, this, [this](qint64 id, const QString& name) {
        if (sessions::RunRecord* run = runOf(id)) {
            run->name = name.toStdString();
            keepRun(*run);
        }
    });
    connect(model, &widgets::RunsModel::noteChanged, this, [this](qint64 id, const QString& note) {
        if (sessions::RunRecord* run = runOf(id)) {
            run->note = note.toStdString();
            keepRun(*run);
        }
    });
    connect(model, &widgets::RunsModel::orderChanged, this, [this](const QList<qint64>& ids) {
        for (int position = 0; position < ids.size(); ++position)
            if (sessions::RunRecord* run = runOf(ids[position]); run && run->position != position) {
                run->position = position;
                keepRun(*run);
            }
    });
}

sessions::RunRecord* Explorer::runOf(qint64 id)
{
    return id >= 0 && id < static_cast<qint64>(m_runs.size()) ? &m_runs[static_cast<std::size_t>(id)] : nullptr;
}

void Explorer::keepRun(sessions::RunRecord& run)
{
    if (!m_session || m_session->readOnly())
        return;
    // The model's row must be there before a run can name it; scoring has put it there.
    const auto uid = m_session->putRun(run);
    if (uid.has_value())
        run.uid = *uid;
    else
        report(uid.error());
}

void Explorer::rememberRun(Side side)
{
    const SideState& p = at(side);
    if (!p.scores || !p.scores->final)
        return;
    const std::string ablation = p.ablation.canonical();
    m_runScores[keyOf(p.model->hash, ablation)] = scoreSummary(p.scores->lines);
    if (std::none_of(m_runs.begin(), m_runs.end(),
                     [&](const auto& run) { return run.modelHash == p.model->hash && run.ablation == ablation; })) {
        m_runs.push_back({.name = gui::stateName(p.ablation).toStdString(),
                          .modelHash = p.model->hash,
                          .ablation = ablation,
                          .position = static_cast<int>(m_runs.size())});
        m_runs.back().created = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
        keepRun(m_runs.back());
    }
    refreshRuns();
}

void Explorer::readRuns()
{
    m_runs.clear();
    m_runScores.clear();
    if (!m_session)
        return;
    if (const auto stored = m_session->runs(); stored.has_value())
        m_runs = *stored;
    // Every state that was ever scored can be gone back to, whoever scored it.
    const auto scores = m_session->scores();
    if (!scores.has_value())
        return report(scores.error());
    for (const sessions::SeriesScore& row : *scores) {
        const auto& [hash, ablation] = std::pair(row.series.modelHash, row.series.ablation);
        m_modelNames[text(hash)] = text(row.modelName);
        if (QString& summary = m_runScores[keyOf(hash, ablation)]; row.n > 0)
            summary +=
                QStringLiteral("%1%2 %3")
                    .arg(summary.isEmpty() ? QString() : QStringLiteral("  "), taskShortName(text(row.series.task)))
                    .arg(static_cast<double>(row.correct) / static_cast<double>(row.n), 0, 'f', 2);
        if (std::none_of(m_runs.begin(), m_runs.end(),
                         [&](const auto& run) { return run.modelHash == hash && run.ablation == ablation; }))
            m_runs.push_back({.name = stateName(ablation).toStdString(),
                              .note = {},
                              .created = {},
                              .modelHash = hash,
                              .ablation = ablation,
                              .position = static_cast<int>(m_runs.size()),
                              .series = {}});
    }
}

// The list that is shown keeps its order, and what could not be stored stays in it.
void Explorer::lookForNews()
{
    const auto version = m_session ? m_session->dataVersion() : Result<std::int64_t>(m_seenVersion);
    if (!version.has_value() || *version == std::exchange(m_seenVersion, *version))
        return;
    QElapsedTimer clock;
    clock.start();
    std::vector<sessions::RunRecord> shown = std::exchange(m_runs, {});
    const QHash<QString, QString> scores = m_runScores;
    readRuns();
    std::swap(shown, m_runs);
    const std::size_t before = m_runs.size();
    for (sessions::RunRecord& run : shown)
        if (std::none_of(m_runs.begin(), m_runs.end(), [&](const auto& known) {
                return known.modelHash == run.modelHash && known.ablation == run.ablation;
            }))
            m_runs.push_back(std::move(run));
    if (m_runs.size() > before || m_runScores != scores)
        refreshRuns();
    for (const Side side : kSides)
        showStoredScores(side);
    m_news.setInterval(
        static_cast<int>(std::max<qint64>(kNewsMs, 20 * clock.elapsed()))); // a large file is looked at less often
}

void Explorer::refreshRuns()
{
    const bool severalModels = std::any_of(
        m_runs.begin(), m_runs.end(), [this](const auto& run) { return run.modelHash != m_runs.front().modelHash; });
    std::vector<widgets::RunRow> rows;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const auto& run = m_runs[i];
        const std::optional<Side> side = sideOfRun(run);
        widgets::RunRow row{.id = static_cast<qint64>(i),
                            .name = text(run.name),
                            .scores = m_runScores.value(keyOf(run.modelHash, run.ablation)),
                            .time = QDateTime::fromString(text(run.created), Qt::ISODate).toLocalTime(),
                            .note = text(run.note)};
        row.onTheWay = run.created.empty() && !run.ablation.empty();
        row.current = side == m_state.activeSide() && at(*side).ablation.canonical() == run.ablation;
        const QString model = side ? text(at(*side).model->name) : m_modelNames.value(text(run.modelHash));
        if (severalModels)
            row.model = side ? letterOf(*side) : model;
        row.provenance = run.ablation.empty() ? model : model + QStringLiteral(", ") + text(run.ablation);
        rows.push_back(row);
    }
    // What rankings and sweeps scored on their way comes below what somebody asked for.
    const auto place = [this](const widgets::RunRow& row) { return std::pair(row.onTheWay, runOf(row.id)->position); };
    std::stable_sort(rows.begin(), rows.end(), [&place](const auto& a, const auto& b) { return place(a) < place(b); });
    m_parts.runs->model()->setRuns(std::move(rows));
}

// ---------------------------------------------------------------- comparing two

std::optional<Side> Explorer::sideOfRun(const sessions::RunRecord& run) const
{
    for (const Side side : {m_state.activeSide(), otherSide(m_state.activeSide())})
        if (m_state.hasModel(side) && at(side).model->hash == run.modelHash)
            return side;
    return std::nullopt;
}

void Explorer::compareRuns(qint64 first, qint64 second)
{
    const auto* before = runOf(first);
    const auto* after = runOf(second);
    if (!before || !after)
        return;
    const auto sideBefore = sideOfRun(*before), sideAfter = sideOfRun(*after);
    const auto set = InterventionSet::parse(after->ablation), reference = InterventionSet::parse(before->ablation);
    if (!sideBefore || !sideAfter || !set.has_value() || !reference.has_value() || at(*sideBefore).isStored()
        || at(*sideAfter).isStored()) {
        if (m_session)
            compareKeptRuns(*before, *after);
        return;
    }
    m_state.setActiveSide(*sideAfter);
    m_state.changeAblation(*sideAfter, *set, tr("Compare %1 with %2").arg(text(after->name), text(before->name)));
    m_state.setReference(*sideAfter, {*sideBefore, *reference});
    m_state.tell({.text = tr("The scoreboard compares %1 with %2 on the same examples.")
                              .arg(stateText(m_state.stateOf(*sideAfter)), stateText(m_state.referenceOf(*sideAfter))),
                  .step = Message::Step::CompareWithAllHeadsOn,
                  .side = *sideAfter});
}

// For models that are not open: the session alone says what changed.
void Explorer::compareKeptRuns(const sessions::RunRecord& before, const sessions::RunRecord& after)
{
    const auto compared =
        sessions::compareStates(*m_session, {before.modelHash, before.ablation}, {after.modelHash, after.ablation});
    if (!compared.has_value())
        return report(compared.error());
    showComparison(m_parts.runs, text(before.name), text(after.name), *compared);
}

} // namespace headscope::gui
