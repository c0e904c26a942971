// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Copies of model folders whose tensors have other names, or are fewer: the header of their safetensors file is
// written anew, the data stay.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

namespace renamedcheckpoint {

namespace fs = std::filesystem;

inline std::string readAll(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What the header of a safetensors file says, by name.
inline nlohmann::json headerOf(const std::string& file)
{
    std::uint64_t size = 0;
    std::memcpy(&size, file.data(), sizeof size);
    return nlohmann::json::parse(file.substr(sizeof size, size));
}

inline void writeFile(const fs::path& path, const nlohmann::json& header, const std::string& data)
{
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t size = text.size();
    std::ofstream(path, std::ios::binary)
        << std::string(reinterpret_cast<const char*>(&size), sizeof size) << text << data;
}

/// Changes what the header says; data that no tensor has any more go as well, as files have no gaps.
inline void edit(const fs::path& file, const std::function<void(nlohmann::json&)>& change)
{
    const std::string bytes = readAll(file);
    nlohmann::json header = headerOf(bytes);
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    const std::string data = bytes.substr(sizeof size + size);
    change(header);
    std::string kept;
    for (auto& [name, tensor] : header.items())
        if (name != "__metadata__") {
            const std::size_t begin = tensor["data_offsets"][0], end = tensor["data_offsets"][1], at = kept.size();
            kept += data.substr(begin, end - begin);
            tensor["data_offsets"] = {at, kept.size()};
        }
    writeFile(file, header, kept);
}

/// Gives each tensor another name; an empty one takes it out.
inline void rename(const fs::path& file, const std::function<std::string(const std::string&)>& to)
{
    edit(file, [&](nlohmann::json& header) {
        nlohmann::json renamed = nlohmann::json::object();
        for (const auto& [name, tensor] : header.items())
            if (name == "__metadata__")
                renamed[name] = tensor;
            else if (const std::string other = to(name); !other.empty())
                renamed[other] = tensor;
        header = renamed;
    });
}

} // namespace renamedcheckpoint
