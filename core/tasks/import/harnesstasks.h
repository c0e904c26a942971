// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The benchmark families, each adding its leaves to a TaskSet. Internal to core/tasks; registry.cpp is the caller.

#include "core/tasks/import/assembly.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

/// arc_challenge, arc_easy, piqa, winogrande, hellaswag, openbookqa.
[[nodiscard]] const std::vector<TaskInfo>& choiceTasks();
[[nodiscard]] Result<void> addChoiceTask(TaskSet& set, std::string_view name, const DataFolder& folder,
                                         const TaskOptions& options);

/// lambada_openai, gsm8k, swde, swde_v1, arc_challenge_chat, arc_challenge_chat_newlines.
[[nodiscard]] const std::vector<TaskInfo>& openTasks();
[[nodiscard]] Result<void> addOpenTask(TaskSet& set, std::string_view name, const DataFolder& folder,
                                       const TaskOptions& options);

/// cloze: the last word of a paragraph of plain text in which it occurs before; paragraphs of 120 to 1600 bytes.
[[nodiscard]] const TaskInfo& clozeTask();
[[nodiscard]] Result<void> addCloze(TaskSet& set, const DataFolder& folder, const TaskOptions& options);

/// mmlu, mmlu_stem, mmlu_humanities, mmlu_social_sciences, mmlu_other, mmlu_<subject>.
[[nodiscard]] const std::vector<TaskInfo>& mmluTasks();
[[nodiscard]] Result<void> addMmlu(TaskSet& set, std::string_view name, const DataFolder& folder,
                                   const TaskOptions& options);

/// bbh (= bbh_cot_fewshot), bbh_fewshot, bbh_zeroshot, bbh_cot_zeroshot, and each with suffix _<task>.
[[nodiscard]] const std::vector<TaskInfo>& bbhTasks();
[[nodiscard]] Result<void> addBbh(TaskSet& set, std::string_view name, const DataFolder& folder,
                                  const TaskOptions& options);

/// Labels and texts of one row's choices, ARC's and OpenBookQA's, nested or flat, checked. Empty after a rejection.
struct LabelledChoices {
    std::vector<std::string> labels;
    std::vector<std::string> texts;
};
[[nodiscard]] LabelledChoices readLabelledChoices(RowReader& reader, const nlohmann::json& choices);

} // namespace headscope::tasks
