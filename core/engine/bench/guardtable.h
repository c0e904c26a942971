// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the program costs, kept from one occasion to the next: for each kind of processor the time of each timed row
// over the time of a matrix product that ran in the same minutes, so that a slower or a busier machine moves both.
// Plain values; any thread.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::engine {

/// Medians of several rounds, and what a half of them lies between.
struct Spread {
    double low = 0, median = 0, high = 0; ///< quartiles
    int n = 0;

    [[nodiscard]] static Spread of(std::vector<double> values); ///< of one value or more
    /// (high - low) / median.
    [[nodiscard]] double relative() const { return median > 0 ? (high - low) / median : 0; }
};

/// What is timed: a workload of `headscope-cli bench` on a request that is drawn.
struct GuardRow {
    std::string name;
    std::string workload; ///< kv-click, mc-letter, mc-text or maps
    std::string model;    ///< a shipped model, or a folder below --model
    int items = 0;
    double operations = 0; ///< fewest that give the answers of one cut, in the mean of its cuts; 0: not counted
};

/// The figures of one kind of processor.
struct GuardEntry {
    std::string processor;
    int threads = 1;
    std::string version;                  ///< of the program
    std::string product;                  ///< the calibration: "OpenBLAS 0.3.34", "libtorch 2.11.0" or "ours"
    double rate = 0;                      ///< of it then, operations a second
    std::map<std::string, Spread> ratios; ///< by row: seconds of ours over those of one calibration product
};

struct GuardTable {
    std::vector<GuardRow> rows;
    std::vector<GuardEntry> entries;

    /// Fails with one sentence for text that is cut off, of another format or short of something.
    [[nodiscard]] static Result<GuardTable> parse(std::string_view text, const std::string& where);
    [[nodiscard]] static Result<GuardTable> read(const std::filesystem::path& file);
    [[nodiscard]] std::string text() const;

    /// Null where there is none.
    [[nodiscard]] const GuardEntry* find(const std::string& processor, int threads) const;
    /// In place of the one of the same processor and threads. Rows that it lacks keep what was known of them where the
    /// calibration is the same.
    void put(GuardEntry entry);
};

enum class GuardVerdict { New, Same, WithinSpread, Slower, Faster };
[[nodiscard]] const char* name(GuardVerdict verdict);

/// More than this counts, where it is more than the two spreads too.
inline constexpr double kGuardLimit = 0.07;

struct GuardFinding {
    GuardVerdict verdict = GuardVerdict::New;
    double change = 0; ///< now over then, less 1
};
[[nodiscard]] GuardFinding compare(const std::optional<Spread>& then, const Spread& now);

/// The kind of processor that /proc/cpuinfo reports: name, family, model, width of its vectors.
[[nodiscard]] std::string processorKind(std::string_view cpuinfo);

[[nodiscard]] nlohmann::json toJson(const Spread& spread);

} // namespace headscope::engine
