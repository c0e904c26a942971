// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Explorer that hears answers: what then stands on the screen.
#include "app/gui/explorer.h"

#include "app/gui/presenters.h"
#include "app/gui/prompttext.h"

#include <QFile>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::gui {

using interventions::InterventionSet;
using Kind = BackendClient::Kind;
using widgets::MessageBar;

namespace {

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

/// What this program holds, and what the machine has, in bytes.
std::pair<double, double> memoryInUse()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    const double pages = file.open(QIODevice::ReadOnly) ? file.readAll().split(' ').value(1).toDouble() : 0;
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    return {pages * page, static_cast<double>(sysconf(_SC_PHYS_PAGES)) * page};
}

} // namespace

void Explorer::connectAnswers()
{
    connect(&m_client, &BackendClient::sessionOpened, this, [this](const QStringList& notices) {
        if (!notices.isEmpty())
            m_parts.messages->showMessage(MessageBar::Kind::Warning, notices.join(QLatin1Char(' ')));
    });
    connect(&m_client, &BackendClient::modelOpened, this, &Explorer::modelArrived);
    connect(&m_client, &BackendClient::busyChanged, this, &Explorer::showMachine);
    connect(&m_client, &BackendClient::sampleReady, this, [this](const auto& prompt) { promptArrived(*prompt); });
    connect(&m_client, &BackendClient::tokensReady, this, [this](Side side, const auto& prompt) {
        m_parts.prompt->setTokenCount(side, static_cast<int>(prompt->ids.size()));
        if (side == (hasModel(Side::A) ? Side::A : Side::B))
            m_parts.prompt->setMarks(textSpans(m_prompt), tokenStarts(m_prompt, *prompt));
    });
    connect(&m_client, &BackendClient::scoresReady, this, &Explorer::scoresArrived);
    connect(&m_client, &BackendClient::curveReady, this, [this](Side side, const auto& reply) {
        pane(side).curve = reply;
        showCurve();
    });
    connect(&m_client, &BackendClient::estimateReady, this, [this](Side side, const auto& heads) {
        pane(side).ownMetrics[QStringLiteral("estimate")] = *heads;
        showMetric(side);
    });
    connect(&m_client, &BackendClient::headScoresReady, this, &Explorer::headScoresArrived);
    connect(&m_client, &BackendClient::flipsReady, this, [this](Side, const QString& task, const auto& rows) {
        m_parts.flips->setFlips(taskTitle(task), flips(*rows));
        m_parts.scores->setFlips(static_cast<int>(rows->size()));
    });
    connect(&m_client, &BackendClient::failed, this, &Explorer::failureArrived);
}

void Explorer::showMachine()
{
    const auto& model = pane(m_active).model;
    if (!model)
        return;
    const auto [used, all] = memoryInUse();
    m_parts.prompt->setMachine(QStringLiteral("%1 · %2").arg(text(model->device).toUpper(), text(model->dtype)),
                               tr("memory %1 of %2 GB").arg(used / 1e9, 0, 'f', 1).arg(all / 1e9, 0, 'f', 0));
}

void Explorer::showMetricChoices(Side side)
{
    auto choices = headMetricChoices();
    for (const QString& own : pane(side).ownMetrics.keys())
        if (own != QLatin1String("estimate"))
            choices.append({own, own});
    map(side)->setMetricChoices(choices, pane(side).metric);
}

QString Explorer::choiceOf(Side side)
{
    const auto& model = pane(side).model;
    if (!model)
        return {};
    const QString name = text(model->name), path = text(model->path);
    for (const widgets::Choice& choice : m_modelChoices)
        if (choice.id == name || choice.id == path)
            return choice.id;
    m_modelChoices.append({path, name, path}); // a folder that was opened can be chosen again
    return path;
}

void Explorer::modelArrived(Side side, std::shared_ptr<const app::ModelSummary> model)
{
    Pane& p = pane(side);
    const bool again = p.model && p.model->hash == model->hash;
    forgetReferencesTo(side);
    const InterventionSet kept = again ? p.set : InterventionSet();
    const auto head = p.head;
    p = {};
    p.model = model;
    p.set = kept;
    // The same model on the other side knows what its heads are for.
    const Side other = side == Side::A ? Side::B : Side::A;
    const bool twin = pane(other).model && pane(other).model->hash == model->hash && !again;
    if (twin)
        p.effects = pane(other).effects;
    if (side == Side::B && std::exchange(m_kindsWanted, false))
        p.attention = false;
    auto* heads = map(side);
    heads->setModelName(text(model->name));
    heads->model()->setRows(headRows(*model));
    heads->model()->setOff(offHeads(*model, kept));
    showMetricChoices(side);
    heads->show();
    view(side)->clearPattern(tr("Reading the pattern …"));
    // The middle of the network is where there is something to see; the ranking then moves to the head that matters.
    const int layer = static_cast<int>(model->layers.size()) / 2;
    p.head = again ? head : twin ? pane(other).head : headSpan(*model, {layer, interventions::Site::Any, 0});
    {
        const QSignalBlocker quiet(heads->view());
        heads->view()->setCurrentHead(p.head);
    }
    readLabels(side);
    m_parts.prompt->setModels(m_modelChoices, choiceOf(Side::A), choiceOf(Side::B));
    refreshSources();
    Q_EMIT modelShown();
    Q_EMIT titleChanged(text(model->name));
    m_active = side == Side::B && hasModel(Side::A) ? Side::A : side; // until a person clicks into the other map
    showMachine();
    refreshState();

    if (const std::string& wanted = m_wanted[indexOf(side)]; !wanted.empty() && wanted != model->hash)
        m_parts.messages->showMessage(
            MessageBar::Kind::Warning,
            tr("%1 has other weights than the model that this session speaks of (%2, not %3): its stored results do "
               "not belong to it.")
                .arg(text(model->name), text(model->hash.substr(0, 12)), text(wanted.substr(0, 12))));
    else if (!model->warnings.empty())
        m_parts.messages->showMessage(MessageBar::Kind::Warning, text(model->warnings.front()));
    else if (!m_hinted)
        m_parts.messages->showMessage(MessageBar::Kind::Info,
                                      tr("Click a head to switch it off. The scores on the right follow."));
    else
        m_parts.messages->clear();
    if (!model->stored)
        m_wanted[indexOf(side)].clear();
    m_hinted = true;

    if (model->stored)
        return;
    if (m_prompt.text.empty() && !isRunning(Kind::Sample, Side::A)) // with two models being opened one prompt is enough
        m_client.requestSample(text(model->kvTask) + QLatin1String(":pairs=") + QString::number(model->kvSizes.at(1)),
                               0);
    else if (!m_prompt.text.empty())
        promptArrived(m_prompt);
    showMetric(side);
    if (!p.effects)
        rankHeads(side);
    else if (p.attention)
        lookAtMostImportant(side);
    m_save.start();
}

void Explorer::requestMissingScores()
{
    for (const Side side : kSides)
        if (pane(side).model && !isStored(side) && !pane(side).scores && !isRunning(Kind::Scores, side))
            requestScores(side);
}

bool Explorer::isRunning(Kind kind, Side side) const
{
    const auto running = m_client.running();
    return std::find(running.begin(), running.end(), std::pair(kind, side)) != running.end();
}

void Explorer::promptArrived(const app::Prompt& prompt)
{
    m_prompt = prompt;
    if (m_parts.prompt->prompt().toStdString() != prompt.text)
        m_parts.prompt->setPrompt(text(prompt.text));
    m_parts.prompt->setSample(prompt.sample, prompt.samples);
    refreshSources();
    for (const Side side : kSides) {
        if (!pane(side).model || pane(side).keptPrompt)
            continue;
        pane(side).headScores.reset();
        if (!isStored(side))
            m_client.requestTokens(side, text(prompt.text));
        if (prompt.text.empty())
            view(side)->clearPattern(tr("Type a prompt, or choose a benchmark sample above."));
        requestPattern(side);
        showMetric(side);
    }
    requestMissingScores(); // after the patterns: these are the first thing to see
    Q_EMIT promptShown();
    m_save.start();
}

void Explorer::scoresArrived(Side side, std::shared_ptr<const app::ScoreReply> reply)
{
    const app::ModelState reference = referenceOf(side);
    if (reply->ablation != pane(side).set.canonical() || reply->reference.side != reference.side
        || reply->reference.ablation != reference.ablation)
        return;
    pane(side).scores = reply;
    if (side == m_active)
        showScores(side);
    if (!reply->final)
        return;
    if (!reply->ablation.empty()) {
        const QString off = pane(side).set.items().size() == 1
                                    && std::holds_alternative<interventions::EditHead>(pane(side).set.items().front())
                                ? tr("%1 is off").arg(text(reply->ablation))
                                : text(reply->ablation);
        m_parts.messages->showMessage(MessageBar::Kind::Info, verdictSentence(letter(side), off, reply->lines),
                                      tr("Undo (Ctrl+Z)"), QStringLiteral("undo"));
    }
    rememberRun(side);
    if (m_flipsTask.isEmpty() && !reply->lines.empty())
        m_flipsTask = text(reply->lines.front().task);
    if (!isStored(side)) {
        requestFlips(side); // known rows, at once; the curve measures new ones
        requestCurve(side);
    } else {
        showStoredFlips(side);
    }
    Q_EMIT scoresFinal(side);
}

void Explorer::headScoresArrived(Side side, std::shared_ptr<const app::HeadScores> scores)
{
    if (scores->ablation != pane(side).set.canonical())
        return;
    pane(side).headScores = scores;
    showMetric(side);
    if (scores->ablation.empty() || !pane(side).marked)
        showMarks(side);
}

void Explorer::failureArrived(Kind kind, Side side, const QString& sentence)
{
    if (const std::string& wanted = m_wanted[indexOf(side)];
        kind == Kind::Model && m_session && !wanted.empty() && !pane(side).model)
        return showStored(side, wanted);
    if (kind == Kind::Sample)
        requestMissingScores(); // they need no prompt
    if (kind == Kind::Tokens || kind == Kind::Pattern) {
        m_parts.prompt->setTokenCount(side, 0, sentence);
        return;
    }
    if (kind == Kind::Model && sentence.contains(QLatin1String("tokenizer")) && !folderWithoutTokenizer(side).empty())
        return m_parts.messages->showMessage(MessageBar::Kind::Error, sentence, tr("Choose the tokenizer …"),
                                             side == Side::A ? QStringLiteral("tokenizerA")
                                                             : QStringLiteral("tokenizerB"));
    m_parts.messages->showMessage(MessageBar::Kind::Error, sentence);
}

// ---------------------------------------------------------------- showing

void Explorer::showScores(Side side)
{
    const Pane& p = pane(side);
    if (!p.model)
        return;
    const app::ModelState reference = referenceOf(side);
    const bool nothingOff = reference.side == side && reference.ablation == p.set.canonical();
    std::vector<widgets::ScoreboardRow> rows;
    for (const std::string& task : p.model->benchmarks) {
        widgets::ScoreboardRow row{
            .id = text(task), .name = taskTitle(text(task)), .follow = m_follow.value(text(task), true)};
        if (p.scores)
            for (const app::BenchmarkScore& line : p.scores->lines)
                if (line.task == task && (line.hasBaseline || line.final || !line.problem.empty()))
                    row = scoreRow(line, row.follow, provenance(side));
        row.same = nothingOff;
        rows.push_back(row);
    }
    for (const std::string& task : p.model->unsuited)
        rows.push_back({.id = text(task), .name = taskTitle(text(task)), .unavailable = tr("needs real text")});
    auto* model = m_parts.scores->model();
    model->setReferenceName(p.reference ? stateText(reference) : QString());
    const bool sameRows = model->rows().size() == rows.size()
                          && std::equal(rows.begin(), rows.end(), model->rows().begin(),
                                        [](const auto& a, const auto& b) { return a.id == b.id; });
    if (!sameRows || !p.scores)
        model->setRows(rows);
    else
        for (const widgets::ScoreboardRow& row : rows)
            if (!std::isnan(row.baseline) || !row.unavailable.isEmpty())
                model->updateRow(row); // rows without a new number keep the old one, greyed
    if (p.scores)
        m_parts.scores->setFootnote(
            tr("%L1 examples in %2 s%3 · paired tests on the same examples")
                .arg(p.scores->examples)
                .arg(p.scores->seconds, 0, 'f', 2)
                .arg(p.scores->ablation.empty() ? QString() : tr(" · from layer %1 on").arg(p.scores->fromLayer)));
}

void Explorer::refreshState()
{
    const Pane& p = pane(m_active);
    if (!p.model)
        return;
    const int off = map(m_active)->model()->offCount();
    if (p.reference) {
        m_parts.scores->setState(tr("%1 against %2").arg(stateText(stateOf(m_active)), stateText(*p.reference)));
        return;
    }
    m_parts.scores->setState(p.set.empty() ? tr("%1 · all heads on").arg(letter(m_active))
                             : off == 1    ? tr("%1 with 1 head off").arg(letter(m_active))
                             : off > 1     ? tr("%1 with %2 heads off").arg(letter(m_active)).arg(off)
                                           : tr("%1 · %2").arg(letter(m_active), text(p.set.canonical())));
}

void Explorer::showCurve()
{
    std::vector<widgets::KvCurve> curves;
    std::vector<QPointF> chance;
    for (const Side side : kSides) {
        const Pane& p = pane(side);
        if (!p.model || !p.curve)
            continue;
        widgets::KvCurve before{.name = tr("%1 baseline").arg(letter(side)), .side = side};
        widgets::KvCurve now{.name = tr("%1, %2").arg(letter(side), p.curve->ablation.size() > 12
                                                                        ? tr("ablated")
                                                                        : tr("%1 off").arg(text(p.curve->ablation))),
                             .side = side,
                             .ablated = true};
        for (std::size_t i = 0; i < p.curve->lines.size() && i < p.model->kvSizes.size(); ++i) {
            const app::BenchmarkScore& line = p.curve->lines[i];
            if (!line.hasBaseline)
                continue;
            before.points.emplace_back(p.model->kvSizes[i], line.baseline);
            now.points.emplace_back(p.model->kvSizes[i], line.now);
            if (side == Side::A)
                chance.emplace_back(p.model->kvSizes[i], line.chance);
        }
        curves.push_back(before);
        if (!p.curve->ablation.empty())
            curves.push_back(now);
    }
    m_parts.chart->setCurves(curves, chance);
}

void Explorer::showMetric(Side side)
{
    Pane& p = pane(side);
    if (!p.model)
        return;
    if (p.metric == QLatin1String("effect")) {
        if (p.effects)
            map(side)->model()->setMetric(
                headMetric(*p.model, tr("loss of KV-Retrieval when the head is off"), false, *p.effects, true));
        return;
    }
    if (const auto own = p.ownMetrics.constFind(p.metric); own != p.ownMetrics.constEnd()) {
        const bool isSigned =
            std::any_of(own->begin(), own->end(), [](const app::HeadValue& head) { return head.value < 0; });
        map(side)->model()->setMetric(headMetric(*p.model, headMetricTitle(p.metric), isSigned, *own, false));
        return;
    }
    if (isStored(side))
        return sayWhatNeedsTheModel(side, tr("This number of every head"));
    if (p.metric == QLatin1String("estimate"))
        return m_client.requestEstimate(side);
    if (p.headScores && p.headScores->scores.contains(p.metric.toStdString()))
        map(side)->model()->setMetric(headMetric(*p.model, headMetricTitle(p.metric), false,
                                                 p.headScores->scores.at(p.metric.toStdString()), false));
    else if (!p.headScores && !promptOf(side).text.empty())
        m_client.requestHeadScores(side, promptOf(side), text(p.set.canonical()));
}

void Explorer::refreshSources()
{
    QList<widgets::Choice> sources{{QString(), tr("free text"), tr("Type or paste any text")}};
    if (const auto& model = pane(Side::A).model)
        for (const std::string& task : model->benchmarks)
            sources.append({text(task), taskTitle(text(task)), text(task)});
    m_parts.prompt->setSources(sources, text(m_prompt.task));
}

QString Explorer::provenance(Side side) const
{
    const Pane& p = pane(side);
    if (!p.model)
        return {};
    QString out =
        QStringLiteral("%1 (%2), %3 on %4")
            .arg(text(p.model->name), text(p.model->hash.substr(0, 12)), text(p.model->dtype), text(p.model->device));
    if (const app::Prompt& prompt = promptOf(side); !prompt.task.empty())
        out += QStringLiteral(", %1 sample %2").arg(text(prompt.task)).arg(prompt.sample + 1);
    return out + (p.set.empty() ? QStringLiteral(", all heads on") : QStringLiteral(", ") + text(p.set.canonical()));
}

} // namespace headscope::gui
