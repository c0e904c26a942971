// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The experiments shown in the window: the included ones, followed by users' studies, with the known reports of each. A
// value; GUI thread.

#include "core/experiments/experimentreport.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::gui {

class ExperimentShelf
{
public:
    using Study = std::shared_ptr<const experiments::Experiment>;

    [[nodiscard]] int count() const;
    [[nodiscard]] const experiments::Experiment& at(int index) const;
    [[nodiscard]] bool isOwn(int index) const;
    /// Returns the index of an id; -1: there is none.
    [[nodiscard]] int indexOf(std::string_view id) const;

    /// Adds a study after the others, or replaces one with the same id, whose reports are removed if the study differs.
    /// Returns its index.
    int put(Study study);
    /// Adds a report, replacing an earlier one on the same models. Also adds the report's study; the report is ignored
    /// if there is a different one with that id, since its rows answer another question.
    void put(experiments::Report report);
    /// Adds the reports in a folder of the program for choices of models without a report: *.json as written by
    /// `experiment -o`. Unreadable ones are left out.
    void putIncluded(const std::filesystem::path& folder);

    /// Returns one per choice of models, newest first, included ones last; those of equal age in order of arrival.
    [[nodiscard]] const std::vector<experiments::Report>& reports(int index) const;

private:
    std::vector<Study> m_own;
    std::map<std::string, std::vector<experiments::Report>, std::less<>> m_reports; ///< by id
};

} // namespace headscope::gui
