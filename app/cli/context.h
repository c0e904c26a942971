// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The environment of all commands: common options, running, reporting and failing. Main thread.

#include "app/workbench/settings.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/modelfolder.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace headscope::cli {

struct Context {
    // The common options of the command line.
    app::Settings settings;
    std::string session;
    bool again = false;
    bool json = false;
    bool quiet = false;

    std::filesystem::path resources; ///< files shipped with the program

    /// Set by the chosen command; main runs it after parsing. Errors become exit code 1 (130 after a
    /// stop).
    std::function<Result<void>()> run;

    /// From here on SIGINT and SIGTERM stop the command: by its stop token if it has requested one, otherwise at once.
    /// Call before any thread is created.
    static void waitForStop();
    /// Returns a stop token set by Ctrl+C, and progress on stderr: a bar on a terminal, otherwise plain lines, nothing
    /// with --quiet.
    [[nodiscard]] Control control() const;
    /// Returns the same stop token without a request for it: Ctrl+C ends the program at once until control() is called.
    [[nodiscard]] static std::stop_token stopToken();
    /// Prints a line for people on stderr, unless --quiet.
    void note(const std::string& line) const;
    /// Prints the single JSON object of --json.
    static void print(const nlohmann::json& json);
    /// Resolves MODEL to a folder: see io::resolveModel().
    [[nodiscard]] Result<io::ModelFolder> modelFolder(const std::string& model) const;
};

} // namespace headscope::cli
