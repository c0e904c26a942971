// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The experiments that the window shows: the program's own, behind them users' studies, and of each the reports
// that are known. A value; GUI thread.

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
    /// -1: there is none.
    [[nodiscard]] int indexOf(std::string_view id) const;

    /// Behind the others, or in place of one with the same id, whose reports go where it is another study. Returns its
    /// index.
    int put(Study study);
    /// In place of an earlier one on the same models. A report brings its study with it, and is left out where there is
    /// another of that id: its rows would answer another question.
    void put(experiments::Report report);
    /// The reports of a folder of the program, where no other on the same models is known: *.json as `experiment -o`
    /// writes them. What cannot be read is left out.
    void putIncluded(const std::filesystem::path& folder);
    void takeOut(int index); ///< of a study, with its reports

    /// One for each choice of models, the newest first, included ones last; of the same age as they came.
    [[nodiscard]] const std::vector<experiments::Report>& reports(int index) const;

private:
    std::vector<Study> m_own;
    std::map<std::string, std::vector<experiments::Report>, std::less<>> m_reports; ///< by id
};

} // namespace headscope::gui
