// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/why/analysisfiles.h"

#include "core/base/csv.h"
#include "core/base/writefile.h"
#include "core/io/safetensors/safetensorswriter.h"

#include <filesystem>
#include <map>

namespace headscope::cli {

namespace {

Result<void> writeTable(const std::string& path, const AnalysisResult& result)
{
    std::string text;
    for (const auto& row : result.table)
        text += csvLine(row);
    return writeFile(path, text);
}

Result<void> writeTensors(const std::string& path, const AnalysisResult& result)
{
    std::vector<io::TensorToWrite> tensors;
    for (const NamedTensor& one : result.tensors)
        tensors.push_back({one.name, io::Dtype::F32, one.shape, std::as_bytes(std::span(one.values))});
    std::map<std::string, std::string> metadata{{"format", "pt"}, {"headscope", result.provenance}};
    if (!result.pairs.empty())
        metadata["pairs"] = result.pairs;
    return io::writeSafetensors(path, tensors, metadata);
}

} // namespace

Result<void> checkAnalysisPaths(const std::vector<std::string>& paths)
{
    for (const std::string& path : paths)
        if (const auto suffix = std::filesystem::path(path).extension(); suffix != ".safetensors" && suffix != ".csv")
            return inputError("The file '" + path + "' has a suffix that is not known; expected safetensors or csv.");
    return {};
}

Result<void> writeAnalysis(const std::vector<std::string>& paths, const AnalysisResult& result)
{
    for (const std::string& path : paths) {
        const bool table = std::filesystem::path(path).extension() == ".csv";
        if (const auto written = table ? writeTable(path, result) : writeTensors(path, result); !written.has_value())
            return written;
    }
    return {};
}

} // namespace headscope::cli
