// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/survey/surveycontroller.h"

#include "app/controllers/survey/surveyfiles.h"
#include "app/present/heads/sidenames.h"
#include "app/present/text.h"
#include "app/state/modelheads.h"
#include "app/workbench/heads/headcard.h"
#include "core/base/foldernames.h"

#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>

namespace headscope::gui {

using widgets::SurveyPage;
using widgets::SurveyRow;

SurveyController::SurveyController(WindowState& state, app::Door& door, SurveyPage& page, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page)
{
    connectPage();
    connectDoor();
    connect(&state, &WindowState::activeSideChanged, this, &SurveyController::showHeading);
    connect(&state, &WindowState::modelChanged, this, &SurveyController::forget);
    connect(&state, &WindowState::effectsChanged, this, &SurveyController::refresh);
    connect(&state, &WindowState::headScoresChanged, this, &SurveyController::refresh);
    showLosses();
    showMatches();
}

void SurveyController::connectPage()
{
    SurveyPage* page = &m_page;
    connect(page, &SurveyPage::shown, this, &SurveyController::showHeading);
    connect(page, &SurveyPage::folderRequested, this, [this] {
        if (const QString folder = QFileDialog::getExistingDirectory(m_page.window(), tr("A folder of texts"));
            !folder.isEmpty())
            addTexts({folder});
    });
    connect(page, &SurveyPage::filesRequested, this, [this] {
        addTexts(QFileDialog::getOpenFileNames(m_page.window(), tr("Texts"), {}, tr("Texts (*.txt *.jsonl)")));
    });
    connect(page, &SurveyPage::clearTextsRequested, this, [this] { setTexts({}); });
    connect(page, &SurveyPage::runRequested, this, &SurveyController::run);
    connect(page, &SurveyPage::stopRequested, this, [this] { m_door.stopBoth<app::SurveyQuestion>(); });
    connect(page, &SurveyPage::removeRequested, this, &SurveyController::removeHeads);
    connect(page, &SurveyPage::removeStopRequested, this, [this] { m_door.stopBoth<app::HeadFactsRequest>(); });
    connect(page, &SurveyPage::filterChanged, this, &SurveyController::filter);
    connect(page, &SurveyPage::headChosen, this, &SurveyController::chooseHead);
    connect(page, &SurveyPage::headsSelected, this, &SurveyController::showLosses);
    connect(page->scatterPanel(), &widgets::ScatterPanel::axesChanged, this, &SurveyController::drawAxes);
    connect(page->matches(), &widgets::MatchPanel::byChanged, this, &SurveyController::showMatches);
    connect(page, &SurveyPage::tableFileRequested, this, [this] {
        save(tr("Save the table"), QStringLiteral("heads.csv"), tr("Tables (*.csv *.tex)"),
             &SurveyController::writeTable);
    });
    connect(page->scatterPanel(), &widgets::ScatterPanel::saveRequested, this, [this] {
        save(tr("Save the dots"), QStringLiteral("heads.pdf"), tr("Pictures (*.pdf *.svg *.png);;Numbers (*.csv)"),
             &SurveyController::writeDots);
    });
    connect(page->matches(), &widgets::MatchPanel::saveRequested, this, [this] {
        save(tr("Save the similar heads"), QStringLiteral("similar.pdf"),
             tr("Pictures (*.pdf *.svg *.png);;Numbers (*.csv)"), &SurveyController::writeMatches);
    });
    connect(page->matches()->view(), &widgets::MatchView::pairChosen, this, [this](const QString& a, const QString& b) {
        const QStringList both{QStringLiteral("A ") + a, QStringLiteral("B ") + b};
        m_page.selectHeads(both);
        Q_EMIT m_page.headsSelected(both);
    });
}

void SurveyController::connectDoor()
{
    m_door.on<app::SurveyQuestion>(this, [this](Side side, const auto& reply) {
        m_known[indexOf(side)].survey = reply;
        m_page.setSentence(reply->problems.empty() ? measuredSentence() : text(reply->problems.front()));
        showHeading();
        showRows();
    });
    m_door.on<app::HeadFactsRequest>(this, [this](Side side, const auto& reply) {
        auto& known = m_known[indexOf(side)].facts;
        known = withEarlier(reply, known.get());
        if (reply->sheet.finished && !reply->sheet.problems.empty())
            m_page.setSentence(text(reply->sheet.problems.front()));
        showRows();
    });
    m_door.on<app::DirectRequest>(this, [this](Side side, const auto& parts) {
        m_known[indexOf(side)].direct = parts;
        refresh();
    });
    connect(&m_door, &app::Door::finished, this, &SurveyController::ended);
    connect(&m_door, &app::Door::cancelled, this, &SurveyController::ended);
    connect(&m_door, &app::Door::failed, this, [this](const app::Lane& lane, const QString& sentence) {
        ended();
        if (lane.is<app::SurveyQuestion>() || lane.is<app::HeadFactsRequest>())
            m_page.setSentence(sentence); // what is shown stays
    });
}

void SurveyController::ended()
{
    const auto runs = [this](auto of) {
        return std::ranges::any_of(kSides, [&](Side side) { return m_door.isRunning(of(side)); });
    };
    m_page.setRunning(runs(app::Lane::of<app::SurveyQuestion>));
    m_page.setRemoving(runs(app::Lane::of<app::HeadFactsRequest>));
}

void SurveyController::addTexts(const QStringList& paths)
{
    QStringList texts = m_texts;
    for (const QString& path : paths)
        if (!texts.contains(path))
            texts << path;
    setTexts(texts);
}

void SurveyController::setTexts(const QStringList& texts)
{
    m_texts = texts;
    QStringList names;
    for (const QString& path : texts)
        names << QFileInfo(path).fileName();
    m_page.setTexts(names.join(QStringLiteral(", ")));
}

// Of another model, or of the same one opened anew, nothing is known.
void SurveyController::forget(Side side)
{
    m_known[indexOf(side)] = {};
    m_page.setSentence(measuredSentence());
    showRows();
    showHeading();
}

void SurveyController::showHeading()
{
    if (!m_page.isVisible())
        return;
    QStringList models;
    for (const Side side : kSides)
        if (m_state.hasModel(side))
            models << stateText(m_state, m_state.stateOf(side));
    m_page.setTitle(models.join(QStringLiteral("; ")));
    if (!m_known[0].survey && !m_known[1].survey && m_page.sentence().isEmpty())
        m_page.setSentence(
            tr("Choose texts, then press Measure to see what every head does there on average, and where most."));
}

app::SurveySource SurveyController::ask() const
{
    app::SurveySource ask{.texts = {}, .tasks = {}, .window = m_page.windowTokens(), .tokens = m_page.tokens()};
    for (const QString& path : m_texts)
        ask.texts.push_back(path.toStdString());
    if (const std::string& task = m_state.prompt().task; m_page.wantsPrompts() && !task.empty())
        ask.tasks.push_back(task);
    return ask;
}

// Models may read the same texts in tokens of their own.
QString SurveyController::measuredSentence() const
{
    QStringList sentences;
    for (const Side side : kSides)
        if (const auto& survey = m_known[indexOf(side)].survey)
            sentences << (m_known[indexOf(otherSide(side))].survey ? letterOf(side) + QStringLiteral(": ") : QString())
                             + surveySentence(*survey);
    return sentences.join(u' ');
}

void SurveyController::run()
{
    const app::SurveySource wanted = ask();
    bool any = false;
    for (const Side side : kSides)
        any = any || (m_state.hasModel(side) && !m_state.side(side).isStored());
    if (!any)
        return m_page.setSentence(tr("Open a model to measure its heads."));
    if (wanted.texts.empty() && wanted.tasks.empty())
        return m_page.setSentence(tr("Choose a folder of texts, or a sample of a benchmark whose prompts are read."));
    m_page.setSentence(tr("Reading the texts…"));
    for (const Side side : kSides)
        if (m_state.hasModel(side) && !m_state.side(side).isStored())
            m_door.ask(app::SurveyQuestion{m_state.stateOf(side), wanted});
    m_page.setRunning(true);
}

// Of the selected heads; of all where none is selected.
void SurveyController::removeHeads()
{
    bool any = false;
    const QStringList selected = m_page.selectedHeads();
    for (const Side side : kSides) {
        const SideState& now = m_state.side(side);
        if (!m_known[indexOf(side)].survey || !now.model || now.isStored())
            continue;
        app::HeadFactsOptions wanted{.texts = m_known[indexOf(side)].survey->asked,
                                     .heads = {},
                                     .tasks = m_state.benchmarks(side),
                                     .limit = rankLimit(*now.model)};
        for (const QString& label : selected)
            if (const SurveyRow* row = rowOf(label); row && row->side == side)
                if (const auto head = interventions::parseHead(row->head.toStdString()); head.has_value())
                    wanted.heads.push_back(*head);
        if (wanted.heads.empty() && !selected.isEmpty())
            continue;
        any = true;
        m_door.ask(app::HeadFactsRequest{m_state.stateOf(side), wanted});
    }
    if (!any)
        return m_page.setSentence(tr("Measure the heads first; ablation costs are measured on the same texts."));
    m_page.setRemoving(true);
    m_page.losses()->setSentence(tr("Ablating heads, one at a time…"));
}

void SurveyController::refresh()
{
    if (m_refreshing || (!m_known[0].survey && !m_known[1].survey))
        return;
    m_refreshing = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_refreshing = false;
            showRows();
        },
        Qt::QueuedConnection);
}

void SurveyController::showRows()
{
    std::vector<SurveyedSide> sides;
    for (const Side side : kSides) {
        Known& known = m_known[indexOf(side)];
        if (!known.survey)
            continue;
        known.sheet = knownFacts(m_state.side(side), *known.survey, known.facts.get());
        sides.push_back({side, known.survey.get(),
                         knownColumns(m_state.side(side), *known.survey, known.sheet, known.direct.get())});
    }
    auto [names, rows] = surveyRows(sides);
    m_page.setRows(names, std::move(rows));
    filter();
    showLosses();
    showMatches();
}

void SurveyController::filter()
{
    auto rows = rowsWhere(m_page.filter(), m_page.model()->metrics(), m_page.model()->rows());
    m_page.setFilterProblem(rows.has_value() ? QString() : text(rows.error().message));
    if (rows.has_value())
        m_page.setShownRows(std::move(*rows));
    drawAxes();
}

// The dots are the rows that the filter lets through.
void SurveyController::drawAxes()
{
    const widgets::SurveyModel& model = *m_page.model();
    const auto [x, y] = m_page.axes();
    if (x < 0 || y < 0 || std::max(x, y) >= model.metrics().size()) {
        m_page.scatter()->setDots({}, {}, {});
        return m_page.scatterPanel()->setCorrelation({});
    }
    const auto shown = rowsWhere(m_page.filter(), model.metrics(), model.rows());
    std::vector<SurveyRow> rows;
    std::vector<widgets::ScatterDot> dots;
    for (std::size_t i = 0; i < model.rows().size(); ++i) {
        const SurveyRow& row = model.rows()[i];
        if (shown.has_value() && *shown && !(*shown)->contains(static_cast<int>(i)))
            continue;
        rows.push_back(row);
        dots.push_back({model.label(i), row.values[static_cast<std::size_t>(x)],
                        row.values[static_cast<std::size_t>(y)], row.side});
    }
    m_page.scatter()->setDots(std::move(dots), model.metrics()[x], model.metrics()[y]);
    m_page.scatterPanel()->setCorrelation(correlationSentence(rows, x, y));
}

void SurveyController::showLosses()
{
    std::vector<app::HeadFacts> known; // by the names that they have in the table
    const QStringList selected = m_page.selectedHeads();
    for (std::size_t i = 0; i < m_page.model()->rows().size(); ++i) {
        const SurveyRow& row = m_page.model()->rows()[i];
        if (!selected.isEmpty() && !selected.contains(m_page.model()->label(i)))
            continue;
        const app::HeadFacts* facts = m_known[indexOf(row.side)].sheet.find(row.head.toStdString());
        if (!facts || !app::lossOf(*facts))
            continue;
        known.push_back(*facts);
        known.back().head = m_page.model()->label(i).toStdString();
    }
    std::vector<const app::HeadFacts*> heads;
    for (const app::HeadFacts& facts : known)
        heads.push_back(&facts);
    m_page.losses()->setGroups(lossGroups(heads));
    m_page.losses()->setRises(lossRises(heads));
    m_page.losses()->setSentence(
        heads.empty() ? tr("Select heads and press “Ablate each” to see the next-token loss with and without them.")
                      : lossSentence(heads));
}

void SurveyController::chooseHead(const QString& label)
{
    const SurveyRow* row = rowOf(label);
    if (!row || !m_state.hasModel(row->side))
        return;
    const Side side = row->side; // rows may be made anew behind the next line
    if (const auto ref = interventions::parseHead(row->head.toStdString()); ref.has_value())
        m_state.setHead(side, *ref);
}

const SurveyRow* SurveyController::rowOf(const QString& label) const
{
    const auto& rows = m_page.model()->rows();
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (m_page.model()->label(i) == label)
            return &rows[i];
    return nullptr;
}

void SurveyController::showMatches()
{
    widgets::MatchPanel& panel = *m_page.matches();
    const auto& [a, b] = m_known;
    if (!a.survey || !b.survey) {
        panel.view()->setPairs({});
        return panel.setSentence(tr("Open two models and measure both to compare the heads of A and B."));
    }
    std::array<std::vector<survey::HeadTraits>, 2> traits;
    if (panel.by() == widgets::MatchPanel::By::Looks) {
        traits = {app::traitsOf(a.survey->survey), app::traitsOf(b.survey->survey)};
    } else {
        const auto tasks = app::tasksOfBoth(a.sheet, b.sheet);
        traits = {app::costTraitsOf(a.sheet, tasks), app::costTraitsOf(b.sheet, tasks)};
    }
    widgets::HeadPairs pairs{
        {}, {}, text(a.survey->provenance).section(u',', 0, 0), text(b.survey->provenance).section(u',', 0, 0), {}};
    for (const survey::HeadTraits& head : traits[0])
        pairs.a << text(head.head);
    for (const survey::HeadTraits& head : traits[1])
        pairs.b << text(head.head);
    int mutual = 0;
    for (const survey::HeadMatch& match : survey::nearestHeads(traits[0], traits[1])) {
        pairs.pairs.push_back(
            {static_cast<int>(match.first), static_cast<int>(match.second), match.distance, match.mutual});
        mutual += match.mutual;
    }
    panel.setSentence(
        pairs.pairs.empty()
            ? tr("No head of both models has a cost on the same benchmarks yet; press “Ablate each”.")
            : tr("%1 of %2 heads of A are the nearest of their nearest in B.").arg(mutual).arg(pairs.pairs.size()));
    panel.view()->setPairs(std::move(pairs));
}

QString SurveyController::provenance() const
{
    QStringList parts;
    for (const Known& known : m_known)
        if (known.survey)
            parts << text(known.survey->provenance + ", " + known.survey->survey.record.source + ", "
                          + std::to_string(known.survey->survey.record.tokens) + " tokens"
                          + (known.survey->ablation.empty()
                                 ? ""
                                 : ", ablated: " + ablationWithoutFolders(known.survey->ablation.canonical())));
    return parts.join(QStringLiteral("; "));
}

Result<void> SurveyController::writeTable(const QString& path) const
{
    return writeSurveyTable(m_page, provenance(), path);
}

Result<void> SurveyController::writeDots(const QString& path) const
{
    return writeSurveyDots(m_page, provenance(), path);
}

Result<void> SurveyController::writeMatches(const QString& path) const
{
    return writeSurveyMatches(m_page, provenance(), path);
}

void SurveyController::save(const QString& title, const QString& name, const QString& kinds,
                            Result<void> (SurveyController::*write)(const QString&) const)
{
    const QString path = QFileDialog::getSaveFileName(m_page.window(), title, name, kinds);
    if (path.isEmpty())
        return;
    if (const auto written = (this->*write)(path); !written.has_value())
        m_state.showError(written.error());
}

} // namespace headscope::gui
