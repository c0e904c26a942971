// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli figure: draws what a session holds, without the models and without a display.
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/figures/documents/sessionfigure.h"
#include "app/figures/offscreen.h"
#include "app/figures/paperfigures.h"
#include "core/base/hash.h"
#include "core/io/textfiles/textfile.h"
#include "sessions/sessionstore.h"
#include "widgets/figures/figurerenderer.h"

#include <nlohmann/json.hpp>

#include <QFile>

#include <algorithm>
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
    std::vector<std::string> parts; ///< figures to draw as one
    std::string file;               ///< a recipe from outside of the session
    std::string save;               ///< name to store it under
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
            context.note(notice);
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
    json reply = {{"figures", json::array()}, {"presets", json::array()}};
    for (const sessions::FigureRecipe& figure : *stored)
        reply["figures"].push_back({{"name", figure.name}, {"created", figure.created}});
    for (const figures::PaperFigure& figure : *paper)
        reply["presets"].push_back(
            {{"name", figure.name},
             {"title", figure.title},
             {"missing", figure.recipe.has_value() ? json() : json(figure.recipe.error().message)}});
    if (context.json) {
        Context::print(reply);
        return {};
    }
    if (!stored->empty())
        printText("Stored in the session:\n");
    for (const sessions::FigureRecipe& figure : *stored)
        printText("  %-24s %s\n", figure.name.c_str(), figure.created.c_str());
    printText("The paper's figures, from what was measured:\n");
    for (const figures::PaperFigure& figure : *paper)
        printText("  %-24s %s\n", figure.name.c_str(),
                  figure.recipe.has_value() ? figure.title.c_str() : ("- " + figure.recipe.error().message).c_str());
    return {};
}

Result<Recipe> recipeOf(const Arguments& arguments, SessionStore& session)
{
    if (!arguments.parts.empty())
        return figures::findComposed(session, arguments.parts);
    if (arguments.file.empty())
        return figures::findRecipe(session, arguments.name);
    const auto text = io::readTextFile(arguments.file);
    return text.has_value() ? figures::parseRecipe(*text) : text.error();
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

/// Fails if the session has another recipe of this name.
Result<void> checkName(SessionStore& session, const std::string& name, const std::string& recipe)
{
    const auto stored = session.figures();
    if (!stored.has_value())
        return stored.error();
    for (const sessions::FigureRecipe& figure : *stored)
        if (figure.name == name && figure.recipeJson != recipe)
            return inputError("The session has another figure named '" + name
                              + "'; choose another name, or remove that one with --remove.");
    return {};
}

Result<void> draw(const Context& context, const Arguments& arguments, SessionStore& session)
{
    auto recipe = recipeOf(arguments, session);
    if (!recipe.has_value())
        return recipe.error();
    if (const auto styled = restyle(arguments, *recipe); !styled.has_value())
        return styled;
    if (!arguments.save.empty())
        if (const auto free = checkName(session, arguments.save, figures::recipeText(*recipe)); !free.has_value())
            return free;
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
        printText("%s\n", figures::recipeText(*recipe).c_str());
    else
        for (const auto& file : files)
            printText("%s\n", file["file"].get<std::string>().c_str());
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
    CLI::App* command = app.add_subcommand("figure", "draw a figure from a session, without a model");
    command->add_option("SESSION", arguments->session, "session file")->required();
    CLI::Option* name =
        command->add_option("NAME", arguments->name, "a stored figure, or one of the paper; --list prints all names");
    CLI::Option* output =
        option(*command, "--output", arguments->outputs, "output file: .pdf .svg .png .csv .tex .md; may be repeated");
    CLI::Option* all = flag(*command, "--list", arguments->list, "list all figures");
    CLI::Option* file = option(*command, "--recipe", arguments->file)->excludes(name);
    CLI::Option* parts = option(*command, "--panels", arguments->parts)->delimiter(',')->excludes(name)->excludes(file);
    CLI::Option* save = option(*command, "--save", arguments->save);
    CLI::Option* print = flag(*command, "--print-recipe", arguments->print);
    CLI::Option* remove = flag(*command, "--remove", arguments->remove)->needs(name);
    option(*command, "--size", arguments->size, "column (85 mm), page (175 mm), slide (16:9) or poster")
        ->check(oneOf({"column", "page", "slide", "poster"}));
    option(*command, "--width", arguments->width);
    option(*command, "--height", arguments->height);
    option(*command, "--font-size", arguments->font);
    option(*command, "--dpi", arguments->dpi);
    option(*command, "--background", arguments->background);
    option(*command, "--model", arguments->chosen.models, "these models only, in one panel; may be repeated");
    option(*command, "--state", arguments->chosen.states);
    option(*command, "--task", arguments->chosen.tasks, "only benchmarks whose names begin with this; may be repeated");
    option(*command, "--lines", arguments->chosen.lines)->check(CLI::Range(1, 12));
    option(*command, "--title", arguments->title);
    option(*command, "--caption", arguments->caption);
    flag(*command, "--no-provenance", arguments->noProvenance);
    command->callback([&context, arguments, name, output, all, file, parts, save, print, remove] {
        if (all->count() == 0 && name->count() + file->count() + parts->count() == 0)
            throw CLI::RequiredError("NAME, --panels, --recipe or --list");
        if (all->count() + output->count() + save->count() + print->count() + remove->count() == 0)
            throw CLI::RequiredError("--output");
        context.run = [&context, arguments] { return figure(context, *arguments); };
    });
}

} // namespace headscope::cli
