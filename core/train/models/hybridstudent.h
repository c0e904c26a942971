// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A Llama with some attention heads kept and the others replaced by SSM heads, as tensors and config of an ordinary
// Hybrid-Llamba folder. Training thread.

#include "core/base/result.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace headscope::train {

/// The parts of a teacher's config and checkpoint from which a student is made.
struct Teacher {
    std::filesystem::path folder;
    nlohmann::json config;
    int layers = 0, hidden = 0, heads = 0, kvHeads = 0, headDim = 0, inner = 0;
    std::map<std::string, at::Tensor> tensors; ///< fp32, by their names in the checkpoint

    /// Loads a teacher. Fails for families other than Llama or Mistral without biases, and for a norm that
    /// Hybrid-Llamba does not have. `windows`: also SmolLM3, some of whose layers attend only to the last tokens.
    [[nodiscard]] static Result<Teacher> load(const std::filesystem::path& folder, const at::Device& device,
                                              bool windows = false);
    /// Return the rows of W_Q, W_K, W_V of a query head, and its columns of W_O: [P, D], [P, D], [P, D], [D, P].
    [[nodiscard]] at::Tensor query(int layer, int head) const;
    [[nodiscard]] at::Tensor key(int layer, int head) const;
    [[nodiscard]] at::Tensor value(int layer, int head) const;
    [[nodiscard]] at::Tensor output(int layer, int head) const;
};

struct StudentShape {
    std::vector<std::vector<int>> kept; ///< per layer the attention heads to keep, sorted
    int state = 16;                     ///< N of the SSM heads
    int taps = 4;                       ///< width of their convolution

    [[nodiscard]] std::vector<int> replaced(int layer, int heads) const;
};

/// Everything in a Hybrid-Llamba folder except the tokenizer.
struct Student {
    StudentShape shape;
    nlohmann::ordered_json config;
    std::map<std::string, at::Tensor> tensors;

    /// Returns "backbone.layers.2.mixer1."; "...mixer." if no attention head is kept.
    [[nodiscard]] static std::string ssmPrefix(int layer, std::size_t kept);
    /// Returns the names of the tensors below an SSM mixer.
    [[nodiscard]] std::vector<std::string> ssmTensors() const;
};

/// Makes a student with the teacher's kept heads unchanged. SSM heads start from the teacher's values and outputs, with
/// matching terms from its keys and queries; or, with `start`, from the heads of an all-SSM student of the same teacher
/// and state size.
[[nodiscard]] Result<Student> makeStudent(const Teacher& teacher, const StudentShape& shape, std::uint64_t seed,
                                          const Student* start = nullptr);

/// Loads an all-SSM student written by writeStudent().
[[nodiscard]] Result<Student> loadStudent(const std::filesystem::path& folder, const Teacher& teacher,
                                          const StudentShape& shape);

/// Writes config.json, model.safetensors, README.md and the teacher's tokenizer files.
[[nodiscard]] Result<void> writeStudent(const Student& student, const Teacher& teacher,
                                        const std::filesystem::path& folder, const std::string& card);

} // namespace headscope::train
