// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/figurerecipe.h"

#include "widgets/figures/figure.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace headscope::figures {

using nlohmann::json;

namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMostPanels = 64;
constexpr std::size_t kMostComposed = 4;
constexpr int kMostLines = 12;
constexpr std::size_t kMostBytes = 1'000'000;

constexpr std::pair<PanelKind, const char*> kKinds[] = {
    {PanelKind::Pattern, "pattern"}, {PanelKind::Row, "row"},
    {PanelKind::HeadMap, "headmap"}, {PanelKind::Ranking, "ranking"},
    {PanelKind::Scores, "scores"},   {PanelKind::Curve, "curve"},
    {PanelKind::Layers, "layers"},   {PanelKind::Experiment, "experiment"},
    {PanelKind::Dots, "dots"},       {PanelKind::Analysis, "analysis"}};

struct BadRecipe : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One direction of writing: fields at their default are left out.
struct Writer {
    json object = json::object();
    template <typename T> void operator()(const char* key, const T& value, const T& otherwise)
    {
        if (value != otherwise)
            object[key] = value;
    }
};

/// The other: every key must be asked for, and hold what is expected.
class Reader
{
public:
    Reader(const json& object, std::string where) : m_object(object), m_where(std::move(where))
    {
        if (!object.is_object())
            throw BadRecipe(m_where + " is not a JSON object");
    }
    void operator()(const char* key, std::string& value, const std::string&)
    {
        if (const json* found = find(
                key, [](const json& j) { return j.is_string(); }, "text"))
            value = found->get<std::string>();
    }
    void operator()(const char* key, bool& value, bool)
    {
        if (const json* found = find(
                key, [](const json& j) { return j.is_boolean(); }, "true or false"))
            value = found->get<bool>();
    }
    void operator()(const char* key, double& value, double)
    {
        if (const json* found = find(
                key, [](const json& j) { return j.is_number(); }, "a number"))
            value = found->get<double>();
    }
    void operator()(const char* key, int& value, int)
    {
        const json* found = find(
            key, [](const json& j) { return j.is_number_integer(); }, "a whole number");
        if (!found)
            return;
        const auto number = found->get<std::int64_t>();
        if (number < -1 || number > 1'000'000)
            throw BadRecipe(m_where + ": '" + key + "' is " + std::to_string(number) + ", expected -1 to 1000000");
        value = static_cast<int>(number);
    }
    void operator()(const char* key, std::vector<std::string>& value, const std::vector<std::string>&)
    {
        const json* found = find(
            key, [](const json& j) { return j.is_array(); }, "a list of strings");
        for (const json& item : found ? *found : json::array()) {
            if (!item.is_string())
                throw BadRecipe(m_where + ": '" + key + "' should be a list of strings");
            value.push_back(item.get<std::string>());
        }
    }
    [[nodiscard]] const json* child(const char* key)
    {
        m_known.insert(key);
        const auto found = m_object.find(key);
        return found == m_object.end() ? nullptr : &*found;
    }
    void finish() const
    {
        for (const auto& [key, value] : m_object.items())
            if (!m_known.contains(key))
                throw BadRecipe(m_where + " has the field '" + key.substr(0, 40) + "', which recipes do not have");
    }

private:
    template <typename Check> const json* find(const char* key, Check fits, const char* expected)
    {
        const json* found = child(key);
        if (found && !fits(*found))
            throw BadRecipe(m_where + ": '" + key + "' should be " + expected);
        return found;
    }
    const json& m_object;
    std::string m_where;
    std::set<std::string> m_known;
};

// Each list of fields serves both directions.
template <typename Fields, typename Ref> void refFields(Fields&& field, Ref& ref)
{
    static const PatternRef plain;
    field("model", ref.model, plain.model);
    field("head", ref.head, plain.head);
    field("ablation", ref.ablation, plain.ablation);
    field("prompt", ref.prompt, plain.prompt);
    field("convention", ref.convention, plain.convention);
    field("dtype", ref.dtype, plain.dtype);
}

template <typename Fields, typename Panel> void panelFields(Fields&& field, Panel& panel)
{
    static const PanelRecipe plain;
    field("heading", panel.heading, plain.heading);
    field("part", panel.part, plain.part);
    field("view", panel.view, plain.view);
    field("row", panel.row, plain.row);
    field("side", panel.side, plain.side);
    field("scale", panel.scale, plain.scale);
    field("without_sink", panel.withoutSink, plain.withoutSink);
    field("shares", panel.shares, plain.shares);
    field("colours", panel.colours, plain.colours);
    field("label_every", panel.labelEvery, plain.labelEvery);
    field("brackets", panel.brackets, plain.brackets);
    field("colour_bar", panel.colourBar, plain.colourBar);
    field("models", panel.models, plain.models);
    field("tasks", panel.tasks, plain.tasks);
    field("ablations", panel.ablations, plain.ablations);
    field("method", panel.method, plain.method);
    field("off", panel.off, plain.off);
    field("top", panel.top, plain.top);
    field("lines", panel.lines, plain.lines);
    field("experiment", panel.experiment, plain.experiment);
    field("plot", panel.plot, plain.plot);
    field("analysis", panel.analysis, plain.analysis);
    field("question", panel.question, plain.question);
    field("x", panel.x, plain.x);
    field("y", panel.y, plain.y);
    field("log_x", panel.logX, plain.logX);
    field("log_y", panel.logY, plain.logY);
}

template <typename Fields, typename Style> void styleFields(Fields&& field, Style& style)
{
    static const StyleRecipe plain;
    field("width_mm", style.widthMm, plain.widthMm);
    field("height_mm", style.heightMm, plain.heightMm);
    field("font_pt", style.fontPt, plain.fontPt);
    field("font", style.font, plain.font);
    field("background", style.background, plain.background);
    field("print_provenance", style.printProvenance, plain.printProvenance);
    field("dpi", style.dpi, plain.dpi);
}

template <typename Fields, typename R> void recipeFields(Fields&& field, R& recipe)
{
    static const Recipe plain;
    field("title", recipe.title, plain.title);
    field("caption", recipe.caption, plain.caption);
    field("columns", recipe.columns, plain.columns);
    field("together", recipe.together, plain.together);
    field("letters", recipe.letters, plain.letters);
    field("parts", recipe.parts, plain.parts);
}

json refJson(const PatternRef& ref)
{
    Writer writer;
    refFields(writer, ref);
    return writer.object;
}

PatternRef refOf(const json& object, const std::string& where)
{
    PatternRef ref;
    Reader reader(object, where);
    refFields(reader, ref);
    reader.finish();
    return ref;
}

void oneOf(const std::string& value, std::initializer_list<const char*> allowed, const std::string& where)
{
    std::string list;
    for (const char* word : allowed) {
        if (value == word)
            return;
        list += (list.empty() ? "" : ", ") + std::string(*word ? word : "nothing");
    }
    throw BadRecipe(where + " is '" + value.substr(0, 40) + "', expected one of " + list);
}

PanelRecipe panelOf(const json& object, const std::string& where)
{
    PanelRecipe panel;
    Reader reader(object, where);
    const json* kind = reader.child("kind");
    bool known = false;
    for (const auto& [value, name] : kKinds)
        if (kind && kind->is_string() && *kind == name) {
            panel.kind = value;
            known = true;
        }
    if (!known)
        throw BadRecipe(where
                        + " has no 'kind' of pattern, row, headmap, ranking, scores, curve, layers, experiment, dots, "
                          "analysis");
    panelFields(reader, panel);
    if (const json* pattern = reader.child("pattern"))
        panel.pattern = refOf(*pattern, where + ", pattern");
    if (const json* minus = reader.child("minus"))
        panel.minus = refOf(*minus, where + ", minus");
    reader.finish();
    oneOf(panel.scale, {"raw", "row", "minmax", "log", "signed"}, where + ": 'scale'");
    oneOf(panel.colours, {"viridis", "cividis", "blue-red"}, where + ": 'colours'");
    oneOf(panel.side, {"A", "B"}, where + ": 'side'");
    if (panel.lines < 1 || panel.lines > kMostLines)
        throw BadRecipe(where + ": 'lines' is " + std::to_string(panel.lines) + ", expected 1 to "
                        + std::to_string(kMostLines));
    oneOf(panel.analysis,
          {"", "lens", "attribution", "patching", "edges", "knockout", "compare", "series", "row of heads"},
          where + ": 'analysis'");
    oneOf(panel.view, {"", "table", "bars", "grid", "skip", "upto", "ov", "qk", "pattern", "effect"},
          where + ": 'view'");
    return panel;
}

void checkPartCount(std::size_t parts)
{
    if (parts < 2 || parts > kMostComposed)
        throw BadRecipe("A composed figure has 2 to " + std::to_string(kMostComposed) + " parts, got "
                        + std::to_string(parts));
}

// Each part has a panel, and panels are in the order of parts.
void checkParts(const Recipe& recipe)
{
    if (!recipe.parts.empty())
        checkPartCount(recipe.parts.size());
    const int parts = static_cast<int>(recipe.parts.size());
    int last = 0;
    for (const PanelRecipe& panel : recipe.panels) {
        const bool follows = panel.part == last ? parts == 0 || last > 0 : panel.part == last + 1 && last < parts;
        if (!follows)
            throw BadRecipe("A panel of the recipe is in part " + std::to_string(panel.part)
                            + ", which does not follow part " + std::to_string(last) + " of " + std::to_string(parts));
        last = panel.part;
    }
    if (last != parts)
        throw BadRecipe("Part " + std::to_string(last + 1) + " of the composed figure has no panel");
}

Recipe recipeOf(const json& object)
{
    Recipe recipe;
    Reader reader(object, "The recipe");
    int version = 0;
    reader("version", version, 0);
    if (version != kVersion)
        throw BadRecipe("The recipe has version " + std::to_string(version) + ", expected " + std::to_string(kVersion));
    recipeFields(reader, recipe);
    if (const json* style = reader.child("style")) {
        Reader styles(*style, "The recipe's style");
        styleFields(styles, recipe.style);
        styles.finish();
        oneOf(recipe.style.background, {"light", "dark", "transparent"}, "The recipe's style: 'background'");
    }
    const json* panels = reader.child("panels");
    if (!panels || !panels->is_array() || panels->empty() || panels->size() > kMostPanels)
        throw BadRecipe("The recipe should have a list of 1 to " + std::to_string(kMostPanels) + " panels");
    for (std::size_t i = 0; i < panels->size(); ++i)
        recipe.panels.push_back(panelOf((*panels)[i], "Panel " + std::to_string(i + 1) + " of the recipe"));
    reader.finish();
    checkParts(recipe);
    for (const auto& [name, count, least] :
         {std::tuple("columns", recipe.columns, 0), std::tuple("panels together", recipe.together, 1)})
        if (count < least || count > 12)
            throw BadRecipe("The recipe has " + std::to_string(count) + " " + name + ", expected "
                            + std::to_string(least) + " to 12");
    return recipe;
}

} // namespace

bool showsScores(const PanelRecipe& panel)
{
    return panel.kind == PanelKind::Curve || panel.kind == PanelKind::Layers || panel.kind == PanelKind::Scores;
}

Result<Recipe> compose(const std::vector<Recipe>& figures)
{
    Recipe composed{.columns = 0, .letters = true};
    try {
        checkPartCount(figures.size());
    } catch (const BadRecipe& bad) {
        return inputError(std::string(bad.what()) + ".");
    }
    for (Recipe figure : figures) {
        if (figure.title.empty() && figure.panels.size() == 1)
            figure.title = std::exchange(figure.panels.front().heading, {});
        if (!figure.caption.empty())
            composed.caption += (composed.caption.empty() ? "" : " ")
                                + std::string(1, static_cast<char>('a' + composed.parts.size())) + ": "
                                + figure.caption;
        composed.parts.push_back(figure.title);
        for (PanelRecipe& panel : figure.panels) {
            panel.part = static_cast<int>(composed.parts.size());
            composed.panels.push_back(std::move(panel));
        }
    }
    return parseRecipe(recipeText(composed)); // what it refuses cannot be stored either
}

std::vector<Recipe> separated(const Recipe& composed)
{
    std::vector<Recipe> parts;
    for (const std::string& title : composed.parts)
        parts.push_back({.title = title});
    for (PanelRecipe panel : composed.panels)
        if (const auto part = static_cast<std::size_t>(std::exchange(panel.part, 0)); part > 0)
            parts.at(part - 1).panels.push_back(std::move(panel));
    return parts;
}

void choose(Recipe& recipe, const Choice& choice)
{
    std::vector<PanelRecipe> panels;
    for (PanelRecipe panel : recipe.panels) {
        const bool ofScores = showsScores(panel);
        if (ofScores && !choice.models.empty()) {
            panel.models = choice.models;
            panel.heading.clear();
        }
        if (ofScores && !choice.tasks.empty())
            panel.tasks = choice.tasks;
        if (ofScores && !choice.states.empty())
            panel.ablations = choice.states;
        panel.lines = choice.lines.value_or(panel.lines);
        if (!ofScores || choice.models.empty() || std::find(panels.begin(), panels.end(), panel) == panels.end())
            panels.push_back(std::move(panel));
    }
    recipe.panels = std::move(panels);
    recipe.columns = std::min(recipe.columns, static_cast<int>(recipe.panels.size()));
    recipe.letters = recipe.letters && recipe.panels.size() > 1;
}

std::string recipeText(const Recipe& recipe)
{
    Writer writer;
    writer("version", kVersion, 0);
    recipeFields(writer, recipe);
    Writer style;
    styleFields(style, recipe.style);
    if (!style.object.empty())
        writer.object["style"] = style.object;
    writer.object["panels"] = json::array();
    for (const PanelRecipe& panel : recipe.panels) {
        Writer fields;
        for (const auto& [value, name] : kKinds)
            if (value == panel.kind)
                fields.object["kind"] = name;
        panelFields(fields, panel);
        if (!(panel.pattern == PatternRef()))
            fields.object["pattern"] = refJson(panel.pattern);
        if (panel.minus)
            fields.object["minus"] = refJson(*panel.minus);
        writer.object["panels"].push_back(fields.object);
    }
    return writer.object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Recipe> parseRecipe(const std::string& text)
{
    if (text.size() > kMostBytes)
        return inputError("The recipe has " + std::to_string(text.size()) + " bytes, expected at most "
                          + std::to_string(kMostBytes) + ".");
    // Deeper than any recipe; the parser would otherwise follow a hostile text as deep as it goes.
    const auto shallow = [](int depth, json::parse_event_t, json&) {
        if (depth > 8)
            throw BadRecipe("The recipe is nested too deeply");
        return true;
    };
    try {
        const json object = json::parse(text, shallow, false);
        if (object.is_discarded())
            return inputError("The recipe is not valid JSON.");
        return recipeOf(object);
    } catch (const BadRecipe& bad) {
        return inputError(std::string(bad.what()) + ".");
    } catch (const json::exception&) {
        return inputError("The recipe is not valid JSON.");
    }
}

Result<StyleRecipe> styleRecipe(const std::string& preset)
{
    const auto style = widgets::stylePreset(QString::fromStdString(preset));
    if (!style)
        return inputError("There is no figure size '" + preset + "': expected column, page, slide or poster.");
    return StyleRecipe{.widthMm = style->widthMm,
                       .heightMm = style->heightMm,
                       .fontPt = style->fontPt,
                       .font = {},
                       .background = "light",
                       .printProvenance = style->printProvenance,
                       .dpi = style->dpi};
}

} // namespace headscope::figures
