// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Hybrids made from a Transformer for an experiment: the heads that stay attention, and the battery measured on each.
// Worker thread.

#include "core/experiments/experimentheads.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headscope::experiments {

/// A planned model: first the teacher, then students with the first k heads of its ranking and with k random live ones
struct StudentPlan {
    std::string name; ///< "ranked", "random 1", "all (teacher)"
    std::vector<HeadRef> kept;
    bool teacher = false;
};

/// Plans students for k in `counts`, with `randomDraws` controls for the largest k. Random heads are drawn from live
/// heads outside the first k.
[[nodiscard]] Result<std::vector<StudentPlan>> planStudents(Lab& lab, Bench& teacher, const std::vector<int>& counts,
                                                            int randomDraws);

/// Opens the plan's model, distilling it first if it does not exist. While planning, returns the teacher's bench.
[[nodiscard]] Result<std::shared_ptr<Bench>> openStudent(Lab& lab, const std::shared_ptr<Bench>& teacher,
                                                         const StudentPlan& plan, int state);

/// Returns an experiment's run that opens the lab's models one after the other as teachers, after a note on the effects
/// of distillation on students.
[[nodiscard]] std::function<Result<void>(Lab&)>
eachTeacher(std::function<Result<void>(Lab& lab, const std::shared_ptr<Bench>& teacher)> measure);

/// Benchmarks measured on every student, and those in the paper's tables of hybrids.
inline const std::vector<std::string> kStudentKeys = {"mmlu", "knowledge", "kv"};
inline const std::vector<std::string> kHybridPaperKeys = {"arc_challenge", "arc_easy",   "piqa",        "winogrande",
                                                          "hellaswag",     "openbookqa", "lambada_acc", "mmlu",
                                                          "gsm8k",         "swde",       "kv"};
/// Adds the columns of kStudentKeys, then those filled only by the paper.
void addStudentColumns(std::vector<Column>& columns);

} // namespace headscope::experiments
