// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/scores/benchmarkfiles.h"

#include "core/base/writefile.h"
#include "core/io/parquet/parquettable.h"
#include "core/io/pathlist.h"
#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/textfile.h"
#include "core/tasks/registry.h"

#include <algorithm>
#include <cstdlib>

namespace headscope::app {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestFile = 1'000'000'000; // bytes; the largest of the catalogue has 50 million

// The bytes of a file that arrived, once it has the rows that the benchmark has.
Result<std::string> checked(const fs::path& arrived, const tasks::HubFile& file)
{
    auto bytes = io::readTextFile(arrived, kLargestFile);
    if (!bytes.has_value())
        return bytes;
    const auto table = io::ParquetTable::read(std::as_bytes(std::span(*bytes)), file.path);
    if (!table.has_value())
        return table.error();
    if (table->rows != static_cast<std::size_t>(file.rows))
        return inputError(io::inQuotes(file.path) + " has " + std::to_string(table->rows) + " rows; the benchmark has "
                          + std::to_string(file.rows) + ". Nothing was added to the data folder.");
    return bytes;
}

} // namespace

Result<std::vector<RemoteBenchmark>> findBenchmarks(const std::vector<std::string>& names,
                                                    const hub::HubSettings& settings, const Control& control)
{
    const auto wanted = tasks::hubFiles(names);
    if (!wanted.has_value())
        return wanted.error();
    const std::vector<tasks::TaskInfo> known = tasks::listTasks();
    std::vector<RemoteBenchmark> found;
    for (const tasks::HubFiles& files : *wanted) {
        const hub::RepositoryName name{files.dataset, std::string(tasks::HubFiles::kRevision),
                                       hub::RepositoryKind::DataSet};
        std::vector<std::string> paths;
        for (const tasks::HubFile& file : files.files)
            paths.push_back(file.path);
        auto plan = hub::planOf(name, paths, settings, control);
        if (!plan.has_value())
            return plan.error();
        const auto info =
            std::ranges::find_if(known, [&](const tasks::TaskInfo& task) { return task.name == files.task; });
        found.push_back({files, info != known.end() ? info->title : std::string(),
                         info != known.end() ? info->licence : std::string(), settings.endpoint + "/" + name.path(),
                         std::move(*plan)});
    }
    return found;
}

Result<std::vector<std::string>> fetchBenchmark(const RemoteBenchmark& benchmark, const fs::path& dataFolder,
                                                const hub::HubSettings& settings, const Control& control)
{
    const auto snapshot = hub::download(benchmark.plan, settings, control);
    if (!snapshot.has_value())
        return snapshot.error();
    std::vector<std::string> written;
    std::vector<std::string> contents;
    for (const tasks::HubFile& file : benchmark.files.files) {
        auto bytes = checked(*snapshot / file.path, file);
        if (!bytes.has_value())
            return bytes.error();
        contents.push_back(std::move(*bytes));
    }
    for (std::size_t i = 0; i < contents.size(); ++i) {
        const tasks::HubFile& file = benchmark.files.files[i];
        std::error_code error;
        fs::create_directories((dataFolder / file.to).parent_path(), error);
        if (const auto put = writeFile(dataFolder / file.to, contents[i]); !put.has_value())
            return put.error();
        written.push_back(file.to);
    }
    return written;
}

fs::path defaultDataFolder()
{
    const fs::path folder = io::dataFolder();
    return folder.empty() ? folder : folder / "benchmarks";
}

} // namespace headscope::app
