// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Recorded speed of the program: for each kind of processor the time of each timed row relative to a matrix
// product that ran in the same minutes, so that a slower or busier machine affects both. Plain values; any
// thread.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::engine {

/// Median of several rounds, and the range that contains half of them.
struct Spread {
    double low = 0, median = 0, high = 0; ///< quartiles
    int n = 0;

    [[nodiscard]] static Spread of(std::vector<double> values); ///< of at least one value
    /// Returns (high - low) / median.
    [[nodiscard]] double relative() const { return median > 0 ? (high - low) / median : 0; }
};

/// A timed workload of `headscope-cli bench`, on a randomly drawn request.
struct GuardRow {
    std::string name;
    std::string workload; ///< kv-click, mc-letter, mc-text or maps
    std::string model;    ///< an included model, or a folder below --model
    int items = 0;
    double operations = 0; ///< minimum operations for the answers of one ablation, mean over its ablations; 0: unknown
};

/// The figures of one kind of processor.
struct GuardEntry {
    std::string processor;
    int threads = 1;
    std::string version;                  ///< program version
    std::string product;                  ///< the calibration: "OpenBLAS 0.3.34", "libtorch 2.11.0" or "ours"
    double rate = 0;                      ///< its speed then, operations per second
    std::map<std::string, Spread> ratios; ///< by row: seconds divided by those of one calibration product
};

struct GuardTable {
    std::vector<GuardRow> rows;
    std::vector<GuardEntry> entries;

    /// Parses a table. Fails with one sentence for truncated text, another format or missing keys.
    [[nodiscard]] static Result<GuardTable> parse(std::string_view text, const std::string& where);
    [[nodiscard]] static Result<GuardTable> read(const std::filesystem::path& file);
    [[nodiscard]] std::string text() const;

    /// Returns the entry; null if there is none.
    [[nodiscard]] const GuardEntry* find(const std::string& processor, int threads) const;
    /// Replaces the entry of the same processor and threads. Rows missing from the new entry keep their old values if
    /// the calibration is the same.
    void put(GuardEntry entry);
};

enum class GuardVerdict { New, Same, WithinSpread, Slower, Faster };
[[nodiscard]] const char* name(GuardVerdict verdict);

/// A change larger than this counts, if it also exceeds both spreads.
inline constexpr double kGuardLimit = 0.07;

struct GuardFinding {
    GuardVerdict verdict = GuardVerdict::New;
    double change = 0; ///< now divided by then, minus 1
};
[[nodiscard]] GuardFinding compare(const std::optional<Spread>& then, const Spread& now);

/// Returns the kind of processor from /proc/cpuinfo: name, family, model, vector width.
[[nodiscard]] std::string processorKind(std::string_view cpuinfo);

[[nodiscard]] nlohmann::json toJson(const Spread& spread);

} // namespace headscope::engine
