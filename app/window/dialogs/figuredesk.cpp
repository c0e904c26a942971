// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/figuredesk.h"

#include "app/figures/paperfigures.h"
#include "app/figures/sessionfigure.h"
#include "app/present/text.h"

namespace headscope::gui {

using figures::PanelKind;
using figures::PanelRecipe;
using figures::Recipe;
using widgets::FigureOptions;

namespace {

constexpr const char* kScales[] = {"raw", "row", "minmax", "log", "signed"}; // in the order of ScaleKind

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

FigureOptions optionsOf(const Recipe& recipe, const QString& id)
{
    FigureOptions options{.what = id,
                          .style = figures::styleOf(recipe.style),
                          .title = text(recipe.title),
                          .caption = text(recipe.caption),
                          .columns = recipe.columns,
                          .letters = recipe.letters,
                          .scale = {}};
    for (const PanelRecipe& panel : recipe.panels)
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

FigureDesk::FigureDesk(Explorer& explorer, QWidget* parent)
    : QObject(parent), m_explorer(explorer), m_dialog(new widgets::FigureDialog(parent))
{
    connect(m_dialog, &widgets::FigureDialog::choiceChanged, this, &FigureDesk::choose);
    connect(m_dialog, &widgets::FigureDialog::optionsChanged, this, &FigureDesk::redraw);
    connect(m_dialog, &widgets::FigureDialog::keepRequested, this, &FigureDesk::keep);
    connect(m_dialog, &widgets::FigureDialog::removeRequested, this, [this](const QString& id) {
        const QString name = id.mid(id.indexOf(u':') + 1);
        if (const auto removed = session()->removeFigure(name.toStdString()); !removed.has_value())
            return m_dialog->setProblem(text(removed.error().message));
        refresh({});
    });
}

sessions::SessionStore* FigureDesk::session()
{
    if (sessions::SessionStore* shared = m_explorer.session(); shared && !shared->readOnly())
        return shared;
    if (!m_own) {
        auto made = sessions::SessionStore::open(m_folder.filePath(QStringLiteral("figures.headscope")).toStdString());
        if (!made.has_value())
            return nullptr;
        m_own.emplace(std::move(*made));
    }
    return &*m_own;
}

void FigureDesk::open()
{
    refresh({});
    m_dialog->show();
    m_dialog->raise();
}

std::vector<PanelRecipe> FigureDesk::shownMaps() const
{
    std::vector<PanelRecipe> panels;
    for (const Side side : kSides)
        if (m_explorer.hasModel(side) && m_explorer.pattern(side)) {
            const sessions::PatternRecord record = m_explorer.patternRecord(side);
            PanelRecipe panel{.kind = PanelKind::Pattern, .side = side == Side::A ? "A" : "B"};
            panel.pattern = {.model = record.modelHash,
                             .head = record.head,
                             .ablation = record.ablation,
                             .prompt = sessions::promptHash(record),
                             .convention = record.convention,
                             .dtype = record.dtype};
            panels.push_back(panel);
        }
    return panels;
}

void FigureDesk::add(const QString& id, const QString& title, const Result<Recipe>& recipe, bool stored)
{
    m_choices.append({id, title, recipe.has_value() ? QString() : text(recipe.error().message), stored});
    m_recipes.insert_or_assign(id, recipe);
}

void FigureDesk::refresh(const QString& chosen)
{
    sessions::SessionStore* store = session();
    if (!store)
        return m_dialog->setProblem(
            tr("Figures need a folder for temporary files, and there is none that can be written."));
    const auto kept = m_explorer.keepShown(*store);
    m_recipes.clear();
    m_choices.clear();
    const std::vector<PanelRecipe> maps = shownMaps();
    const Error nothing = inputError("No pattern is on the screen: open a model and choose a head.");
    Recipe shown{.title = {},
                 .caption = {},
                 .columns = static_cast<int>(std::max<std::size_t>(1, maps.size())),
                 .letters = maps.size() > 1,
                 .panels = maps};
    if (maps.size() < 2)
        shown.style.widthMm = 120;
    Recipe rows = shown;
    for (PanelRecipe& panel : rows.panels)
        panel.kind = PanelKind::Row;
    const auto ifShown = [&](const Recipe& recipe) {
        return maps.empty() ? Result<Recipe>(nothing) : Result<Recipe>(recipe);
    };
    add(QStringLiteral("shown-maps"), tr("The maps on the screen"), ifShown(shown), false);
    add(QStringLiteral("shown-rows"), tr("Their last rows as bars"), ifShown(rows), false);
    if (const auto paper = figures::paperFigures(*store); paper.has_value())
        for (const figures::PaperFigure& figure : *paper)
            add(text(figure.name), tr("Paper: %1").arg(text(figure.title)), figure.recipe, false);
    if (const auto stored = store->figures(); stored.has_value())
        for (const sessions::FigureRecipe& figure : *stored)
            add(QStringLiteral("stored:") + text(figure.name), tr("Kept: %1").arg(text(figure.name)),
                figures::parseRecipe(figure.recipeJson), true);
    m_dialog->setChoices(m_choices);
    choose(chosen.isEmpty() ? (maps.empty() ? QStringLiteral("kv-curve") : QStringLiteral("shown-maps")) : chosen);
    if (!kept.has_value())
        m_dialog->setProblem(text(kept.error().message));
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

void FigureDesk::redraw()
{
    if (m_recipe.panels.empty())
        return;
    m_recipe = applied(m_recipe, m_dialog->options());
    const auto figure = figures::makeFigure(*session(), m_recipe);
    if (figure.has_value())
        m_dialog->setFigure(*figure);
    else
        m_dialog->setProblem(text(figure.error().message));
}

void FigureDesk::keep(const QString& name)
{
    const auto stored = session()->putFigure({name.toStdString(), figures::recipeText(m_recipe), {}});
    if (!stored.has_value())
        return m_dialog->setProblem(text(stored.error().message));
    refresh(QStringLiteral("stored:") + name);
}

} // namespace headscope::gui
