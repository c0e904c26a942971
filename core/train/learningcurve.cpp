// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/learningcurve.h"

#include "core/base/writefile.h"
#include "core/io/textfiles/textfile.h"
#include "core/train/printedtext.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace headscope::train {

namespace {

std::vector<std::string> cells(const std::string& line)
{
    std::vector<std::string> out(1);
    for (const char letter : line)
        if (letter == ',')
            out.emplace_back();
        else
            out.back() += letter;
    return out;
}

std::string header(const NamedScores& tested)
{
    std::string text = "step,core_seconds,rate,tokens";
    for (const char* task : kTaskNames)
        text += format(",%s_accuracy,%s_loss", task, task);
    for (const auto& [name, score] : tested)
        text += ",test " + name;
    return text + "\n";
}

// Of a file that may not be there.
Result<std::string> present(const std::filesystem::path& file)
{
    std::error_code unused;
    return std::filesystem::exists(file, unused) ? io::readTextFile(file) : Result<std::string>(std::string());
}

} // namespace

Result<void> LearningCurve::cutAfter(int step) const
{
    const auto text = present(m_file);
    if (!text.has_value())
        return text.error();
    std::istringstream lines(*text);
    std::string line, kept;
    for (bool first = true; std::getline(lines, line); first = false) {
        int at = 0;
        const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), at);
        if (first || (problem == std::errc() && at <= step))
            kept += line + "\n";
    }
    return kept.size() == text->size() ? Result<void>() : writeFile(m_file, kept);
}

Result<void> LearningCurve::add(const TrainingState& state, double rate, const NamedScores& tested) const
{
    auto text = present(m_file);
    if (!text.has_value())
        return text.error();
    std::int64_t tokens = 0;
    for (const std::int64_t count : state.tokens)
        tokens += count;
    std::string row = format("%d,%.1f,%.3g,%lld", state.step, state.coreSeconds, rate, static_cast<long long>(tokens));
    for (std::size_t task = 0; task < state.running.size(); ++task)
        row += state.tokens[task] > 0 ? format(",%.4f,%.4f", state.running[task], state.losses[task]) : ",,";
    for (const auto& [name, score] : tested)
        row += format(",%.4f", score);
    // The first rows may be older than the first test.
    if (text->empty() || (!tested.empty() && text->substr(0, text->find('\n')).find(",test ") == std::string::npos))
        text->replace(0, text->empty() ? 0 : text->find('\n') + 1, header(tested));
    return writeFile(m_file, *text + row + "\n");
}

std::vector<std::pair<double, double>> LearningCurveRows::points(const std::string& x, const std::string& y) const
{
    std::vector<std::pair<double, double>> out;
    const auto xAt = std::find(names.begin(), names.end(), x), yAt = std::find(names.begin(), names.end(), y);
    if (xAt == names.end() || yAt == names.end())
        return out;
    for (const auto& row : rows) {
        const auto& xCell = row[static_cast<std::size_t>(xAt - names.begin())];
        const auto& yCell = row[static_cast<std::size_t>(yAt - names.begin())];
        if (xCell && yCell)
            out.emplace_back(*xCell, *yCell);
    }
    return out;
}

Result<LearningCurveRows> readLearningCurve(const std::filesystem::path& file)
{
    const auto text = io::readTextFile(file);
    if (!text.has_value())
        return text.error();
    LearningCurveRows out;
    std::istringstream lines(*text);
    std::string line;
    if (std::getline(lines, line))
        out.names = cells(line);
    while (std::getline(lines, line)) {
        auto& row = out.rows.emplace_back(out.names.size());
        const std::vector<std::string> found = cells(line);
        for (std::size_t i = 0; i < std::min(found.size(), row.size()); ++i) {
            double value = 0;
            const auto [end, problem] = std::from_chars(found[i].data(), found[i].data() + found[i].size(), value);
            if (problem == std::errc() && end == found[i].data() + found[i].size())
                row[i] = value;
        }
    }
    if (out.names.empty() || out.names.front() != "step" || out.rows.empty())
        return inputError("The file " + file.string()
                          + " is not a learning curve; expected the curve.csv of a training.");
    return out;
}

} // namespace headscope::train
