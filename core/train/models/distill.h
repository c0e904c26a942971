// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Replaces attention heads of a Transformer by SSM heads that are aligned with it in three stages, following MOHAWK
// (Bick et al. 2024, arXiv 2408.10189): matrix orientation, hidden states, logits. Training thread.

#include "core/base/progress.h"
#include "core/train/models/hybridstudent.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headscope::train {

struct DistillStage {
    int steps = 0; ///< 0: stage skipped
    double rate = 1e-3;
};

struct DistillOptions {
    DistillStage orientation{
        100, 1e-2}; ///< each SSM head's matrix to its attention head's, on the teacher's own inputs of the layer
    DistillStage hidden{100, 5e-3}; ///< each layer's SSM output to the contribution of the replaced heads
    DistillStage logits{100, 2e-3}; ///< the whole student to the teacher's next-token distribution
    bool trainAll = false;          ///< logits: all tensors, not only the SSM heads
    int texts = 12;                 ///< per step
    int length = 128;               ///< tokens per text, with the user's own text
    std::vector<int> text;          ///< ids of that text; empty: the toy task mix
    std::uint64_t seed = 0;
    at::Device device = at::kCPU;
    std::optional<std::filesystem::path> start; ///< an all-SSM student of the same teacher and state size to start from
};

struct DistillReport {
    struct Stage {
        std::string name;
        int steps = 0;
        double first = 0, last = 0; ///< loss, means over the first and the last tenth of the steps
    };
    std::vector<Stage> stages;
    double seconds = 0;
};

/// Distils and writes the student's folder. Fails for an unsupported teacher, for toy texts with another vocabulary,
/// and when stopped (nothing is written then).
[[nodiscard]] Result<DistillReport> distill(const std::filesystem::path& teacher, const StudentShape& shape,
                                            const DistillOptions& options, const std::filesystem::path& folder,
                                            const Control& control, const std::function<void(const std::string&)>& log);

} // namespace headscope::train
