// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hub/download.h"

#include "core/base/writefile.h"
#include "core/hub/arrivals.h"
#include "core/hub/blobs.h"
#include "core/hub/http.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>

namespace headscope::hub {

namespace fs = std::filesystem;

namespace {

std::string inWords(std::uint64_t bytes)
{
    char text[32];
    std::snprintf(text, sizeof text, bytes < 1'000'000'000 ? "%.1f MB" : "%.2f GB",
                  static_cast<double>(bytes) / (bytes < 1'000'000'000 ? 1e6 : 1e9));
    return text;
}

/// In the snapshot, under the path of the file, a relative link to its blob.
Result<void> link(const fs::path& snapshot, const RemoteFile& file)
{
    const fs::path place = snapshot / file.path;
    fs::path target = fs::path("..") / "..";
    for (auto parts = std::count(file.path.begin(), file.path.end(), '/'); parts > 0; --parts)
        target /= "..";
    target = target / "blobs" / file.hash;
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    if (fs::read_symlink(place, error) == target)
        return {};
    fs::remove(place, error);
    fs::create_symlink(target, place, error);
    return error ? Result<void>(ioError("Cannot write " + io::inQuotes(place.string()) + ": " + error.message() + "."))
                 : Result<void>();
}

Result<Repository> asked(const RepositoryName& name, const HubSettings& settings, const Control& control)
{
    if (settings.cache.empty())
        return ioError("There is no place for downloads; expected HF_HUB_CACHE, HF_HOME or HOME in the environment.");
    return Repository::ask(name, settings, control);
}

// What of these files is in the cache already.
Plan planned(const RepositoryName& name, Repository repository, std::vector<RemoteFile> files,
             const HubSettings& settings)
{
    Plan plan{.name = name, .repository = std::move(repository), .files = std::move(files)};
    const fs::path folder = folderOf(name, settings);
    for (const RemoteFile& file : plan.files) {
        const fs::path blob = folder / "blobs" / file.hash;
        plan.total += file.size;
        if (!isComplete(blob, file))
            plan.missing += file.size - std::min(file.size, sizeOf(incomplete(blob)));
    }
    std::error_code ignored;
    fs::path there = settings.cache;
    while (!fs::exists(there, ignored) && there.has_parent_path() && there != there.parent_path())
        there = there.parent_path();
    const fs::space_info space = fs::space(there, ignored);
    plan.free = ignored ? 0 : space.available;
    plan.snapshot = folder / "snapshots" / plan.repository.commit;
    return plan;
}

} // namespace

Result<Plan> plan(const RepositoryName& name, const std::string& weights, const HubSettings& settings,
                  const Control& control)
{
    auto repository = asked(name, settings, control);
    if (!repository.has_value())
        return repository.error();
    auto files = neededFiles(*repository, weights);
    if (!files.has_value())
        return files.error();
    return planned(name, std::move(*repository), std::move(*files), settings);
}

Result<Plan> planOf(const RepositoryName& name, const std::vector<std::string>& paths, const HubSettings& settings,
                    const Control& control)
{
    auto repository = asked(name, settings, control);
    if (!repository.has_value())
        return repository.error();
    std::vector<RemoteFile> files;
    for (const std::string& path : paths) {
        const auto found =
            std::ranges::find_if(repository->files, [&](const RemoteFile& file) { return file.path == path; });
        if (found == repository->files.end())
            return inputError("The " + std::string(name.noun()) + " " + io::inQuotes(name.name) + " has no file "
                              + io::inQuotes(path) + " at " + io::inQuotes(name.revision) + ".");
        files.push_back(*found);
    }
    return planned(name, std::move(*repository), std::move(files), settings);
}

Result<fs::path> download(const Plan& plan, const HubSettings& settings, const Control& control)
{
    if (plan.missing > plan.free)
        return ioError("The " + std::string(plan.name.noun()) + " needs " + inWords(plan.missing) + " more in "
                       + io::inQuotes(settings.cache.string()) + "; " + inWords(plan.free)
                       + " are free. HF_HUB_CACHE may name a folder on another disk.");
    if (auto fetched = fetchAll(plan.name, plan.repository.commit, plan.files, settings, control); !fetched.has_value())
        return fetched.error();
    for (const RemoteFile& file : plan.files)
        if (auto linked = link(plan.snapshot, file); !linked.has_value())
            return linked.error();
    // Last: a ref to a snapshot that is not whole would be taken for a model.
    if (plan.name.revision != plan.repository.commit) {
        const fs::path ref = folderOf(plan.name, settings) / "refs" / plan.name.revision;
        std::error_code ignored;
        fs::create_directories(ref.parent_path(), ignored);
        if (auto written = writeFile(ref, plan.repository.commit); !written.has_value())
            return written.error();
    }
    return plan.snapshot;
}

Result<std::string> readRemoteText(const Plan& plan, const std::string& path, const HubSettings& settings,
                                   const Control& control)
{
    constexpr std::size_t kLongest = 16'000'000; // bytes
    return getText(settings.endpoint + "/" + plan.name.path() + "/resolve/" + plan.repository.commit + "/" + path,
                   kLongest, plan.name.path(), settings, control);
}

} // namespace headscope::hub
