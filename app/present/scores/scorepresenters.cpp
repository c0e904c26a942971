// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/scores/scorepresenters.h"

#include "app/present/heads/sidenames.h"
#include "app/present/scores/runtable.h"
#include "app/present/scores/tasknames.h"
#include "core/tasks/hubfiles.h"
#include "widgets/look/countedtext.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <limits>

namespace headscope::gui {

namespace {

struct ScorePresenters {
    Q_DECLARE_TR_FUNCTIONS(ScorePresenters)
};

QString pText(double p)
{
    if (p >= 0.001)
        return QStringLiteral("p = %1").arg(p, 0, 'f', 3);
    return p > 0 ? QStringLiteral("p = %1").arg(p, 0, 'e', 0) : QStringLiteral("p < 1e-300");
}

/// "ARC easy (sample rows, from the common prefix)"
QString titleOf(const app::BenchmarkScore& line)
{
    QStringList of;
    if (line.extent == "sample")
        of.append(ScorePresenters::tr("sample rows"));
    if (line.commonPrefix)
        of.append(ScorePresenters::tr("from the common prefix"));
    const QString title = taskTitle(QString::fromStdString(line.task));
    return of.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, of.join(QStringLiteral(", ")));
}

// At the floor, or not above guessing: that no loss is seen says nothing.
bool losesNothing(const app::BenchmarkScore& line)
{
    return line.limit() == analysis::Limit::Floor || line.limit() == analysis::Limit::Chance;
}

QString boundaryWords(const app::BenchmarkScore& line)
{
    if (line.merged == 0)
        return {};
    const QString rows = widgets::counted(line.merged, ScorePresenters::tr("1 row"), ScorePresenters::tr("%L1 rows"));
    const QString first = ScorePresenters::tr("row %1 of %2")
                              .arg(QString::number(line.mergedRow), taskTitle(QString::fromStdString(line.mergedTask)));
    return (line.commonPrefix ? ScorePresenters::tr(
                "In %1 the tokenizer merges the end of the context with the beginning of an answer "
                "(the first: %2). They are scored from the longest common prefix on.")
                              : ScorePresenters::tr(
                                  "In %1 the tokenizer merges the end of the context with the beginning of an answer "
                                  "(the first: %2). As in the reference harness, other tokens than the answer's are "
                                  "scored there; the settings offer the longest common prefix instead."))
        .arg(rows, first);
}

} // namespace

widgets::ScoreboardRow scoreRow(const app::BenchmarkScore& line, bool follow, const QString& provenance)
{
    widgets::ScoreboardRow row;
    row.id = QString::fromStdString(line.task);
    row.name = titleOf(line);
    if (line.extent != "sample" && !line.commonPrefix) // else the name says what must not be left out
        row.shortName = taskShortName(row.id);
    row.merged = line.merged;
    row.boundary = boundaryWords(line);
    row.metric = QString::fromStdString(line.metric);
    row.follow = follow;
    row.total = line.total;
    row.done = line.n;
    row.running = !line.final && !line.stopped;
    row.decided = line.decided;
    row.lowerIsBetter = !line.higherIsBetter;
    row.provenance = provenance;
    row.unavailable = QString::fromStdString(line.problem);
    row.obtainable = line.extent == "sample" && tasks::hubFiles({line.task}).has_value();
    if (line.hasNow)
        row.now = line.now;
    if (line.hasBaseline) {
        row.baseline = line.baseline;
        row.chance = line.chance > 0 ? line.chance : std::numeric_limits<double>::quiet_NaN();
        row.limit = line.limit();
    }
    if (line.hasBaseline && line.hasNow) {
        row.delta = line.delta;
        row.low = line.low;
        row.high = line.high;
        row.p = line.p;
        row.interval = QLatin1String(line.intervalKind);
        row.broken = line.broken;
        row.fixed = line.fixed;
    }
    if (line.hasBaseline || line.hasNow)
        return row;
    if (row.unavailable.isEmpty() && !line.final) {
        row.waiting = true;
    } else if (row.unavailable.isEmpty() && line.final && line.total > 0) {
        row.unavailable = ScorePresenters::tr("no row could be scored");
    }
    return row;
}

widgets::Flip flipOf(const app::FlipRow& row, bool before, bool now)
{
    widgets::Flip flip{.exampleId = QString::number(row.sample),
                       .label = ScorePresenters::tr("sample %1").arg(row.sample + 1),
                       .prompt = QString::fromStdString(row.prompt),
                       .kind = widgets::flipKind(before, now),
                       .choices = {}};
    const bool single = row.choices.size() == 1; // right means chosen
    for (std::size_t i = 0; i < row.choices.size(); ++i) {
        const int index = static_cast<int>(i);
        widgets::FlipChoice choice{.text = QString::fromStdString(row.choices[i])};
        if (i < row.logLikelihoodsBefore.size())
            choice.before = row.logLikelihoodsBefore[i];
        if (i < row.logLikelihoodsAfter.size())
            choice.after = row.logLikelihoodsAfter[i];
        choice.gold = single || row.gold == index;
        choice.chosenBefore = single ? before : row.before == index;
        choice.chosenAfter = single ? now : row.after == index;
        flip.choices.push_back(choice);
    }
    return flip;
}

std::vector<widgets::Flip> flips(const std::vector<app::FlipRow>& rows)
{
    std::vector<widgets::Flip> out;
    for (const app::FlipRow& row : rows)
        out.push_back(flipOf(row, row.broken, !row.broken));
    return out;
}

QString verdictSentence(const QString& side, const QString& ablation, const std::vector<app::BenchmarkScore>& lines)
{
    QStringList moved, kept, stuck;
    int fewest = 0;
    for (const app::BenchmarkScore& line : lines) {
        if (!line.hasNow || !line.hasBaseline)
            continue;
        const QString title = taskTitle(QString::fromStdString(line.task));
        const int decimals = line.higherIsBetter ? 2 : 1;
        const QString numbers = QStringLiteral("%1 → %2").arg(widgets::scoreText(line.baseline, decimals),
                                                              widgets::scoreText(line.now, decimals));
        if (line.p >= 0.05 && losesNothing(line)) {
            stuck.append(QStringLiteral("%1 (%2)").arg(title, numbers));
            continue;
        }
        if (line.p >= 0.05) {
            kept.append(QStringLiteral("%1 (%2, n = %3)").arg(title, numbers).arg(line.n));
            fewest = kept.size() == 1 ? line.n : std::min(fewest, line.n);
            continue;
        }
        const bool worse = line.higherIsBetter ? line.delta < 0 : line.delta > 0;
        const QString guessing = worse && line.higherIsBetter && line.chance > 0
                                     ? ScorePresenters::tr(", guessing %1").arg(line.chance, 0, 'g', 2)
                                     : QString();
        moved.append(QStringLiteral("%1 %2 (%3%4, %5)")
                         .arg(title, worse ? ScorePresenters::tr("worse") : ScorePresenters::tr("better"), numbers,
                              guessing, pText(line.p)));
    }
    if (moved.size() > 2)
        moved = {moved.first(), ScorePresenters::tr("%1 more changed").arg(moved.size() - 1)};
    QStringList parts;
    if (!moved.isEmpty())
        parts.append(moved.join(QStringLiteral(", ")));
    if (kept.size() > 2 || (moved.isEmpty() && kept.size() > 1))
        parts.append(
            ScorePresenters::tr("no change seen on %1 benchmarks (n = %2 or more)").arg(kept.size()).arg(fewest));
    else if (!kept.isEmpty())
        parts.append(ScorePresenters::tr("no change seen in %1").arg(kept.join(QStringLiteral(", "))));
    if (!stuck.isEmpty())
        parts.append(ScorePresenters::tr("%1 cannot fall").arg(stuck.join(QStringLiteral(", "))));
    return parts.isEmpty() ? QString()
                           : QStringLiteral("%1: %2 — %3.").arg(side, ablation, parts.join(QStringLiteral("; ")));
}

QString costSentence(const QString& state, const std::vector<app::BenchmarkScore>& lines)
{
    QStringList worse, better, same, stuck, open;
    int fewest = 0, most = 0;
    for (const app::BenchmarkScore& line : lines) {
        if (!line.hasNow || !line.hasBaseline || (!line.final && !line.decided && !line.stopped)) {
            if (line.problem.empty() && !line.final)
                open.append(taskShortName(QString::fromStdString(line.task)));
            continue;
        }
        const bool decided = line.p < 0.05;
        const bool down = line.higherIsBetter ? line.delta < 0 : line.delta > 0;
        const bool nothing = !decided && losesNothing(line);
        (nothing    ? stuck
         : !decided ? same
         : down     ? worse
                    : better)
            .append(taskShortName(QString::fromStdString(line.task)));
        if (!decided && !nothing) {
            fewest = same.size() == 1 ? line.n : std::min(fewest, line.n);
            most = std::max(most, line.n);
        }
    }
    const auto named = [](const QStringList& names) { return names.join(QStringLiteral(", ")); };
    QStringList sentences;
    if (!state.isEmpty())
        sentences.append(state + QLatin1Char('.'));
    if (!worse.isEmpty())
        sentences.append(ScorePresenters::tr("Worse: %1.").arg(named(worse)));
    if (!better.isEmpty())
        sentences.append(ScorePresenters::tr("Better: %1.").arg(named(better)));
    if (!same.isEmpty())
        sentences.append((fewest == most ? ScorePresenters::tr("No change seen: %1 (n = %2).")
                                         : ScorePresenters::tr("No change seen: %1 (n = %2 or more)."))
                             .arg(named(same))
                             .arg(fewest));
    if (!stuck.isEmpty())
        sentences.append(ScorePresenters::tr("Cannot fall: %1.").arg(named(stuck)));
    if (!open.isEmpty())
        sentences.append(ScorePresenters::tr("Undecided so far: %1.").arg(named(open)));
    return sentences.join(QLatin1Char(' '));
}

QString scoreFootnote(const app::ScoreReply& scores)
{
    QString text = ScorePresenters::tr("%1 · %L2 s")
                       .arg(widgets::counted(scores.examples, ScorePresenters::tr("1 example"),
                                             ScorePresenters::tr("%L1 examples")))
                       .arg(scores.seconds, 0, 'f', 2);
    if (!scores.final) {
        int total = 0;
        for (const app::BenchmarkScore& line : scores.lines)
            total += line.total;
        text = ScorePresenters::tr("%L1 of %L2 examples · %L3 s")
                   .arg(scores.examples)
                   .arg(total)
                   .arg(scores.seconds, 0, 'f', 1);
        if (scores.later)
            text += ScorePresenters::tr(" · continues while the program is idle");
    }
    if (!scores.ablation.empty())
        text += ScorePresenters::tr(" · from layer %1").arg(scores.fromLayer);
    return text;
}

QList<widgets::RunScore> scoreSummary(const std::vector<app::BenchmarkScore>& lines)
{
    QList<widgets::RunScore> scores;
    for (const app::BenchmarkScore& line : lines)
        if (line.hasNow)
            scores.append(runScore(line.task, line.now));
    return scores;
}

std::vector<widgets::ScoreboardRow> scoreRows(const WindowState& state, Side side)
{
    const SideState& now = state.side(side);
    std::vector<widgets::ScoreboardRow> rows;
    for (const std::string& task : state.benchmarks(side)) {
        const QString id = QString::fromStdString(task);
        widgets::ScoreboardRow row{.id = id, .name = taskTitle(id), .follow = state.isFollowed(task)};
        row.waiting = row.follow && !now.isStored();
        if (now.scores)
            for (const app::BenchmarkScore& line : now.scores->lines)
                if (line.task == task)
                    row = scoreRow(line, row.follow, provenance(now, state.promptOf(side)));
        row.pinned = task == state.pinned();
        row.same = state.isReference(side);
        rows.push_back(row);
    }
    return rows;
}

} // namespace headscope::gui
