// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/files/patternfiles.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/cli/runs/promptrun.h"
#include "app/cli/runs/savedpattern.h"
#include "app/notebook/analysisquestion.h"
#include "core/analysis/patternscores.h"
#include "core/base/foldernames.h"
#include "core/base/words/counted.h"
#include "core/engine/pattern/patterns.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace headscope::cli {

using interventions::InterventionSet;
using nlohmann::json;

namespace {

constexpr int kTop = 8; // entries of a row that are told

struct PatternArguments {
    ModelArguments model;
    TaskArguments task;
    bool hasText = false; ///< an empty text is a text too
    std::string text;
    std::string taskName;
    int sample = 0;
    std::vector<std::string> heads;
    std::optional<int> row;
    bool withoutD = false;
    std::string scale = "raw";
    std::vector<std::string> outputs;
};

/// The pattern of one head and how its file is called.
struct Drawn {
    engine::HeadPattern pattern;
    std::string name;
    lm::MixerKind kind = lm::MixerKind::Attention;
    int row = 0; ///< the query position that numbers are told of
    [[nodiscard]] std::span<const float> values() const
    {
        return pattern.matrix.row(pattern.matrix.rows == 1 ? 0 : row);
    }
};

Result<EncodedPrompt> promptOf(const Context& context, const PatternArguments& arguments, const OpenModel& open)
{
    if (arguments.hasText)
        return promptOfText(open, arguments.text);
    const auto set = tasks::makeTask(arguments.taskName, arguments.task.options(context), *open.tokenizer);
    if (!set.has_value())
        return set.error();
    return promptOfExample(open, *set, arguments.sample);
}

/// "L*H3" layer by layer; anything else as it is.
std::vector<std::string> ofEveryLayer(const std::string& heads, const lm::ModelSpec& spec)
{
    if (!heads.starts_with("L*"))
        return {heads};
    std::vector<std::string> all;
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer)
        all.push_back("L" + std::to_string(layer) + heads.substr(2));
    return all;
}

Result<std::vector<Drawn>> draw(const Context& context, const PatternArguments& arguments, OpenModel& open,
                                const EncodedPrompt& prompt, const InterventionSet& set)
{
    std::vector<interventions::HeadRef> heads;
    for (const std::string& text : arguments.heads)
        for (const std::string& one : ofEveryLayer(text, open.spec())) {
            const auto parsed = interventions::parseHeads(one);
            if (!parsed.has_value())
                return parsed.error();
            heads.insert(heads.end(), parsed->begin(), parsed->end());
        }
    const engine::PatternOptions options{set, {.withD = !arguments.withoutD}, arguments.row};
    auto patterns = engine::patterns(*open.loaded.model, prompt.ids, heads, options, open.donors, context.control());
    if (!patterns.has_value())
        return patterns.error();
    std::vector<Drawn> drawn;
    for (engine::HeadPattern& pattern : *patterns) {
        const auto mixer = lm::findMixer(open.spec(), pattern.head);
        Drawn one{.name = headName(open.spec(), pattern.head),
                  .kind = (*mixer)->kind,
                  .row = arguments.row.value_or(static_cast<int>(prompt.ids.size()) - 1)};
        one.pattern = std::move(pattern);
        drawn.push_back(std::move(one));
    }
    return drawn;
}

std::string pathFor(const std::string& output, const std::string& head, bool several)
{
    const std::filesystem::path path(output);
    return several && path.extension() != ".npz"
               ? (path.parent_path() / (path.stem().string() + "." + head + path.extension().string())).string()
               : output;
}

Result<std::vector<std::string>> writePattern(const PatternArguments& arguments, const OpenModel& open,
                                              const EncodedPrompt& prompt, const InterventionSet& set,
                                              const std::vector<Drawn>& drawn)
{
    std::vector<figures::PatternPicture> pictures;
    std::vector<std::string> paths;
    for (const std::string& output : arguments.outputs)
        for (const Drawn& one : drawn) {
            figures::PatternPicture picture{.path = pathFor(output, one.name, drawn.size() > 1),
                                            .matrix = one.pattern.matrix};
            picture.row = arguments.row.value_or(-1);
            picture.tokens = prompt.tokens;
            picture.spellings = prompt.spellings;
            picture.ids = prompt.ids;
            picture.segments = prompt.segments;
            picture.head = one.name;
            const analysis::MatrixConvention convention = conventionOf(one.kind, !arguments.withoutD);
            picture.meaning = analysis::describe(convention);
            picture.isSigned = !analysis::rowsSumToOne(convention);
            picture.scale = arguments.scale;
            picture.provenance =
                open.provenance() + ", " + prompt.source + ", "
                + (set.empty() ? "nothing ablated" : "ablated: " + ablationWithoutFolders(set.canonical()));
            const std::string path = std::filesystem::absolute(picture.path).lexically_normal().string();
            if (paths.empty() || paths.back() != path) // all heads in one
                paths.push_back(path);
            pictures.push_back(std::move(picture));
        }
    if (const auto written = writePatternFiles(pictures); !written.has_value())
        return written.error();
    return paths;
}

Result<void> keepPattern(const PatternArguments& arguments, OpenModel& open, const EncodedPrompt& prompt,
                         const InterventionSet& set, const std::vector<Drawn>& drawn)
{
    if (!open.session || arguments.row)
        return {};
    if (const auto stored = open.remember(set); !stored.has_value())
        return stored;
    for (const Drawn& one : drawn)
        if (const auto kept =
                rememberPattern(open, prompt, set, one.pattern, conventionOf(one.kind, !arguments.withoutD));
            !kept.has_value())
            return kept;
    return {};
}

json describePattern(const Drawn& one, const EncodedPrompt& prompt)
{
    const analysis::RowScores scores = analysis::rowScores(one.values(), one.row);
    json top = json::array();
    for (const analysis::TopEntry& entry : analysis::topEntries(one.values(), kTop))
        top.push_back({{"token", prompt.tokens[static_cast<std::size_t>(entry.token)]},
                       {"index", entry.token},
                       {"share", entry.share},
                       {"value", entry.value}});
    return {{"head", one.name},
            {"kind", lm::name(one.kind)},
            {"row", one.row},
            {"entropy", scores.entropy},
            {"effective_tokens", scores.effectiveTokens},
            {"sink_mass", scores.sinkMass},
            {"top", top}};
}

void printPattern(const json& reply, const EncodedPrompt& prompt)
{
    for (const auto& head : reply["heads"]) {
        const int row = head["row"].get<int>();
        printText("%s (%s), row %d of %s: what '%s' reads\n", head["head"].get<std::string>().c_str(),
                  head["kind"].get<std::string>().c_str(), row, counted(prompt.tokens.size(), "token").c_str(),
                  prompt.tokens[static_cast<std::size_t>(row)].c_str());
        printText("entropy %.3f nats, %.1f effective tokens, %.4f on the first token\n\n",
                  head["entropy"].get<double>(), head["effective_tokens"].get<double>(),
                  head["sink_mass"].get<double>());
        std::vector<std::vector<std::string>> rows = {{"token", "index", "share", "value"}};
        for (const auto& entry : head["top"]) {
            const std::string token = json(entry["token"]).dump(-1, ' ', false, json::error_handler_t::replace);
            rows.push_back({token, std::to_string(entry["index"].get<int>()), number(entry["share"].get<double>()),
                            signedNumber(entry["value"].get<double>())});
        }
        printText("%s\n", textTable(rows).c_str());
    }
    for (const auto& file : reply["files"])
        printText("%s\n", file.get<std::string>().c_str());
}

Result<void> pattern(const Context& context, PatternArguments arguments)
{
    const auto set = InterventionSet::parse(arguments.model.ablate);
    if (!set.has_value())
        return set.error();
    for (const std::string& output : arguments.outputs)
        if (const auto known = checkPatternPath(output); !known.has_value())
            return known;
    arguments.model.layerLimit = set->layersNeeded();
    auto opened = openModel(context, arguments.model, context.session);
    if (!opened.has_value())
        return opened.error();
    OpenModel& open = *opened;
    const auto prompt = promptOf(context, arguments, open);
    if (!prompt.has_value())
        return prompt.error();
    const auto drawn = draw(context, arguments, open, *prompt, *set);
    if (!drawn.has_value())
        return drawn.error();
    const auto files = writePattern(arguments, open, *prompt, *set, *drawn);
    if (!files.has_value())
        return files.error();
    if (const auto stored = keepPattern(arguments, open, *prompt, *set, *drawn); !stored.has_value())
        return stored;

    json heads = json::array();
    for (const Drawn& one : *drawn)
        heads.push_back(describePattern(one, *prompt));
    json reply = {{"model", open.name},       {"tokens", prompt->tokens},     {"ids", prompt->ids},
                  {"source", prompt->source}, {"ablation", set->canonical()}, {"heads", heads},
                  {"files", *files}};
    for (const char* key : {"entropy", "effective_tokens", "sink_mass", "top"})
        reply[key] = heads.front()[key];
    if (context.json)
        Context::print(reply);
    else
        printPattern(reply, *prompt);
    return {};
}

} // namespace

void addPatternCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<PatternArguments>();
    CLI::App* command =
        app.add_subcommand("pattern", "show what a head reads in a prompt: metrics, heat map, raw matrix");
    arguments->model.addTo(*command, context);
    CLI::Option* text = option(*command, "--text", arguments->text);
    CLI::Option* task =
        option(*command, "--task", arguments->taskName, "take the prompt from this task")->excludes(text);
    option(*command, "--sample", arguments->sample)->needs(task)->check(kNotNegative);
    arguments->task.addTo(*command, context);
    option(*command, "--head", arguments->heads)->required();
    option(*command, "--row", arguments->row)->check(kNotNegative);
    flag(*command, "--no-d", arguments->withoutD);
    option(*command, "--scale", arguments->scale)->capture_default_str();
    option(*command, "--output", arguments->outputs,
           "output file: .png .svg .pdf .csv .safetensors .npy, or .npz for all heads in one file; may be repeated");
    command->callback([&context, arguments, text, task] {
        if (text->count() + task->count() == 0)
            throw CLI::RequiredError("--text or --task");
        arguments->hasText = text->count() > 0;
        context.run = [&context, arguments] { return pattern(context, *arguments); };
    });
}

} // namespace headscope::cli
