// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/files/patternfiles.h"

#include "core/base/writefile.h"
#include "core/io/numpy/npywriter.h"
#include "core/io/safetensors/safetensorswriter.h"
#include "core/io/textfiles/matrixcsv.h"

#include <filesystem>
#include <map>

namespace headscope::cli {

using figures::PatternPicture;

namespace {

std::string suffixOf(const std::string& path)
{
    std::string suffix = std::filesystem::path(path).extension().string();
    return suffix.empty() ? suffix : suffix.substr(1);
}

bool isPicture(const std::string& suffix)
{
    return suffix == "png" || suffix == "svg" || suffix == "pdf";
}

Result<void> writeCsv(const PatternPicture& pattern)
{
    io::MatrixAxes axes{.columns = pattern.tokens, .rows = pattern.tokens, .rowTokens = pattern.spellings};
    if (pattern.row >= 0) {
        const auto row = static_cast<std::size_t>(pattern.row);
        axes.rows = {pattern.tokens[row]};
        axes.rowTokens = {pattern.spellings[row]};
        axes.firstRow = pattern.row;
    }
    return writeFile(pattern.path, io::matrixCsv(pattern.matrix, axes));
}

Result<void> writePatternTensors(const PatternPicture& pattern)
{
    const std::vector<std::int64_t> ids(pattern.ids.begin(), pattern.ids.end());
    const std::vector<io::TensorToWrite> tensors = {
        {pattern.head,
         io::Dtype::F32,
         {pattern.matrix.rows, pattern.matrix.cols},
         std::as_bytes(std::span(pattern.matrix.values))},
        {"input_ids", io::Dtype::I64, {static_cast<std::int64_t>(ids.size())}, std::as_bytes(std::span(ids))}};
    return io::writeSafetensors(pattern.path, tensors, {{"format", "pt"}, {"headscope", pattern.provenance}});
}

} // namespace

Result<void> checkPatternPath(const std::string& path)
{
    const std::string suffix = suffixOf(path);
    if (suffix == "csv" || suffix == "safetensors" || suffix == "npy" || suffix == "npz")
        return {};
#ifdef HEADSCOPE_FIGURES
    if (isPicture(suffix))
        return {};
    return inputError("The file '" + path
                      + "' has a suffix that is not known; expected png, svg, pdf, csv, safetensors, npy or npz.");
#else
    if (isPicture(suffix))
        return inputError(
            "The file '" + path
            + "' would be a picture, and this program was built without Qt; expected csv, safetensors, npy or npz.");
    return inputError("The file '" + path + "' has a suffix that is not known; expected csv, safetensors, npy or npz.");
#endif
}

Result<void> writePatternFiles(const std::vector<PatternPicture>& patterns)
{
#ifdef HEADSCOPE_FIGURES
    std::vector<PatternPicture> pictures;
#endif
    std::map<std::string, std::vector<io::NamedMatrix>> archives;
    for (const PatternPicture& pattern : patterns) {
        const std::string suffix = suffixOf(pattern.path);
        Result<void> written;
        if (suffix == "csv")
            written = writeCsv(pattern);
        else if (suffix == "safetensors")
            written = writePatternTensors(pattern);
        else if (suffix == "npy")
            written = io::writeNpy(pattern.path, pattern.matrix);
        else if (suffix == "npz")
            archives[pattern.path].push_back({pattern.head, &pattern.matrix});
#ifdef HEADSCOPE_FIGURES
        else
            pictures.push_back(pattern);
#endif
        if (!written.has_value())
            return written;
    }
    for (const auto& [path, arrays] : archives)
        if (const auto written = io::writeNpz(path, arrays); !written.has_value())
            return written;
#ifdef HEADSCOPE_FIGURES
    if (!pictures.empty())
        return figures::writePatterns(pictures);
#endif
    return {};
}

} // namespace headscope::cli
