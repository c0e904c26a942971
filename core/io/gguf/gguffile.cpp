// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/gguf/gguffile.h"

#include "core/base/words/counted.h"
#include "core/io/gguf/ggufelements.h"
#include "core/io/mapping.h"
#include "core/io/openfile.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>

namespace headscope::io {

namespace fs = std::filesystem;

namespace {

Error refusal(const fs::path& path, const Error& why)
{
    return {why.kind, "Cannot read " + inQuotes(path.string()) + ": " + why.message + ".", why.detail};
}

Result<std::string> architectureOf(const GgufHeader& header)
{
    const std::string* name = header.text("general.architecture");
    const auto known = ggufArchitectures();
    if (name && std::find(known.begin(), known.end(), *name) != known.end())
        return *name;
    std::string all;
    for (const std::string& one : known)
        all += (all.empty() ? "" : ", ") + one;
    return inputError("its architecture is " + (name ? inQuotes(*name) : "not given") + "; the known ones are " + all);
}

/// Returns the head counts for a tensor; the rotating ones are those of queries or of keys.
GgufHeads headsOf(const GgufHeader& header, const std::string& architecture, std::string_view tensor)
{
    const auto number = [&](const char* key) { return header.inAllLayers(architecture + key).value_or(0); };
    GgufHeads heads{number(".attention.head_count"), number(".ssm.group_count"), number(".ssm.time_step_rank"),
                    number(".ssm.inner_size")};
    if (tensor.find("attn_k") != std::string_view::npos)
        heads.rotating = header.inSomeLayers(architecture + ".attention.head_count_kv").value_or(heads.rotating);
    return heads;
}

/// The tensor as the original has it, or the maps of its experts, which lie one behind the other.
std::vector<std::pair<GgufTensor, GgufOriginal>> originalsOf(const GgufTensor& tensor, GgufOriginal original)
{
    const std::size_t star = original.name.find('*');
    if (star == std::string::npos || tensor.shape.size() < 2 || tensor.shape.front() < 1)
        return {{tensor, std::move(original)}};
    constexpr std::int64_t kMostExperts = 4096;
    const std::int64_t count = std::min(tensor.shape.front(), kMostExperts);
    const std::uint64_t bytes = (tensor.end - tensor.begin) / static_cast<std::uint64_t>(tensor.shape.front());
    std::vector<std::pair<GgufTensor, GgufOriginal>> experts;
    for (std::int64_t expert = 0; expert < count; ++expert) {
        GgufTensor part = tensor;
        part.shape.erase(part.shape.begin());
        part.begin = tensor.begin + static_cast<std::uint64_t>(expert) * bytes;
        part.end = part.begin + bytes;
        GgufOriginal own = original;
        own.name.replace(star, 1, std::to_string(expert));
        experts.emplace_back(std::move(part), std::move(own));
    }
    return experts;
}

} // namespace

Error GgufFile::refused(const Error& why) const
{
    return refusal(m_path, why);
}

Result<std::shared_ptr<const GgufFile>> GgufFile::open(const fs::path& path)
{
    const auto file = OpenFile::open(path);
    if (!file.has_value())
        return file.error();
    if (file->size() == 0)
        return refusal(path, inputError("it is empty"));
    const auto mapping = mapFile(file->descriptor(), file->size(), path);
    if (!mapping.has_value())
        return mapping.error();
    std::shared_ptr<GgufFile> opened(new GgufFile);
    opened->m_path = path;
    opened->m_mapping = *mapping;
    auto header = parseGgufHeader(*mapping);
    if (!header.has_value())
        return refusal(path, header.error());
    opened->m_header = std::move(*header);
    if (opened->m_header.integer("split.count").value_or(1) > 1)
        return refusal(path, inputError("it is one part of a model in several files; join them with llama.cpp's "
                                        "'gguf-split --merge'"));
    if (const std::string* kind = opened->m_header.text("general.type"); kind && *kind != "model")
        return refusal(path, inputError("it is of the type " + inQuotes(*kind) + "; expected a model"
                                        + (*kind == "adapter" ? ", with which the adapter was merged" : "")));
    const auto architecture = architectureOf(opened->m_header);
    if (!architecture.has_value())
        return refusal(path, architecture.error());
    std::vector<std::string> unknown;
    for (const GgufTensor& tensor : opened->m_header.tensors) {
        auto original = ggufOriginal(*architecture, tensor.name);
        if (!original) {
            if (tensor.name != kRopeFactors && tensor.name != kLongFactors && tensor.name != kShortFactors)
                unknown.push_back(inQuotes(tensor.name));
            continue;
        }
        const GgufHeads heads = headsOf(opened->m_header, *architecture, tensor.name);
        for (auto& [part, own] : originalsOf(tensor, std::move(*original))) {
            auto view = viewOf(part, std::move(own), heads);
            if (!view.has_value())
                return refusal(path, view.error());
            opened->m_tensors.push_back(std::move(view->info));
            opened->m_elements.push_back(std::move(view->elements));
        }
    }
    if (const auto config = ggufConfig(*opened); config.has_value())
        opened->m_warnings = config->warnings;
    if (!unknown.empty())
        opened->m_warnings.push_back("The file has " + counted(unknown.size(), "tensor")
                                     + " of no known part of a model with the architecture " + inQuotes(*architecture)
                                     + ", such as " + unknown.front() + ".");
    if (const auto sound = intact(*opened); !sound.has_value())
        return sound.error();
    return std::shared_ptr<const GgufFile>(std::move(opened));
}

Result<std::optional<fs::path>> ggufAt(const fs::path& place)
{
    std::error_code ignored;
    if (!fs::is_directory(place, ignored))
        return place.extension() == ".gguf" && fs::exists(place, ignored) ? std::optional(place) : std::nullopt;
    if (fs::exists(fs::symlink_status(place / "config.json", ignored)))
        return std::optional<fs::path>();
    std::vector<fs::path> found;
    for (fs::directory_iterator at(place, ignored), end; !ignored && at != end; at.increment(ignored))
        if (at->path().extension() == ".gguf")
            found.push_back(at->path());
    std::sort(found.begin(), found.end());
    if (found.size() > 1)
        return inputError("The folder " + inQuotes(place.string()) + " contains " + std::to_string(found.size())
                          + " GGUF files; name one of them, such as " + inQuotes(found.front().string()) + ".");
    return found.empty() ? std::optional<fs::path>() : std::optional(found.front());
}

} // namespace headscope::io
