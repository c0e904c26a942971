// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bench/guard.h"

#include "core/engine/bench/bench.h"
#include "core/engine/bench/drawnrequest.h"
#include "core/lm/load.h"

#include <nlohmann/json.hpp>

#include <numeric>

namespace headscope::engine {

using nlohmann::json;

namespace {

/// One row with the request that was drawn for it, and what its rounds gave.
struct Timed {
    GuardFigure figure;
    std::filesystem::path folder;
    BenchRequest request;
    std::vector<double> ratios, seconds;
};

Result<Timed> made(const GuardRow& row, const GuardOptions& options)
{
    Timed timed{.figure = {.row = row}};
    const auto folder = options.folderOf(row.model);
    if (!folder.has_value()) {
        timed.figure.leftOut = folder.error().message;
        return timed;
    }
    timed.folder = *folder;
    const auto model = lm::inspect(*folder, {.device = "cpu", .dtype = "fp32"});
    if (!model.has_value())
        return model.error();
    auto request = drawnRequest(row.workload, model->model->spec(), row.items);
    if (!request.has_value())
        return request.error();
    request->model = row.model;
    timed.request = std::move(*request);
    return timed;
}

Result<void> round(Timed& timed, const Calibration::Product& product, std::vector<double>& productSeconds,
                   const GuardOptions& options, const Control& control)
{
    std::vector<double> cuts, products;
    BenchOptions bench{.workload = timed.figure.row.workload, .model = timed.folder, .threads = options.threads};
    bench.aboutToRun = [&] { products.push_back(Calibration::seconds(product)); };
    bench.ran = [&](double seconds) { cuts.push_back(seconds); };
    if (const auto line = headscope::engine::bench(bench, timed.request, control); !line.has_value())
        return line.error();
    products.push_back(Calibration::seconds(product));
    timed.ratios.push_back(ratioOf(cuts, products));
    timed.seconds.push_back(std::accumulate(cuts.begin(), cuts.end(), 0.0) / static_cast<double>(cuts.size()));
    productSeconds.insert(productSeconds.end(), products.begin(), products.end());
    return {};
}

// Ours over libtorch's, which is everywhere: were ours the calibration, no other row would show it slower.
GuardFigure ourProduct(const Calibration& calibration, int rounds)
{
    GuardFigure figure{.row = {.name = "our product", .operations = Calibration::kOperations}};
    const Calibration::Product* ours = calibration.find(Calibration::kOurs);
    if (!ours) {
        figure.leftOut = "This processor has libtorch's product alone.";
        return figure;
    }
    std::vector<double> ratios, seconds;
    for (int i = 0; i < 5 * rounds; ++i) {
        const double before = Calibration::seconds(calibration.libtorch());
        seconds.push_back(Calibration::seconds(*ours));
        ratios.push_back(ratioOf({seconds.back()}, {before, Calibration::seconds(calibration.libtorch())}));
    }
    figure.ratio = Spread::of(ratios);
    figure.seconds = Spread::of(seconds);
    return figure;
}

} // namespace

double ratioOf(const std::vector<double>& cuts, const std::vector<double>& products)
{
    double sum = 0;
    for (std::size_t i = 0; i < cuts.size(); ++i)
        sum += cuts[i] / ((products[i] + products[i + 1]) / 2);
    return sum / static_cast<double>(cuts.size());
}

Result<GuardRun> runGuard(const std::vector<GuardRow>& rows, const Calibration& calibration,
                          const Calibration::Product& product, const GuardOptions& options, const Control& control)
{
    std::vector<Timed> all;
    for (const GuardRow& row : rows) {
        auto timed = made(row, options);
        if (!timed.has_value())
            return timed.error();
        all.push_back(std::move(*timed));
    }
    std::vector<double> productSeconds = {Calibration::seconds(product)};
    for (int i = 0; i < options.rounds; ++i)
        for (Timed& timed : all) {
            if (!timed.figure.leftOut.empty())
                continue;
            if (control.stopped())
                return cancelledError();
            options.notify("Round " + std::to_string(i + 1) + " of " + std::to_string(options.rounds) + ": "
                           + timed.figure.row.name);
            if (const auto done = round(timed, product, productSeconds, options, {control.stop, {}}); !done.has_value())
                return done.error();
        }
    GuardRun run{.product = &product, .productSeconds = Spread::of(productSeconds)};
    run.figures.push_back(ourProduct(calibration, options.rounds));
    for (Timed& timed : all) {
        if (timed.figure.leftOut.empty()) {
            timed.figure.ratio = Spread::of(timed.ratios);
            timed.figure.seconds = Spread::of(timed.seconds);
        }
        run.figures.push_back(std::move(timed.figure));
    }
    return run;
}

json toJson(const GuardRun& run, const Calibration& calibration, const GuardOptions& options, const GuardEntry* then)
{
    json products = json::array(), rows = json::array();
    for (const Calibration::Product& product : calibration.products())
        products.push_back({{"product", product.name}, {"gflops", Calibration::kOperations / product.seconds / 1e9}});
    for (const GuardFigure& figure : run.figures) {
        json row = {{"name", figure.row.name}};
        if (!figure.leftOut.empty()) {
            row["verdict"] = "left out";
            row["reason"] = figure.leftOut;
            rows.push_back(row);
            continue;
        }
        const auto known = then ? then->ratios.find(figure.row.name) : std::map<std::string, Spread>::const_iterator();
        const bool has = then && known != then->ratios.end();
        const GuardFinding finding = compare(has ? std::optional(known->second) : std::nullopt, figure.ratio);
        row["verdict"] = name(finding.verdict);
        row["ratio"] = toJson(figure.ratio);
        row["spread"] = figure.ratio.relative();
        row["then"] = has ? toJson(known->second) : json();
        row["change"] = has ? json(finding.change) : json();
        row["cpu_seconds"] = figure.seconds.median;
        if (figure.row.operations > 0) {
            row["gflops"] = figure.row.operations / figure.seconds.median / 1e9;
            if (!figure.row.workload.empty())
                row["of_product"] = figure.row.operations / Calibration::kOperations / figure.ratio.median;
        }
        rows.push_back(row);
    }
    json line = {{"format", "headscope-bench-guard-result/1"},
                 {"version", HEADSCOPE_VERSION},
                 {"processor", options.processor},
                 {"threads", options.threads},
                 {"rounds", options.rounds},
                 {"calibration",
                  {{"product", run.product->name},
                   {"gflops", Calibration::kOperations / run.productSeconds.median / 1e9},
                   {"spread", run.productSeconds.relative()},
                   {"products", products}}},
                 {"limit", kGuardLimit},
                 {"rows", rows}};
    line["then"] =
        then ? json{{"version", then->version}, {"product", then->product}, {"gflops", then->rate / 1e9}} : json();
    return line;
}

GuardEntry entryOf(const GuardRun& run, const GuardOptions& options)
{
    GuardEntry entry{.processor = options.processor,
                     .threads = options.threads,
                     .version = HEADSCOPE_VERSION,
                     .product = run.product->name,
                     .rate = Calibration::kOperations / run.productSeconds.median};
    for (const GuardFigure& figure : run.figures)
        if (figure.leftOut.empty())
            entry.ratios[figure.row.name] = figure.ratio;
    return entry;
}

} // namespace headscope::engine
