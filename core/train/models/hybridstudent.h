// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A Llama with some attention heads kept and the others replaced by SSM heads, as the tensors and the config of an
// ordinary Hybrid-Llamba folder. Training thread.

#include "core/base/result.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headscope::train {

/// What of the teacher's config and checkpoint a student is made from.
struct Teacher {
    std::filesystem::path folder;
    nlohmann::json config;
    int layers = 0, hidden = 0, heads = 0, kvHeads = 0, headDim = 0, inner = 0;
    std::map<std::string, at::Tensor> tensors; ///< fp32, by their names in the checkpoint

    /// Fails for another family than Llama or Mistral without biases, and for a norm that Hybrid-Llamba does not have.
    /// `windows`: also SmolLM3, some of whose layers see the last tokens alone.
    [[nodiscard]] static Result<Teacher> load(const std::filesystem::path& folder, const at::Device& device,
                                              bool windows = false);
    /// Rows of W_Q, W_K, W_V that make a query head, and its columns of W_O: [P, D], [P, D], [P, D], [D, P].
    [[nodiscard]] at::Tensor query(int layer, int head) const;
    [[nodiscard]] at::Tensor key(int layer, int head) const;
    [[nodiscard]] at::Tensor value(int layer, int head) const;
    [[nodiscard]] at::Tensor output(int layer, int head) const;
};

struct StudentShape {
    std::vector<std::vector<int>> kept; ///< per layer the attention heads that stay, sorted
    int state = 16;                     ///< N of the SSM heads
    int taps = 4;                       ///< width of their convolution

    [[nodiscard]] std::vector<int> replaced(int layer, int heads) const;
};

/// Everything of a Hybrid-Llamba folder but the tokenizer.
struct Student {
    StudentShape shape;
    nlohmann::ordered_json config;
    std::map<std::string, at::Tensor> tensors;

    /// "backbone.layers.2.mixer1."; where no attention head is kept "...mixer.".
    [[nodiscard]] static std::string ssmPrefix(int layer, std::size_t kept);
    /// Names of the tensors below an SSM mixer.
    [[nodiscard]] std::vector<std::string> ssmTensors() const;
};

/// The teacher with its kept heads as they are. SSM heads start from the teacher's values and outputs, with matching
/// terms from its keys and queries; or, with `start`, from the heads of an all-SSM student of the same teacher and
/// state size.
[[nodiscard]] Result<Student> makeStudent(const Teacher& teacher, const StudentShape& shape, std::uint64_t seed,
                                          const Student* start = nullptr);

/// An all-SSM student that writeStudent wrote.
[[nodiscard]] Result<Student> loadStudent(const std::filesystem::path& folder, const Teacher& teacher,
                                          const StudentShape& shape);

/// config.json, model.safetensors, README.md and the teacher's tokenizer files.
[[nodiscard]] Result<void> writeStudent(const Student& student, const Teacher& teacher,
                                        const std::filesystem::path& folder, const std::string& card);

} // namespace headscope::train
