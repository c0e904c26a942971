// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bench/guardtable.h"

#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <sstream>

namespace headscope::engine {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "headscope-bench-guard/1";
constexpr std::uint64_t kLargest = 4'000'000;

// Between the two values that lie around it.
double quantile(const std::vector<double>& sorted, double share)
{
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double positive(const json& object, const char* key)
{
    const double value = object.at(key).get<double>();
    if (!std::isfinite(value) || value <= 0)
        throw std::invalid_argument(std::string("its ") + key + " is " + object.at(key).dump()
                                    + "; expected a number above 0");
    return value;
}

std::string word(const json& object, const char* key)
{
    auto text = object.at(key).get<std::string>();
    if (text.empty())
        throw std::invalid_argument(std::string("its ") + key + " is empty");
    return text;
}

Spread spreadOf(const json& object)
{
    const Spread spread{positive(object, "low"), positive(object, "median"), positive(object, "high"),
                        object.at("n").get<int>()};
    if (spread.low > spread.median || spread.median > spread.high || spread.n < 1)
        throw std::invalid_argument("a ratio is " + object.dump() + "; expected low, median and high in this order");
    return spread;
}

GuardRow rowOf(const json& object)
{
    GuardRow row{.name = word(object, "name"),
                 .workload = word(object, "workload"),
                 .model = word(object, "model"),
                 .items = object.at("items").get<int>(),
                 .operations = object.value("operations", 0.0)};
    constexpr std::array kWorkloads = {"kv-click", "mc-letter", "mc-text", "maps"};
    if (std::ranges::find(kWorkloads, row.workload) == kWorkloads.end())
        throw std::invalid_argument("the workload of " + io::inQuotes(row.name) + " is " + io::inQuotes(row.workload)
                                    + "; expected kv-click, mc-letter, mc-text or maps");
    if (row.items < 1 || row.items > 10'000)
        throw std::invalid_argument("the items of " + io::inQuotes(row.name) + " are " + object.at("items").dump()
                                    + "; expected 1 to 10000");
    return row;
}

GuardEntry entryFrom(const json& object)
{
    const json& calibration = object.at("calibration");
    GuardEntry entry{.processor = word(object, "processor"),
                     .threads = object.at("threads").get<int>(),
                     .version = object.at("version").get<std::string>(),
                     .product = word(calibration, "product"),
                     .rate = positive(calibration, "rate")};
    for (const auto& [name, ratio] : object.at("ratios").items())
        entry.ratios[name] = spreadOf(ratio);
    return entry;
}

json entryJson(const GuardEntry& entry)
{
    json ratios = json::object();
    for (const auto& [name, spread] : entry.ratios)
        ratios[name] = toJson(spread);
    return {{"processor", entry.processor},
            {"threads", entry.threads},
            {"version", entry.version},
            {"calibration", {{"product", entry.product}, {"rate", entry.rate}}},
            {"ratios", ratios}};
}

} // namespace

Spread Spread::of(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75), static_cast<int>(values.size())};
}

Result<GuardTable> GuardTable::parse(std::string_view text, const std::string& where)
{
    const auto broken = [&](const std::string& why) {
        return inputError("Cannot read the table " + io::inQuotes(where) + ": " + why + ".");
    };
    const json body = json::parse(text, nullptr, false);
    if (!body.is_object())
        return broken("it is not a whole JSON object");
    if (body.value("format", json()) != json(kFormat))
        return broken("its format is " + body.value("format", json()).dump() + "; expected \"" + kFormat + "\"");
    GuardTable table;
    try {
        std::set<std::string> names;
        for (const json& row : body.at("rows")) {
            table.rows.push_back(rowOf(row));
            if (!names.insert(table.rows.back().name).second)
                return broken("it has two rows " + io::inQuotes(table.rows.back().name));
        }
        for (const json& entry : body.at("entries")) {
            GuardEntry read = entryFrom(entry);
            if (table.find(read.processor, read.threads))
                return broken("it has two entries for " + io::inQuotes(read.processor));
            table.entries.push_back(std::move(read));
        }
    } catch (const json::exception& error) {
        const std::string what = error.what();
        return broken(what.substr(std::min(what.size(), what.find("] ") + 2)));
    } catch (const std::invalid_argument& error) {
        return broken(error.what());
    }
    return table.rows.empty() ? Result<GuardTable>(broken("it has no rows")) : Result<GuardTable>(std::move(table));
}

Result<GuardTable> GuardTable::read(const std::filesystem::path& file)
{
    const auto text = io::readTextFile(file, kLargest);
    return text.has_value() ? parse(*text, file.string()) : Result<GuardTable>(text.error());
}

std::string GuardTable::text() const
{
    json told = {{"format", kFormat}, {"rows", json::array()}, {"entries", json::array()}};
    for (const GuardRow& row : rows)
        told["rows"].push_back({{"name", row.name},
                                {"workload", row.workload},
                                {"model", row.model},
                                {"items", row.items},
                                {"operations", row.operations}});
    for (const GuardEntry& entry : entries)
        told["entries"].push_back(entryJson(entry));
    return told.dump(1) + "\n";
}

const GuardEntry* GuardTable::find(const std::string& processor, int threads) const
{
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const GuardEntry& entry) {
        return entry.processor == processor && entry.threads == threads;
    });
    return found == entries.end() ? nullptr : &*found;
}

void GuardTable::put(GuardEntry entry)
{
    const auto old = std::find_if(entries.begin(), entries.end(), [&](const GuardEntry& one) {
        return one.processor == entry.processor && one.threads == entry.threads;
    });
    if (old == entries.end()) {
        entries.push_back(std::move(entry));
        return;
    }
    if (old->product == entry.product)
        entry.ratios.merge(old->ratios);
    *old = std::move(entry);
}

const char* name(GuardVerdict verdict)
{
    switch (verdict) {
    case GuardVerdict::New: return "new";
    case GuardVerdict::Same: return "same";
    case GuardVerdict::WithinSpread: return "within spread";
    case GuardVerdict::Slower: return "slower";
    case GuardVerdict::Faster: return "faster";
    }
    return "";
}

// A difference that is smaller than what the rounds of one occasion differ by is none: the halves must lie apart.
GuardFinding compare(const std::optional<Spread>& then, const Spread& now)
{
    if (!then)
        return {};
    GuardFinding finding{GuardVerdict::Same, now.median / then->median - 1};
    if (std::abs(finding.change) <= kGuardLimit)
        return finding;
    const bool slower = finding.change > 0;
    const double spread = std::max(now.relative(), then->relative());
    const bool apart = (slower ? now.low > then->high : now.high < then->low) && std::abs(finding.change) > spread;
    finding.verdict = !apart ? GuardVerdict::WithinSpread : slower ? GuardVerdict::Slower : GuardVerdict::Faster;
    return finding;
}

std::string processorKind(std::string_view cpuinfo)
{
    std::map<std::string, std::string> values; // of the first processor
    std::istringstream lines{std::string(cpuinfo)};
    for (std::string line; std::getline(lines, line) && !line.empty();) {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos)
            values[line.substr(0, line.find_last_not_of("\t ", colon - 1) + 1)] =
                line.substr(std::min(colon + 2, line.size()));
    }
    const auto value = [&](const char* key) { return values.contains(key) ? values[key] : std::string("unknown"); };
    const std::string flags = " " + value("flags") + " ";
    const char* vectors = flags.find(" avx512f ") != std::string::npos ? ", AVX-512"
                          : flags.find(" avx2 ") != std::string::npos  ? ", AVX2"
                                                                       : "";
    return value("model name") + ", family " + value("cpu family") + " model " + value("model") + vectors;
}

json toJson(const Spread& spread)
{
    return {{"low", spread.low}, {"median", spread.median}, {"high", spread.high}, {"n", spread.n}};
}

} // namespace headscope::engine
