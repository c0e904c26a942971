// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/cli/runs/experimentrun.h"
#include "app/cli/runs/promptrun.h"
#include "app/cli/runs/rankrun.h"
#include "app/cli/runs/scorerun.h"
#include "core/experiments/experimentheads.h"
#include "core/io/textfiles/textfile.h"
#include "core/lm/device/device.h"
#include "core/lm/weights/packedweight.h"
#include "core/train/models/distill.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <memory>

namespace headscope::cli {

using interventions::HeadRef;

namespace {

constexpr std::uint64_t kLargestCorpus = 1'000'000'000; // bytes

struct DistillArguments {
    std::string teacher;
    std::string keep;
    std::string folder;
    std::string task; ///< that heads are ranked on
    std::string text;
    std::string start;
    TaskArguments tasks;
    int state = 16;
    int convolution = 4;
    train::DistillOptions options;
};

/// "exact:3" taken apart; count -1: a plain list of heads.
struct Keep {
    std::string ranking;
    int count = -1;
};

Keep parseKeep(const std::string& text)
{
    const std::size_t colon = text.rfind(':');
    Keep keep{text};
    if (colon == std::string::npos)
        return keep;
    const auto [end, problem] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), keep.count);
    if (problem == std::errc() && end == text.data() + text.size())
        keep.ranking = text.substr(0, colon);
    else
        keep.count = -1;
    return keep;
}

/// A ranking as `rank --json` prints it.
Result<std::vector<HeadRef>> readRanking(const std::string& file)
{
    const auto text = io::readTextFile(file);
    const auto json = text.has_value() ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    const auto wrong = [&] {
        return inputError(
            "The ranking '" + file.substr(0, 80)
            + "' does not exist or is not the output of `rank --json`; expected exact, gather, aggregate, "
              "random or such a file.");
    };
    if (!json.is_object() || !json.contains("heads") || !json["heads"].is_array())
        return wrong();
    std::vector<HeadRef> heads;
    for (const auto& one : json["heads"]) {
        const auto name = one.is_object() ? one.value("head", nlohmann::json()) : nlohmann::json();
        if (!name.is_string())
            return wrong();
        const auto head = interventions::parseHead(name.get<std::string>());
        if (!head.has_value())
            return head.error();
        heads.push_back(*head);
    }
    return heads;
}

Result<std::vector<HeadRef>> ranked(const Context& context, const DistillArguments& arguments, OpenModel& open,
                                    const std::string& method)
{
    if (method == "random")
        return experiments::randomHeads(engine::allHeads(open.spec()),
                                        static_cast<int>(engine::allHeads(open.spec()).size()), context.settings.seed);
    if (method != "exact" && method != "gather" && method != "aggregate")
        return readRanking(method);
    const auto suite = experiments::suiteOf(*open.tokenizer);
    const auto benchmark =
        makeBenchmark(context, open, arguments.task.empty() ? suite.kv(suite.pairs()) : arguments.task,
                      arguments.tasks.options(context));
    if (!benchmark.has_value())
        return benchmark.error();
    std::vector<engine::RankedHead> order;
    if (method == "exact") {
        const auto ranking = rankByRemoval(context, open, **benchmark, {}, engine::allHeads(open.spec()));
        if (!ranking.has_value())
            return ranking.error();
        order = ranking->heads;
    } else {
        const auto kind = method == "gather" ? engine::PatternScore::Gather : engine::PatternScore::Aggregate;
        const auto ranking = engine::rankByPattern(
            *open.loaded.model, {(*benchmark)->set(), *open.tokenizer, open.subject.bos}, kind, {}, context.control());
        if (!ranking.has_value())
            return ranking.error();
        order = *ranking;
    }
    return experiments::firstOf(order, order.size());
}

Result<std::vector<HeadRef>> keptHeads(const Context& context, const DistillArguments& arguments, OpenModel& open)
{
    const Keep keep = parseKeep(arguments.keep);
    if (keep.count < 0) {
        const auto set = interventions::InterventionSet::parse("keep:" + arguments.keep);
        if (!set.has_value())
            return set.error();
        std::vector<HeadRef> heads;
        for (const auto& item : set->items())
            if (const auto* layer = std::get_if<interventions::KeepHeads>(&item))
                for (const int head : layer->heads)
                    heads.push_back({layer->layer, layer->site, head});
        return heads;
    }
    if (keep.count == 0)
        return std::vector<HeadRef>();
    auto heads = ranked(context, arguments, open, keep.ranking);
    if (heads.has_value() && static_cast<int>(heads->size()) < keep.count)
        return inputError("The ranking has " + std::to_string(heads->size()) + " heads; expected at least "
                          + std::to_string(keep.count) + " to keep.");
    if (heads.has_value())
        heads->resize(static_cast<std::size_t>(keep.count));
    return heads;
}

Result<std::vector<int>> readText(const std::string& file, const text::Tokenizer& tokenizer)
{
    if (file.empty())
        return std::vector<int>();
    const auto text = io::readTextFile(file, kLargestCorpus);
    if (!text.has_value())
        return text.error();
    const auto encoded = tokenizer.encode(*text, false);
    if (!encoded.has_value())
        return encoded.error();
    if (encoded->ids.size() < 2)
        return inputError("The text '" + file + "' has " + std::to_string(encoded->ids.size())
                          + " tokens; expected at least 2.");
    return encoded->ids;
}

Result<void> runDistill(const Context& context, DistillArguments arguments)
{
    if (lm::weightForm(context.settings.dtype) != lm::WeightForm::Full)
        return inputError("A model is distilled from all bits of its weights; leave --weights out.");
    auto opened = openModel(context, {.model = arguments.teacher}, context.session);
    if (!opened.has_value())
        return opened.error();
    OpenModel& open = *opened;
    if (!open.loaded.adapter.empty())
        return inputError(
            "A student takes the weights of its teacher's folder, which an adapter does not change; merge "
            "the adapter into the weights first.");
    const auto kept = keptHeads(context, arguments, open);
    if (!kept.has_value())
        return kept.error();
    const auto shape = studentShape(open.spec(), *kept, arguments.state, arguments.convolution);
    if (!shape.has_value())
        return shape.error();
    auto text = readText(arguments.text, *open.tokenizer);
    if (!text.has_value())
        return text.error();
    const auto device = lm::parseDevice(context.settings.device);
    if (!device.has_value())
        return device.error();
    arguments.options.text = std::move(*text);
    arguments.options.device = *device;
    arguments.options.seed = context.settings.seed;
    if (!arguments.start.empty())
        arguments.options.start = arguments.start;
    const auto report = train::distill(open.folder, *shape, arguments.options, arguments.folder, context.control(),
                                       [&](const std::string& line) { context.note(line); });
    if (!report.has_value())
        return report.error();
    nlohmann::json stages = nlohmann::json::array(), names = nlohmann::json::array();
    for (const auto& stage : report->stages)
        stages.push_back(
            {{"name", stage.name}, {"steps", stage.steps}, {"first_loss", stage.first}, {"last_loss", stage.last}});
    for (const HeadRef& head : *kept)
        names.push_back(interventions::toText(head));
    if (context.json)
        Context::print({{"teacher", open.name},
                        {"kept", names},
                        {"state", arguments.state},
                        {"stages", stages},
                        {"seconds", report->seconds},
                        {"folder", arguments.folder}});
    else
        printText("%s: attention kept in %s; %.1f s\n", arguments.folder.c_str(),
                  experiments::namesOf(open.spec(), *kept).c_str(), report->seconds);
    return {};
}

} // namespace

void addDistillCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<DistillArguments>();
    CLI::App* command = app.add_subcommand(
        "distill", "distill a Transformer: keep some attention heads and replace the others by aligned SSM heads");
    command->add_option("TEACHER", arguments->teacher, "model folder, included model or org/name")->required();
    option(*command, "--keep-heads", arguments->keep)->required();
    option(*command, "--output", arguments->folder, "folder for the student, in Hugging Face layout")->required();
    option(*command, "--task", arguments->task, "task on which heads are ranked (default: KV retrieval)");
    arguments->tasks.addTo(*command, context);
    option(*command, "--file", arguments->text, "text file to distill on (default: a mix of the toy tasks)");
    option(*command, "--length", arguments->options.length, "number of tokens per text")
        ->check(CLI::Range(2, 1 << 20))
        ->capture_default_str();
    option(*command, "--batch", arguments->options.texts)->check(kPositive)->capture_default_str();
    option(*command, "--start", arguments->start);
    option(*command, "--state-size", arguments->state)->check(CLI::Range(1, 4096))->capture_default_str();
    option(*command, "--conv", arguments->convolution)->check(CLI::Range(1, 64))->capture_default_str();
    option(*command, "--orientation-steps", arguments->options.orientation.steps)
        ->check(kNotNegative)
        ->capture_default_str();
    option(*command, "--hidden-steps", arguments->options.hidden.steps)->check(kNotNegative)->capture_default_str();
    option(*command, "--logits-steps", arguments->options.logits.steps)->check(kNotNegative)->capture_default_str();
    option(*command, "--orientation-rate", arguments->options.orientation.rate)
        ->check(kPositive)
        ->capture_default_str();
    option(*command, "--hidden-rate", arguments->options.hidden.rate)->check(kPositive)->capture_default_str();
    option(*command, "--logits-rate", arguments->options.logits.rate)->check(kPositive)->capture_default_str();
    flag(*command, "--train-all", arguments->options.trainAll);
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return runDistill(context, *arguments); }; });
}

} // namespace headscope::cli
