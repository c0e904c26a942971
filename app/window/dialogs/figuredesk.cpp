// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/figuredesk.h"

#include "app/backend/session/analysisrequests.h"
#include "app/backend/session/filerequests.h"
#include "app/backend/session/keeprequests.h"
#include "app/figures/documents/sessionfigure.h"
#include "app/present/heads/sidenames.h"
#include "app/present/prompt/patternpresenters.h"
#include "app/present/scores/recordpresenters.h"
#include "app/present/text.h"
#include "widgets/figures/figurerenderer.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace headscope::gui {

using figures::PanelKind;
using figures::PanelRecipe;
using figures::Recipe;
using widgets::FigureOptions;

namespace {

constexpr const char* kScales[] = {"raw", "row", "minmax", "log", "signed"}; // in the order of ScaleKind

QString shownMap(Side side)
{
    return QStringLiteral("shown-map-") + letterOf(side);
}

QString listed(const std::vector<std::string>& names)
{
    QStringList all;
    for (const std::string& name : names)
        all << text(name);
    return all.join(QStringLiteral("; "));
}

std::vector<std::string> parts(const QString& names)
{
    std::vector<std::string> all;
    for (const QString& name : names.split(QLatin1Char(';'), Qt::SkipEmptyParts))
        if (!name.trimmed().isEmpty())
            all.push_back(name.trimmed().toStdString());
    return all;
}

/// One row of every head as the page shows it.
app::SavedAnalysis rowOfHeads(const WindowState& state, Side side, const widgets::PatternData& shown)
{
    const sessions::PatternRecord pattern = patternRecord(state, side);
    const int row = shownRow(state.side(side));
    auto record = std::make_shared<sessions::AnalysisRecord>();
    record->key = {.modelHash = pattern.modelHash,
                   .kind = figures::kRowOfHeads,
                   .dtype = pattern.dtype,
                   .device = modelRecord(*state.side(side).model).device,
                   .ablation = pattern.ablation,
                   .questionJson = nlohmann::json{{"prompt", sessions::promptHash(pattern)}, {"row", row}}.dump()};
    record->source = pattern.source.empty() ? "a prompt" : pattern.source;
    record->values.push_back({.part = "prompt", .measure = "text", .words = pattern.prompt});
    for (int i = 0; i < shown.cols(); ++i)
        record->values.push_back(
            {.part = "prompt", .position = i, .measure = "token", .words = shown.tokens.value(i).toStdString()});
    for (int head = 0; head < shown.rows(); ++head)
        for (int i = 0; i <= std::min(row, shown.cols() - 1); ++i)
            record->values.push_back({.part = shown.rowLabels.value(head).toStdString(),
                                      .position = i,
                                      .measure = "share",
                                      .value = static_cast<double>(shown.values->at(head, i))});
    return record;
}

FigureOptions optionsOf(const Recipe& recipe, const QString& id)
{
    FigureOptions options{.what = id,
                          .style = figures::styleOf(recipe.style),
                          .title = text(recipe.title),
                          .caption = text(recipe.caption),
                          .columns = recipe.columns,
                          .letters = recipe.letters,
                          .scale = {},
                          .ofSeveral = recipe.panels.size() > 1};
    for (const PanelRecipe& panel : recipe.panels) {
        options.ofMaps = options.ofMaps || panel.kind == PanelKind::Pattern;
        options.ofTokens = options.ofTokens || panel.kind == PanelKind::Pattern || panel.kind == PanelKind::Row;
        options.ofScores = options.ofScores || figures::showsScores(panel);
        if (panel.kind == PanelKind::Pattern) {
            for (std::size_t i = 0; i < std::size(kScales); ++i)
                if (panel.scale == kScales[i])
                    options.scale.kind = static_cast<widgets::ScaleKind>(i);
            options.scale.withoutSink = panel.withoutSink;
            options.scale.sequential = panel.colours == "cividis"    ? widgets::ColorMap::Cividis
                                       : panel.colours == "blue-red" ? widgets::ColorMap::BlueRed
                                                                     : widgets::ColorMap::Viridis;
            options.labelEvery = panel.labelEvery;
            options.brackets = panel.brackets;
            options.colorBar = panel.colourBar;
        } else {
            options.lines = panel.lines;
            options.models = panel.models == recipe.panels.front().models
                                 ? listed(panel.models)
                                 : QString(); // a panel for each says nothing of all
            options.states = listed(panel.ablations);
        }
    }
    return options;
}

Recipe applied(Recipe recipe, const FigureOptions& options)
{
    const FigureOptions was = optionsOf(recipe, options.what);
    recipe.title = options.title.toStdString();
    recipe.caption = options.caption.toStdString();
    recipe.columns = options.columns;
    recipe.letters = options.letters;
    const widgets::FigureStyle& style = options.style;
    recipe.style = {.widthMm = style.widthMm,
                    .heightMm = style.heightMm,
                    .fontPt = style.fontPt,
                    .font = style.fontFamily.toStdString(),
                    .background = style.transparent ? "transparent"
                                  : style.dark      ? "dark"
                                                    : "light",
                    .printProvenance = style.printProvenance,
                    .dpi = style.dpi};
    // Panels may differ; what the person did not touch stays as each has it.
    for (PanelRecipe& panel : recipe.panels) {
        if (options.scale.kind != was.scale.kind)
            panel.scale = kScales[static_cast<std::size_t>(options.scale.kind)];
        if (options.scale.withoutSink != was.scale.withoutSink)
            panel.withoutSink = options.scale.withoutSink;
        if (options.scale.sequential != was.scale.sequential)
            panel.colours = options.scale.sequential == widgets::ColorMap::Cividis   ? "cividis"
                            : options.scale.sequential == widgets::ColorMap::BlueRed ? "blue-red"
                                                                                     : "viridis";
        if (options.labelEvery != was.labelEvery)
            panel.labelEvery = options.labelEvery;
        if (options.brackets != was.brackets)
            panel.brackets = options.brackets;
        if (options.colorBar != was.colorBar)
            panel.colourBar = options.colorBar;
    }
    figures::choose(recipe,
                    {.models = options.models == was.models ? std::vector<std::string>() : parts(options.models),
                     .states = options.states == was.states ? std::vector<std::string>() : parts(options.states),
                     .tasks = {},
                     .lines = options.lines == was.lines ? std::nullopt : std::optional(options.lines)});
    return recipe;
}

} // namespace

FigureDesk::FigureDesk(WindowState& state, app::SessionDoor& door, const widgets::PatternPage& page, QWidget* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page), m_dialog(new widgets::FigureDialog(parent))
{
    connect(m_dialog, &widgets::FigureDialog::choiceChanged, this, &FigureDesk::choose);
    connect(m_dialog, &widgets::FigureDialog::composed, this, &FigureDesk::compose);
    connect(m_dialog, &widgets::FigureDialog::optionsChanged, this, &FigureDesk::redraw);
    connect(m_dialog, &widgets::FigureDialog::keepRequested, this, &FigureDesk::keep);
    connect(m_dialog, &widgets::FigureDialog::removeRequested, this,
            [this](const QString& id) { change(app::removeFigure(id.mid(id.indexOf(u':') + 1).toStdString()), {}); });
}

app::SessionDoor& FigureDesk::door()
{
    if (m_door.isOpen() && !m_door.readOnly())
        return m_door;
    if (!m_own) {
        m_own = std::make_unique<app::SessionDoor>();
        connect(m_own.get(), &app::SessionDoor::problem, m_dialog, &widgets::FigureDialog::setProblem);
        m_own->open(m_folder.filePath(QStringLiteral("figures.headscope")).toStdString());
    }
    return *m_own;
}

void FigureDesk::showError(const Error& error)
{
    if (error.kind != Error::Kind::Cancelled) // another session is open
        m_dialog->setProblem(text(error.message));
}

void FigureDesk::open(std::optional<Side> map)
{
    open(map ? shownMap(*map) : QString(), [](app::SessionDoor&) {});
}

void FigureDesk::open(const QString& figure, const std::function<void(app::SessionDoor&)>& keep)
{
    if (!figure.isEmpty() && m_dialog->composing())
        m_dialog->setComposing(false);
    keep(door());
    refresh(figure);
    m_dialog->show();
    m_dialog->raise();
}

void FigureDesk::openComposed()
{
    m_toCompose = true;
    open();
}

std::vector<PanelRecipe> FigureDesk::shownMaps() const
{
    std::vector<PanelRecipe> panels;
    for (const Side side : kSides)
        if (m_state.hasModel(side) && m_state.side(side).pattern) {
            const sessions::PatternRecord record = patternRecord(m_state, side);
            PanelRecipe panel{.kind = PanelKind::Pattern, .side = side == Side::A ? "A" : "B"};
            panel.pattern = {.model = record.modelHash,
                             .head = record.head,
                             .ablation = record.ablation,
                             .prompt = sessions::promptHash(record),
                             .convention = sessions::conventionText(record),
                             .dtype = record.dtype};
            // As it stands on the screen: scale, palette, row.
            const widgets::ScaleOptions scale = m_page.scale();
            panel.scale = kScales[static_cast<std::size_t>(scale.kind)];
            panel.withoutSink = scale.withoutSink;
            panel.shares = !m_page.isSigned();
            panel.colours = m_page.isSigned() ? "blue-red" : "viridis";
            panel.row = m_state.side(side).lockedRow;
            panels.push_back(panel);
        }
    return panels;
}

void FigureDesk::add(const QString& id, const QString& title, const Result<Recipe>& recipe, bool stored)
{
    m_choices.append({.id = id,
                      .title = title,
                      .missing = recipe.has_value() ? QString() : text(recipe.error().message),
                      .stored = stored,
                      .parts = {},
                      .group = {}});
    m_recipes.insert_or_assign(id, recipe);
}

// A model's worth of numbers: of long prompts and many heads there are too many for a figure.
std::vector<app::SessionRequest<void>> FigureDesk::keepHeads() const
{
    constexpr int kMostNumbers = 50'000;
    std::vector<app::SessionRequest<void>> all;
    for (const Side side : kSides) {
        const widgets::PatternData& shown = m_page.view(side)->pattern();
        if (m_page.shown() == widgets::PatternShown::RowOfHeads && m_state.hasModel(side) && m_state.side(side).pattern
            && !m_state.side(side).isStored() && !shown.rowLabels.isEmpty()
            && shown.rows() <= kMostNumbers / std::max(1, shown.cols()))
            all.push_back(
                app::keepAnalyses(modelRecord(*m_state.side(side).model), {rowOfHeads(m_state, side, shown)}));
    }
    return all;
}

Result<FigureDesk::Contents> FigureDesk::readContents(sessions::SessionStore& session,
                                                      const std::vector<app::SessionRequest<void>>& keep,
                                                      const Recipe& scores)
{
    Contents contents{.scores = scores};
    for (const app::SessionRequest<void>& each : keep)
        if (const auto kept = each(session); !kept.has_value())
            contents.problem = kept.error();
    if (const auto drawn = figures::makeFigure(session, scores); !drawn.has_value())
        contents.scores = drawn.error();
    if (auto paper = figures::paperFigures(session); paper.has_value())
        contents.paper = std::move(*paper);
    auto kept = app::keptFigures()(session);
    if (!kept.has_value())
        return kept.error();
    contents.kept = std::move(*kept);
    return contents;
}

void FigureDesk::refresh(const QString& chosen)
{
    std::vector<app::SessionRequest<void>> keep = keepHeads();
    keep.insert(keep.begin(), app::keepShown(shownRecords(m_state)));
    const app::SessionRequest<Contents> request = [keep, scores = shownScores()](sessions::SessionStore& session) {
        return readContents(session, keep, scores);
    };
    door().askLatest<Contents>(this, "contents", request, [this, chosen](const Result<Contents>& contents) {
        if (contents.has_value())
            fill(*contents, chosen);
        else
            showError(contents.error());
    });
}

void FigureDesk::fill(const Contents& contents, const QString& chosen)
{
    m_recipes.clear();
    m_choices.clear();
    addShown();
    add(QStringLiteral("shown-scores"), tr("Scores on the screen"), contents.scores, false);
    for (const figures::PaperFigure& figure : contents.paper)
        add(text(figure.name), QCoreApplication::translate("PaperFigures", figure.title.c_str()), figure.recipe, false);
    for (const sessions::FigureRecipe& figure : contents.kept)
        addStored(text(figure.name), figures::parseRecipe(figure.recipeJson));
    const QStringList onScreen = m_onScreen ? m_onScreen() : QStringList();
    for (widgets::FigureChoice& choice : m_choices)
        choice.onScreen = choice.missing.isEmpty() && onScreen.contains(choice.id);
    group();
    m_dialog->setChoices(m_choices);
    if (std::exchange(m_toCompose, false) && !m_dialog->composing())
        m_dialog->setComposing(true);
    const bool maps = m_recipes.at(QStringLiteral("shown-maps")).has_value();
    if (!m_dialog->composing())
        choose(m_recipes.contains(chosen) ? chosen : maps ? QStringLiteral("shown-maps") : QStringLiteral("kv-curve"));
    drawPreviews(); // the session draws the chosen figure first
    if (contents.problem)
        showError(*contents.problem);
}

void FigureDesk::addStored(const QString& name, const Result<Recipe>& recipe)
{
    const std::vector<Recipe> parts = recipe.has_value() ? figures::separated(*recipe) : std::vector<Recipe>();
    QStringList ids;
    for (const Recipe& part : parts) {
        ids << QStringLiteral("part-%1:").arg(ids.size()) + name;
        add(ids.back(), text(part.title), part, false);
        m_choices.back().listed = false;
    }
    add(QStringLiteral("stored:") + name, name, recipe, true);
    m_choices.back().parts = ids;
}

// What they show; last is what was not measured yet.
void FigureDesk::group()
{
    const std::pair<QString, QStringList> groups[] = {
        {tr("On the screen"), {QStringLiteral("shown-")}},
        {tr("Stored in the session"), {QStringLiteral("stored:")}},
        {tr("Maps"),
         {QStringLiteral("gather-aggregate-maps"), QStringLiteral("last-row"), QStringLiteral("all-heads")}},
        {tr("Scores"), {QStringLiteral("scores"), QStringLiteral("kv-curve"), QStringLiteral("layer-removal")}},
        {tr("Analyses"),
         {QStringLiteral("lens"), QStringLiteral("attribution"), QStringLiteral("patching"), QStringLiteral("edges"),
          QStringLiteral("knockout"), QStringLiteral("series")}},
        {tr("Experiments"), {QStringLiteral("experiment-")}},
        {tr("Heads"), {QString()}}};
    QList<widgets::FigureChoice> missing;
    std::vector<QList<widgets::FigureChoice>> found(std::size(groups));
    for (widgets::FigureChoice& choice : m_choices) {
        const auto* of = std::ranges::find_if(groups, [&choice](const auto& group) {
            return std::ranges::any_of(group.second,
                                       [&choice](const QString& start) { return choice.id.startsWith(start); });
        });
        choice.group = choice.missing.isEmpty() ? of->first : tr("Not measured yet");
        (choice.missing.isEmpty() ? found[static_cast<std::size_t>(of - groups)] : missing).append(choice);
    }
    m_choices.clear();
    for (const auto& choices : found)
        m_choices += choices;
    m_choices += missing;
}

void FigureDesk::addShown()
{
    const std::vector<PanelRecipe> maps = shownMaps();
    addShown(QStringLiteral("shown-maps"), tr("Maps on the screen"), maps);
    if (maps.size() > 1) // else it is the map of one
        for (const Side side : kSides)
            addShown(shownMap(side), tr("The map of %1").arg(letterOf(side)), {maps[indexOf(side)]});
    std::vector<PanelRecipe> rows = maps;
    for (PanelRecipe& panel : rows)
        panel.kind = PanelKind::Row;
    addShown(QStringLiteral("shown-rows"), tr("Last rows as bars"), rows);
}

// What the states on the screen cost.
Recipe FigureDesk::shownScores() const
{
    PanelRecipe panel{.kind = PanelKind::Scores, .view = "grid", .ablations = {""}};
    for (const Side side : kSides)
        if (m_state.hasModel(side)) {
            panel.models.push_back(m_state.side(side).model->hash);
            panel.ablations.push_back(m_state.side(side).ablation.canonical());
        }
    return {.columns = 1, .panels = {panel}};
}

void FigureDesk::addShown(const QString& id, const QString& title, std::vector<PanelRecipe> panels)
{
    if (panels.empty())
        return add(id, title, inputError("No pattern is on the screen: open a model and choose a head."), false);
    Recipe recipe{.title = {},
                  .caption = {},
                  .columns = static_cast<int>(panels.size()),
                  .letters = panels.size() > 1,
                  .panels = std::move(panels)};
    if (recipe.columns < 2)
        recipe.style.widthMm = 120;
    add(id, title, recipe, false);
}

void FigureDesk::choose(const QString& id)
{
    const auto found = m_recipes.find(id);
    if (found == m_recipes.end())
        return;
    if (!found->second.has_value()) {
        m_recipe = {};
        return m_dialog->setProblem(text(found->second.error().message));
    }
    m_recipe = *found->second;
    m_dialog->setOptions(optionsOf(m_recipe, id));
    redraw();
}

void FigureDesk::compose(const QStringList& ids)
{
    std::vector<Recipe> figures;
    for (const QString& id : ids)
        figures.push_back(*m_recipes.at(id));
    auto composed = figures::compose(figures);
    if (!composed.has_value()) {
        m_recipe = {};
        return m_dialog->setProblem(ids.size() < 2 ? tr("Choose two to four figures from the list.")
                                                   : text(composed.error().message));
    }
    if (!m_recipe.parts.empty())
        m_composed = m_recipe; // also where it was stored, and is taken apart now
    const std::string caption = std::exchange(m_caption, composed->caption);
    if (!m_composed.parts.empty()) { // what a person has set stays
        composed->style = m_composed.style;
        composed->title = m_composed.title;
        composed->columns = m_composed.columns;
        composed->letters = m_composed.letters;
        if (m_composed.caption != caption)
            composed->caption = m_composed.caption;
    }
    m_recipe = *composed;
    m_dialog->setOptions(optionsOf(m_recipe, widgets::kComposed.toString()));
    redraw();
}

// One after the other, so that a figure that a person asks for waits for one of them at most.
void FigureDesk::drawPreviews()
{
    m_unseen.clear();
    for (const widgets::FigureChoice& choice : m_choices)
        if (choice.missing.isEmpty())
            m_unseen << choice.id;
    drawPreview();
}

void FigureDesk::drawPreview()
{
    if (m_unseen.isEmpty())
        return;
    const QString id = m_unseen.takeFirst();
    const app::SessionRequest<QImage> request = [recipe = *m_recipes.at(id), size = m_dialog->list()->previewSize()](
                                                    sessions::SessionStore& session) -> Result<QImage> {
        const auto figure = figures::makeFigure(session, recipe);
        return figure.has_value() ? Result<QImage>(widgets::figurePreview(*figure, size)) : figure.error();
    };
    door().askLatest<QImage>(this, "preview", request, [this, id](const Result<QImage>& preview) {
        if (!preview.has_value() && preview.error().kind == Error::Kind::Cancelled)
            return;
        if (preview.has_value())
            m_dialog->setPreview(id, *preview);
        drawPreview();
    });
}

void FigureDesk::redraw()
{
    if (m_recipe.panels.empty())
        return;
    m_recipe = applied(m_recipe, m_dialog->options());
    if (m_dialog->composing())
        m_composed = m_recipe;
    using widgets::Figure;
    const app::SessionRequest<Figure> request = [recipe = m_recipe](sessions::SessionStore& session) {
        return figures::makeFigure(session, recipe);
    };
    door().askLatest<Figure>(this, "figure", request, [this](const Result<Figure>& figure) {
        if (m_recipe.panels.empty()) // something that cannot be drawn was chosen meanwhile
            return;
        if (figure.has_value())
            m_dialog->setFigure(*figure);
        else
            showError(figure.error());
    });
}

void FigureDesk::keep(const QString& name)
{
    change(app::keepFigure({name.toStdString(), figures::recipeText(m_recipe), {}}), QStringLiteral("stored:") + name);
}

void FigureDesk::change(const app::SessionRequest<void>& request, const QString& chosen)
{
    door().write<void>(this, request, [this, chosen](const Result<void>& done) {
        if (done.has_value())
            refresh(chosen);
        else
            showError(done.error());
    });
}

} // namespace headscope::gui
