// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small tokenizers of our own for the tokenizer tests, and folders to put them in.

#include "core/text/tokenizer.h"
#include "tests/support/goldens.h"

#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace tokenizerfixture {

using nlohmann::json;
namespace fs = std::filesystem;

inline json added(const std::string& content, int id, bool special = true)
{
    return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
            {"rstrip", false}, {"normalized", false}, {"special", special}};
}

/// Byte-level BPE over all 256 bytes with a few merges: "he", "ll", "hell", "hello", " w" and "or".
inline json byteLevel()
{
    json vocab = json::object();
    int next = 0;
    char32_t spare = 0x100;
    for (unsigned b = 0; b < 256; ++b) {
        const bool itself = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
        const char32_t c = itself ? b : spare++;
        std::string s;
        if (c < 0x80) {
            s += static_cast<char>(c);
        } else {
            s += static_cast<char>(0xC0 | (c >> 6));
            s += static_cast<char>(0x80 | (c & 0x3F));
        }
        vocab[s] = next++;
    }
    const std::vector<std::pair<std::string, std::string>> merges = {{"h", "e"},    {"l", "l"},        {"he", "ll"},
                                                                     {"hell", "o"}, {"\xC4\xA0", "w"}, {"o", "r"}};
    json list = json::array();
    for (const auto& [left, right] : merges) {
        vocab[left + right] = next++;
        list.push_back(left + " " + right);
    }
    const json level = {
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
    return {{"version", "1.0"},
            {"added_tokens", json::array({added("<|end|>", next)})},
            {"normalizer", nullptr},
            {"pre_tokenizer", level},
            {"post_processor", nullptr},
            {"decoder", level},
            {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", list}}}};
}

/// Words separated by white space; "<unk>" for the rest.
inline json wordLevel()
{
    return {{"version", "1.0"},
            {"added_tokens", json::array({added("<unk>", 0)})},
            {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
            {"model",
             {{"type", "WordLevel"},
              {"unk_token", "<unk>"},
              {"vocab", {{"<unk>", 0}, {"red", 1}, {"blue", 2}, {"redblue", 3}}}}}};
}

/// A folder with the files that are written into it.
class Folder
{
public:
    void write(const std::string& name, const std::string& bytes) const
    {
        std::ofstream(path() / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    void write(const std::string& name, const json& value) const { write(name, value.dump()); }
    [[nodiscard]] fs::path path() const { return m_dir.path().toStdString(); }
    [[nodiscard]] auto load() const { return headscope::text::Tokenizer::load(path()); }

private:
    QTemporaryDir m_dir;
};

/// Loads a tokenizer.json, or fails the test with the reason.
inline std::shared_ptr<const headscope::text::Tokenizer> load(const json& file)
{
    const Folder folder;
    folder.write("tokenizer.json", file);
    auto tokenizer = folder.load();
    if (!tokenizer.has_value()) {
        QTest::qFail(tokenizer.error().message.c_str(), __FILE__, __LINE__);
        return nullptr;
    }
    return *tokenizer;
}

/// Folders with a tokenizer.json and the reference's answers.
inline std::vector<goldens::Folder> goldenFolders()
{
    return goldens::foldersIn("tokenizers", "golden/tokenizers");
}

} // namespace tokenizerfixture
