// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Checkpoints of real families in small with random weights and a tokenizer of bytes, so that any benchmark can be
// asked. Made from the golden folders at run time.

#include "core/io/safetensors/checkpoint.h"
#include "core/io/safetensors/safetensorswriter.h"
#include "core/io/textfiles/pythonjson.h"
#include "core/lm/weights/weights.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace smallcheckpoint {

using namespace headscope;

constexpr int kVocabulary = 264; ///< 256 bytes, then special tokens
constexpr int kPositions = 4096;

/// Every byte is a token: the reference alphabet of byte-level BPE without merges.
inline nlohmann::json tokenizerFile()
{
    nlohmann::json vocabulary = nlohmann::json::object();
    int next = 256;
    for (int byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
        const int point = printable ? byte : next++;
        std::string letter;
        if (point < 128) {
            letter = static_cast<char>(point);
        } else {
            letter = {static_cast<char>(0xc0 | (point >> 6)), static_cast<char>(0x80 | (point & 0x3f))};
        }
        vocabulary[letter] = byte;
    }
    return {
        {"version", "1.0"},
        {"added_tokens", nlohmann::json::array()},
        {"pre_tokenizer",
         {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}}},
        {"decoder", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}}},
        {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", nlohmann::json::array()}}}};
}

/// The text that Python's json module writes, with its word for infinity.
inline std::string asPython(const nlohmann::json& config)
{
    std::string text = config.dump(1);
    const std::string number = nlohmann::json(io::kInfinityRead).dump();
    for (std::size_t at = text.find(number); at != std::string::npos; at = text.find(number, at))
        text.replace(at, number.size(), "Infinity");
    return text;
}

/// A table of so many rows: its own again and again, each time a little different.
inline at::Tensor grown(const at::Tensor& table, int rows)
{
    const std::int64_t times = (rows + table.size(0) - 1) / table.size(0);
    std::vector<std::int64_t> repeats(static_cast<std::size_t>(table.dim()), 1);
    repeats[0] = times;
    std::vector<std::int64_t> column(static_cast<std::size_t>(table.dim()), 1);
    column[0] = rows;
    return table.repeat(repeats).narrow(0, 0, rows) + 0.01 * at::arange(rows).sin().view(column);
}

/// The config of a golden model for kVocabulary tokens and kPositions positions.
inline nlohmann::json raised(nlohmann::json config)
{
    nlohmann::json& own = config.contains("MixerModel")    ? config["input"]
                          : config.contains("text_config") ? config["text_config"]
                                                           : config;
    for (const char* key : {"vocab_size", "vocab_size_per_layer_input"})
        if (own.contains(key) || std::string_view(key) == "vocab_size")
            own[key] = kVocabulary;
    for (const char* key : {"max_position_embeddings", "n_positions", "n_ctx", "max_seq_len"})
        if (own.contains(key))
            own[key] = kPositions;
    return config;
}

/// Writes the golden model of a family with a larger vocabulary below `parent`; returns its folder.
inline std::string make(const std::string& parent, const std::string& family)
{
    const auto golden = std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / family;
    const auto folder = std::filesystem::path(parent) / ("small-" + family);
    std::filesystem::create_directories(folder);
    std::ifstream in(golden / "config.json");
    const std::string written(std::istreambuf_iterator<char>(in), {});
    std::ofstream(folder / "config.json") << asPython(raised(*io::parsePythonJson(written)));
    std::ofstream(folder / "tokenizer.json") << tokenizerFile().dump();
    const auto checkpoint = *io::Checkpoint::open(golden);
    lm::Weights weights(checkpoint, {});
    std::vector<at::Tensor> held;
    std::vector<io::TensorToWrite> out;
    for (const std::string& name : checkpoint->names()) {
        const io::Dtype dtype = checkpoint->find(name)->info.dtype;
        if (dtype != io::Dtype::F32 && dtype != io::Dtype::BF16) // masks that old files keep
            continue;
        at::Tensor tensor = weights.take(name, checkpoint->find(name)->info.shape).to(at::kFloat);
        if (name.ends_with("embed_positions.weight"))
            tensor = grown(tensor, kPositions + 2);
        else if ((name.find("embed") != std::string::npos && name.find("unembed") == std::string::npos
                  && name.find("norm.") == std::string::npos)
                 || name.find("lm_head") != std::string::npos || name.ends_with("wte.weight"))
            tensor = grown(tensor, kVocabulary);
        else if (name.ends_with("wpe.weight"))
            tensor = grown(tensor, kPositions);
        held.push_back(tensor.contiguous());
        out.push_back(
            {name, io::Dtype::F32, held.back().sizes().vec(),
             std::as_bytes(std::span(held.back().data_ptr<float>(), static_cast<std::size_t>(held.back().numel())))});
    }
    const auto stored = io::writeSafetensors(folder / "model.safetensors", out);
    return stored.has_value() ? folder.string() : std::string();
}

} // namespace smallcheckpoint
