// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A run of an experiment as it is stored and reported: rows, notes, finding; as JSON, CSV, LaTeX and chart data. Pure
// functions; any thread.

#include "core/experiments/experiment.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::experiments {

/// With what a run was made, as far as it decides the numbers.
struct RunSettings {
    std::string version; ///< of the program
    std::uint64_t seed = 0;
    std::optional<double> limit; ///< as --limit; empty: the experiment's own number of examples

    bool operator==(const RunSettings&) const = default;
};

struct Report {
    const Experiment* experiment = nullptr;
    std::shared_ptr<const Experiment> own; ///< the same where it is your own study, which nobody else keeps
    std::vector<std::string> models;       ///< as they were asked for
    std::vector<std::string> measuredOn;   ///< a line a model: name, family, dtype, device
    std::vector<std::string> hashes;       ///< of the models' files, one a line of `measuredOn`; empty: unknown
    RunSettings settings;
    Table table;
    std::vector<std::string> notes;
    std::string finding;
    std::string problem; ///< why it could not be run, one sentence; empty: it was
    double seconds = 0;
    std::int64_t examples = 0; ///< scored, counting each time one was
    std::int64_t known = 0;    ///< of these taken from the session
    std::string finished;      ///< when it ended: "2026-01-31T09:30:00Z"; empty: unknown
    bool complete = false;     ///< false: stopped, the rows are the first of it
    bool included = false;     ///< comes with the program; no session holds it

    /// The experiment's rule applied to the rows; inconclusive for a run that was stopped.
    [[nodiscard]] Judgement judgement() const;
};

/// With what the keys begin under which a session keeps reports, and users' studies as they were last written.
inline constexpr auto kReports = "experiment/";
inline constexpr auto kStudies = "study/";
/// Under what a session keeps the last report of an experiment on these models.
[[nodiscard]] std::string reportKey(const std::string& id, const std::vector<std::string>& models);

/// One JSON object: what it is, `rows` (each an object by column key, with `paper` the paper's own numbers or null),
/// `paper` (all of the paper's rows), `finding`, `notes`, `charts`.
[[nodiscard]] std::string toJson(const Report& report);
/// What toJson wrote; fails for other text and for an experiment that this version does not have.
[[nodiscard]] Result<Report> parseReport(const std::string& json);

/// A header of column keys, then a line a row. Intervals and numbers of examples have columns of their own; the paper's
/// numbers are in columns that begin with "paper_".
[[nodiscard]] std::string toCsv(const Report& report);
/// A `table` environment (package booktabs); the paper's numbers stand in columns headed "paper".
[[nodiscard]] std::string toLatex(const Report& report);
/// Header and cells for a table of text. The paper's numbers stand in columns headed "paper: ...".
[[nodiscard]] std::vector<std::vector<std::string>> toCells(const Report& report);
/// The paper's own rows, each as one line of text.
[[nodiscard]] std::vector<std::string> paperLines(const Experiment& experiment);

} // namespace headscope::experiments
