// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentshelf.h"

#include "core/io/textfiles/textfile.h"

#include <algorithm>
#include <utility>

namespace headscope::gui {

using experiments::Experiment;
using experiments::Report;

namespace {

constexpr std::uint64_t kLongestReport = 1 << 20; // bytes

int shipped()
{
    return static_cast<int>(experiments::allExperiments().size());
}

} // namespace

int ExperimentShelf::count() const
{
    return shipped() + static_cast<int>(m_own.size());
}

const Experiment& ExperimentShelf::at(int index) const
{
    return isOwn(index) ? *m_own[static_cast<std::size_t>(index - shipped())]
                        : experiments::allExperiments()[static_cast<std::size_t>(index)];
}

bool ExperimentShelf::isOwn(int index) const
{
    return index >= shipped();
}

int ExperimentShelf::indexOf(std::string_view id) const
{
    for (int i = 0; i < count(); ++i)
        if (at(i).id == id)
            return i;
    return -1;
}

int ExperimentShelf::put(Study study)
{
    const int known = indexOf(study->id);
    if (known >= 0) {
        if (at(known).study != study->study)
            m_reports.erase(study->id);
        m_own[static_cast<std::size_t>(known - shipped())] = std::move(study);
        return known;
    }
    m_own.push_back(std::move(study));
    return count() - 1;
}

void ExperimentShelf::put(Report report)
{
    const int known = indexOf(report.experiment->id);
    if (known < 0)
        put(report.own);
    else if (at(known).study != report.experiment->study)
        return;
    auto& all = m_reports[report.experiment->id];
    std::erase_if(all, [&](const Report& other) { return other.models == report.models; });
    const auto place = std::find_if(all.begin(), all.end(), [&](const Report& other) {
        return std::pair(!other.included, other.finished) < std::pair(!report.included, report.finished);
    });
    all.insert(place, std::move(report));
}

void ExperimentShelf::putIncluded(const std::filesystem::path& folder)
{
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        const auto json = io::readTextFile(entry.path(), kLongestReport);
        auto report = json.has_value() ? experiments::parseReport(*json) : Result<Report>(json.error());
        if (!report.has_value() || report->own)
            continue;
        const int index = indexOf(report->experiment->id);
        if (std::ranges::any_of(reports(index), [&](const Report& other) { return other.models == report->models; }))
            continue;
        report->included = true;
        put(std::move(*report));
    }
}

const std::vector<Report>& ExperimentShelf::reports(int index) const
{
    static const std::vector<Report> none;
    const auto found = m_reports.find(at(index).id);
    return found == m_reports.end() ? none : found->second;
}

} // namespace headscope::gui
