// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "core/base/writefile.h"
#include "core/engine/bench/bench.h"
#include "core/engine/bench/guard.h"
#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/textfile.h"

namespace headscope::cli {

namespace {

Result<void> runBench(const Context& context, engine::BenchOptions options)
{
    if (context.settings.device != "auto")
        options.device = context.settings.device;
    if (context.settings.dtype != "auto")
        options.dtype = context.settings.dtype;
    options.threads = context.settings.threads;
    options.memory = context.settings.memory;
    options.keptPacked = context.settings.keptPacked;
    const auto line = engine::bench(options, context.control());
    if (!line.has_value())
        return line.error();
    Context::print(*line);
    return {};
}

struct Against {
    std::string table;
    std::string models; ///< folder of models; empty: only the shipped ones
    int rounds = 5;
    bool keep = false;
};

// Where a row's model is: below --model, else a shipped one.
Result<std::filesystem::path> folderOf(const Context& context, const Against& against, const std::string& model)
{
    const std::filesystem::path own = std::filesystem::path(against.models) / model;
    std::error_code none;
    if (!against.models.empty() && std::filesystem::exists(own / "config.json", none))
        return own;
    const std::filesystem::path shipped = context.resources / "models" / model;
    if (std::filesystem::exists(shipped / "config.json", none))
        return shipped;
    return inputError("The model " + io::inQuotes(model)
                      + " was not found; --model names the folder that contains it.");
}

Error noEntry(const engine::GuardTable& table, const std::string& file, const engine::GuardOptions& options)
{
    std::string known;
    for (const engine::GuardEntry& entry : table.entries)
        known += (known.empty() ? "" : "; ") + entry.processor + ", threads " + std::to_string(entry.threads);
    return inputError("The table " + io::inQuotes(file) + " has no entry for " + options.processor + ", threads "
                      + std::to_string(options.threads) + (known.empty() ? "" : ", but for " + known)
                      + "; --keep adds one.");
}

// Against the product of the entry; what is kept is against the fastest that is here.
Result<const engine::Calibration::Product*> productFor(const engine::Calibration& calibration,
                                                       const engine::GuardEntry* entry, bool keep)
{
    if (!entry || keep)
        return &calibration.fastest();
    if (const auto* found = calibration.find(entry->product))
        return found;
    std::string here;
    for (const engine::Calibration::Product& product : calibration.products())
        here += (here.empty() ? "" : ", ") + product.name;
    return inputError("The entry was measured against " + entry->product + ", which was not found; available: " + here
                      + ".");
}

Result<void> runAgainst(const Context& context, const Against& against)
{
    auto table = engine::GuardTable::read(against.table);
    if (!table.has_value())
        return table.error();
    const auto about = io::readTextFile("/proc/cpuinfo", 10'000'000);
    const engine::GuardOptions options{
        .processor = engine::processorKind(about.has_value() ? *about : std::string()),
        .threads = context.settings.threads > 0 ? context.settings.threads : 1,
        .rounds = against.rounds,
        .folderOf = [&](const std::string& model) { return folderOf(context, against, model); },
        .notify = [&](const std::string& line) { context.note(line); }};
    const engine::GuardEntry* entry = table->find(options.processor, options.threads);
    if (!entry && !against.keep)
        return noEntry(*table, against.table, options);
    const engine::Calibration calibration;
    const auto product = productFor(calibration, entry, against.keep);
    if (!product.has_value())
        return product.error();
    context.note("Calibrated by " + (*product)->name + ".");
    const auto run = engine::runGuard(table->rows, calibration, **product, options, context.control());
    if (!run.has_value())
        return run.error();
    const bool comparable = entry && entry->product == (*product)->name;
    Context::print(engine::toJson(*run, calibration, options, comparable ? entry : nullptr));
    if (!against.keep)
        return {};
    table->put(engine::entryOf(*run, options));
    return writeFile(against.table, table->text());
}

} // namespace

void addBenchCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<engine::BenchOptions>();
    auto against = std::make_shared<Against>();
    CLI::App* command = app.add_subcommand("bench", "time a workload on a model, and print one line of JSON");
    CLI::Option* const workload =
        command->add_option("WORKLOAD", options->workload,
                            "kv-click, kv-sweep, mc-letter, mc-text, maps, prefill, decode, startup, control (first "
                            "estimate, and cancelling), race or estimate (compared with the exact sweep)");
    CLI::Option* const model = option(*command, "--model", options->model,
                                      "model folder in Hugging Face layout, with or without a tokenizer; with "
                                      "--against, the folder that contains the model folders");
    CLI::Option* const requests = option(*command, "--requests", options->requests);
    CLI::Option* const table =
        option(*command, "--against", against->table,
               "compare with this table of times relative to a matrix product, and report workloads that became slower")
            ->type_name("FILE")
            ->excludes(workload)
            ->excludes(requests);
    flag(*command, "--keep", against->keep)->needs(table);
    CLI::Option* const repeat =
        option(
            *command, "--repeat", options->repeat,
            "number of timed runs after one warm-up run; with --against, number of rounds over the table (default: 5)")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
    option(*command, "--head-count", options->heads)->check(CLI::Range(0, 1'000'000));
    option(*command, "--clicks", options->clicks)->check(CLI::Range(0, 1'000'000));
    option(*command, "--top", options->top)->check(CLI::Range(1, 1'000'000))->capture_default_str();
    option(*command, "--work", options->work)->check(CLI::Range(0.001, 1.0))->capture_default_str();
    option(*command, "--agreement", options->agreement)->check(CLI::Range(0.0, 1.0))->capture_default_str();
    option(*command, "--length", options->length, "maps: number of prompt tokens; 0: all")
        ->check(CLI::Range(0, 1'000'000));
    command->callback([&context, options, against, workload, model, requests, table, repeat] {
        if (!table->empty()) {
            against->models = options->model.string();
            against->rounds = repeat->empty() ? against->rounds : options->repeat;
            context.run = [&context, against] { return runAgainst(context, *against); };
            return;
        }
        if (workload->empty())
            throw CLI::RequiredError("WORKLOAD or --against");
        if (model->empty() || requests->empty())
            throw CLI::RequiredError(model->empty() ? "--model" : "--requests");
        context.run = [&context, options] { return runBench(context, *options); };
    });
}

} // namespace headscope::cli
