// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Checkpoints of real families in small with random weights and a tokenizer of bytes, so that any benchmark can be
// asked. Made from the golden folders at run time.

#include "core/io/checkpoint.h"
#include "core/io/safetensorswriter.h"
#include "core/lm/weights.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace smallcheckpoint {

using namespace headscope;

constexpr int kVocabulary = 264; ///< 256 bytes, then special tokens

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

/// Writes the golden model of a family with a larger vocabulary below `parent`; returns its folder.
inline std::string make(const std::string& parent, const std::string& family)
{
    const auto golden = std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / family;
    const auto folder = std::filesystem::path(parent) / ("small-" + family);
    std::filesystem::create_directories(folder);
    std::ifstream in(golden / "config.json");
    nlohmann::json config = nlohmann::json::parse(in);
    config["vocab_size"] = kVocabulary;
    if (config.contains("max_position_embeddings"))
        config["max_position_embeddings"] = 4096;
    std::ofstream(folder / "config.json") << config.dump(1);
    std::ofstream(folder / "tokenizer.json") << tokenizerFile().dump();
    const auto checkpoint = *io::Checkpoint::open(golden);
    lm::Weights weights(checkpoint, {});
    std::vector<at::Tensor> held;
    std::vector<io::TensorToWrite> out;
    for (const std::string& name : checkpoint->names()) {
        at::Tensor tensor = weights.take(name, checkpoint->find(name)->info.shape).to(at::kFloat);
        const bool table = name.find("embed") != std::string::npos || name.find("lm_head") != std::string::npos;
        if (table && tensor.dim() == 2)
            tensor = tensor.repeat({(kVocabulary + tensor.size(0) - 1) / tensor.size(0), 1}).narrow(0, 0, kVocabulary)
                     + 0.01 * at::arange(kVocabulary).unsqueeze(1).sin();
        held.push_back(tensor.contiguous());
        out.push_back(
            {name, io::Dtype::F32, held.back().sizes().vec(),
             std::as_bytes(std::span(held.back().data_ptr<float>(), static_cast<std::size_t>(held.back().numel())))});
    }
    const auto written = io::writeSafetensors(folder / "model.safetensors", out);
    return written.has_value() ? folder.string() : std::string();
}

} // namespace smallcheckpoint
