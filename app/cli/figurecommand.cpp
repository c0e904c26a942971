// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli figure: draws what a session holds, without the models and without a display.
#include "app/cli/commands.h"

#include "app/figures/offscreen.h"
#include "app/figures/paperfigures.h"
#include "app/figures/sessionfigure.h"
#include "core/base/hash.h"
#include "widgets/figures/figurerenderer.h"

#include <QFile>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::cli {

using figures::Recipe;
using nlohmann::json;
using sessions::SessionStore;

namespace {

struct Arguments {
    std::string session;
    std::string name;
    std::vector<std::string> outputs;
    bool list = false;
    bool print = false;
    std::string file; ///< a recipe from outside of the session
    std::string save; ///< name to store it under
    bool remove = false;
    std::string size;
    std::string background;
    std::optional<double> width, height, font;
    std::optional<int> dpi;
    std::optional<std::string> title, caption;
    figures::Choice chosen;
    bool noProvenance = false;
};

Result<SessionStore> openSession(const Context& context, const Arguments& arguments)
{
    sessions::OpenOptions options;
    options.create = false;
    options.readOnly = arguments.save.empty() && !arguments.remove;
    auto session = SessionStore::open(arguments.session, options);
    if (session.has_value())
        for (const std::string& notice : session->notices())
            context.say(notice);
    return session;
}

Result<void> list(const Context& context, SessionStore& session)
{
    const auto stored = session.figures();
    if (!stored.has_value())
        return stored.error();
    const auto paper = figures::paperFigures(session);
    if (!paper.has_value())
        return paper.error();
    json told = {{"figures", json::array()}, {"presets", json::array()}};
    for (const sessions::FigureRecipe& figure : *stored)
        told["figures"].push_back({{"name", figure.name}, {"created", figure.created}});
    for (const figures::PaperFigure& figure : *paper)
        told["presets"].push_back(
            {{"name", figure.name},
             {"title", figure.title},
             {"missing", figure.recipe.has_value() ? json() : json(figure.recipe.error().message)}});
    if (context.json) {
        Context::print(told);
        return {};
    }
    if (!stored->empty())
        std::printf("Stored in the session:\n");
    for (const sessions::FigureRecipe& figure : *stored)
        std::printf("  %-24s %s\n", figure.name.c_str(), figure.created.c_str());
    std::printf("The paper's figures, from what was measured:\n");
    for (const figures::PaperFigure& figure : *paper)
        std::printf("  %-24s %s\n", figure.name.c_str(),
                    figure.recipe.has_value() ? figure.title.c_str() : ("- " + figure.recipe.error().message).c_str());
    return {};
}

Result<Recipe> recipeOf(const Arguments& arguments, SessionStore& session)
{
    if (arguments.file.empty())
        return figures::findRecipe(session, arguments.name);
    std::ifstream in(arguments.file, std::ios::binary);
    if (!in)
        return ioError("The recipe '" + arguments.file + "' can not be read.");
    return figures::parseRecipe(std::string(std::istreambuf_iterator<char>(in), {}));
}

Result<void> restyle(const Arguments& arguments, Recipe& recipe)
{
    if (!arguments.size.empty()) {
        auto style = figures::styleRecipe(arguments.size);
        if (!style.has_value())
            return style.error();
        style->background = recipe.style.background;
        style->font = recipe.style.font;
        recipe.style = *style;
    }
    if (!arguments.background.empty())
        recipe.style.background = arguments.background;
    const figures::Choice& chosen = arguments.chosen;
    if (!(chosen.models.empty() && chosen.states.empty() && chosen.tasks.empty())
        && std::none_of(recipe.panels.begin(), recipe.panels.end(), figures::showsScores))
        return inputError("The figure shows no scores, so --model, --state and --task have nothing to choose from.");
    figures::choose(recipe, chosen);
    recipe.style.widthMm = arguments.width.value_or(recipe.style.widthMm);
    recipe.style.heightMm = arguments.height.value_or(recipe.style.heightMm);
    recipe.style.fontPt = arguments.font.value_or(recipe.style.fontPt);
    recipe.style.dpi = arguments.dpi.value_or(recipe.style.dpi);
    recipe.title = arguments.title.value_or(recipe.title);
    recipe.caption = arguments.caption.value_or(recipe.caption);
    recipe.style.printProvenance = recipe.style.printProvenance && !arguments.noProvenance;
    return {};
}

Result<json> write(const widgets::Figure& figure, const widgets::FigureStyle& style, const std::string& path)
{
    const QString name = QString::fromStdString(path);
    if (const auto written = widgets::writeFigure(figure, style, name); !written.has_value())
        return written.error();
    QFile file(name);
    const QByteArray bytes = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    return json{{"file", path},
                {"bytes", bytes.size()},
                {"sha256", sha256Hex(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())))}};
}

Result<void> draw(const Context& context, const Arguments& arguments, SessionStore& session)
{
    auto recipe = recipeOf(arguments, session);
    if (!recipe.has_value())
        return recipe.error();
    if (const auto styled = restyle(arguments, *recipe); !styled.has_value())
        return styled;
    const figures::OffscreenQt qt;
    const auto figure = figures::makeFigure(session, *recipe);
    if (!figure.has_value())
        return figure.error();
    const widgets::FigureStyle style = figures::styleOf(recipe->style);
    json files = json::array();
    for (const std::string& output : arguments.outputs) {
        const auto written = write(*figure, style, output);
        if (!written.has_value())
            return written.error();
        files.push_back(*written);
    }
    if (!arguments.save.empty())
        if (const auto stored = session.putFigure({arguments.save, figures::recipeText(*recipe), {}});
            !stored.has_value())
            return stored;
    const QSizeF size = widgets::figureSizeMm(*figure, style);
    if (context.json)
        Context::print({{"figure", arguments.name},
                        {"files", files},
                        {"width_mm", size.width()},
                        {"height_mm", size.height()},
                        {"provenance", figure->provenance.toStdString()},
                        {"recipe", json::parse(figures::recipeText(*recipe))}});
    else if (arguments.print)
        std::printf("%s\n", figures::recipeText(*recipe).c_str());
    else
        for (const auto& file : files)
            std::printf("%s\n", file["file"].get<std::string>().c_str());
    return {};
}

Result<void> figure(const Context& context, const Arguments& arguments)
{
    auto session = openSession(context, arguments);
    if (!session.has_value())
        return session.error();
    if (arguments.list)
        return list(context, *session);
    if (arguments.remove)
        return session->removeFigure(arguments.name);
    return draw(context, arguments, *session);
}

} // namespace

void addFigureCommand(CLI::App& app, Context& context)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command =
        app.add_subcommand("figure", "draw a stored figure, or one of the paper's, from what a session holds");
    command->add_option("SESSION", arguments->session, "session file")->required();
    CLI::Option* name =
        command->add_option("NAME", arguments->name, "a stored figure or one of the paper's; --list tells which");
    CLI::Option* output = command
                              ->add_option("-o,--output", arguments->outputs,
                                           "file to write: .pdf .svg .png .csv .tex .md; may be repeated")
                              ->allow_extra_args(false);
    CLI::Option* all = command->add_flag("--list", arguments->list, "which figures there are");
    CLI::Option* file =
        command->add_option("--recipe", arguments->file, "draw this recipe (JSON) instead of a stored one")
            ->excludes(name);
    CLI::Option* save =
        command->add_option("--save", arguments->save, "store the recipe in the session under this name");
    CLI::Option* print = command->add_flag("--print-recipe", arguments->print, "write the recipe to standard output");
    CLI::Option* remove =
        command->add_flag("--remove", arguments->remove, "take the stored figure out of the session")->needs(name);
    command->add_option("--size", arguments->size, "column (85 mm), page (175 mm), slide (16:9) or poster")
        ->check(CLI::IsMember({"column", "page", "slide", "poster"}));
    command->add_option("--width", arguments->width, "millimetres");
    command->add_option("--height", arguments->height, "millimetres; 0: as high as it needs to be");
    command->add_option("--font-size", arguments->font, "points");
    command->add_option("--dpi", arguments->dpi, "dots per inch of .png");
    command->add_option("--background", arguments->background, "light, dark or transparent")
        ->check(CLI::IsMember({"light", "dark", "transparent"}));
    command->add_option("--model", arguments->chosen.models, "only these models, in one panel; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--state", arguments->chosen.states,
                     "only these states beside the baseline, as for --ablate; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--task", arguments->chosen.tasks,
                     "only these benchmarks, by the beginning of their names; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--lines", arguments->chosen.lines,
                     "at most so many lines a panel (4); the caption says what is left out")
        ->check(CLI::Range(1, 12));
    command->add_option("--title", arguments->title, "above the figure");
    command->add_option("--caption", arguments->caption, "below it");
    command->add_flag("--no-provenance", arguments->noProvenance,
                      "do not print what it was measured on; the file's metadata still says it");
    command->callback([&context, arguments, name, output, all, file, save, print, remove] {
        if (all->count() == 0 && name->count() + file->count() == 0)
            throw CLI::RequiredError("NAME, --recipe or --list");
        if (all->count() + output->count() + save->count() + print->count() + remove->count() == 0)
            throw CLI::RequiredError("--output");
        context.run = [&context, arguments] { return figure(context, *arguments); };
    });
}

} // namespace headscope::cli
