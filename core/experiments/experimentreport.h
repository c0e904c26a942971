// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A stored and reported run of an experiment: rows, notes, finding; as JSON, CSV, LaTeX and chart data. Pure functions;
// any thread.

#include "core/experiments/experiment.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::experiments {

/// Settings of a run that affect its numbers.
struct RunSettings {
    std::string version; ///< program version
    std::uint64_t seed = 0;
    std::optional<double> limit; ///< as --limit; empty: the experiment's default number of examples

    bool operator==(const RunSettings&) const = default;
};

struct Report {
    const Experiment* experiment = nullptr;
    std::shared_ptr<const Experiment> own; ///< the experiment if it is a user's study, which is stored only here
    std::vector<std::string> models;       ///< as requested
    std::vector<std::string> measuredOn;   ///< one line per model: name, family, dtype, device
    std::vector<std::string> hashes;       ///< of the models' files, one per line of `measuredOn`; empty: unknown
    RunSettings settings;
    Table table;
    std::vector<std::string> notes;
    std::string finding;
    std::string problem; ///< why it could not run, one sentence; empty: it ran
    double seconds = 0;
    std::int64_t examples = 0; ///< scored examples, each counted every time
    std::int64_t known = 0;    ///< of these, taken from the session
    std::string finished;      ///< end time: "2026-01-31T09:30:00Z"; empty: unknown
    bool complete = false;     ///< false: stopped; contains only the first rows
    bool included = false;     ///< part of the program, not stored in a session

    /// Applies the experiment's rule to the rows; inconclusive for a run that was stopped.
    [[nodiscard]] Judgement judgement() const;
};

/// Prefixes of the session keys of reports, and of users' studies as last written.
inline constexpr auto kReports = "experiment/";
inline constexpr auto kStudies = "study/";
/// Returns the session key of an experiment's last report on these models.
[[nodiscard]] std::string reportKey(const std::string& id, const std::vector<std::string>& models);

/// Returns one JSON object: the experiment, `rows` (each an object by column key, with `paper` the paper's own numbers
/// or null), `paper` (all of the paper's rows), `finding`, `notes`, `charts`.
[[nodiscard]] std::string toJson(const Report& report);
/// Parses toJson()'s output; fails for other text and for an experiment that this version does not have.
[[nodiscard]] Result<Report> parseReport(const std::string& json);

/// Returns a header of column keys, then one line per row. Intervals and numbers of examples have their own columns;
/// the paper's numbers are in columns that begin with "paper_".
[[nodiscard]] std::string toCsv(const Report& report);
/// Returns a `table` environment (package booktabs); the paper's numbers are in columns headed "paper".
[[nodiscard]] std::string toLatex(const Report& report);
/// Returns header and cells of a text table. The paper's numbers are in columns headed "paper: ...".
[[nodiscard]] std::vector<std::vector<std::string>> toCells(const Report& report);
/// Returns the paper's rows, each as one line of text.
[[nodiscard]] std::vector<std::string> paperLines(const Experiment& experiment);

} // namespace headscope::experiments
