// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What all commands share: the common options, the way to run, report and fail. Main thread.

#include "app/workbench/settings.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/modelfolder.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace headscope::cli {

struct Context {
    // The common options of the command line.
    app::Settings settings;
    std::string session;
    bool json = false;
    bool quiet = false;

    std::filesystem::path resources; ///< the program's own files

    /// A command sets this when it was chosen; main runs it after parsing. Errors become exit code 1 (130 when
    /// stopped).
    std::function<Result<void>()> run;

    /// From here on SIGINT and SIGTERM stop the command: by its token where it has asked for it, else at once. Before
    /// any thread is made.
    static void waitForStop();
    /// Stop token set by Ctrl+C, and progress on stderr: a bar on a terminal, plain lines otherwise, nothing with
    /// --quiet.
    [[nodiscard]] Control control() const;
    /// A line for people on stderr, unless --quiet.
    void say(const std::string& line) const;
    /// The one JSON object of --json.
    static void print(const nlohmann::json& json);
    /// MODEL to a folder: see io::resolveModel().
    [[nodiscard]] Result<io::ModelFolder> modelFolder(const std::string& model) const;
};

} // namespace headscope::cli
