// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/students.h"

#include "core/experiments/battery.h"

#include <algorithm>
#include <utility>

namespace headscope::experiments {

Result<std::vector<StudentPlan>> planStudents(Lab& lab, Bench& teacher, const std::vector<int>& counts, int randomDraws)
{
    const auto ranked = lab.rank(teacher, teacher.suite.kv(teacher.suite.pairs()));
    if (!ranked.has_value())
        return ranked.error();
    std::vector<StudentPlan> plans;
    for (const int count : counts)
        plans.push_back({"ranked", firstOf(ranked->heads, static_cast<std::size_t>(count))});
    const int most = counts.empty() ? 0 : counts.back();
    const auto top = firstOf(ranked->heads, static_cast<std::size_t>(most));
    std::vector<HeadRef> others;
    for (const HeadRef& head : ranked->live)
        if (std::find(top.begin(), top.end(), head) == top.end())
            others.push_back(head);
    for (int draw = 1; draw <= randomDraws && static_cast<int>(others.size()) >= most; ++draw)
        plans.push_back({"random " + std::to_string(draw),
                         randomHeads(others, most, lab.settings().seed + static_cast<std::uint64_t>(1000 + draw))});
    plans.push_back({"all (teacher)", engine::allHeads(teacher.spec()), true});
    return plans;
}

Result<std::shared_ptr<Bench>> openStudent(Lab& lab, const std::shared_ptr<Bench>& teacher, const StudentPlan& plan,
                                           int state)
{
    if (plan.teacher || lab.planning())
        return teacher;
    const auto folder = lab.distil({.teacher = *teacher, .kept = plan.kept, .state = state});
    return folder.has_value() ? lab.open(*folder) : Result<std::shared_ptr<Bench>>(folder.error());
}

std::function<Result<void>(Lab&)>
eachTeacher(std::function<Result<void>(Lab& lab, const std::shared_ptr<Bench>& teacher)> measure)
{
    return [measure = std::move(measure)](Lab& lab) {
        lab.addNote(
            "Distilled here: an all-SSM student is aligned with the teacher by matrix orientation and hidden states; "
            "each student starts from it, with the kept heads as the teacher has them, and only its SSM heads "
            "learn the teacher's logits. Embedding, MLPs, norms and kept heads stay the teacher's.");
        return forEachModel(lab, [&](const std::shared_ptr<Bench>& teacher) { return measure(lab, teacher); });
    };
}

void addStudentColumns(std::vector<Column>& columns)
{
    const auto battery = batteryColumns(kStudentKeys);
    columns.insert(columns.end(), battery.begin(), battery.end());
    const std::pair<const char*, const char*> others[] = {
        {"arc_challenge", "ARC-C"}, {"arc_easy", "ARC-E"}, {"piqa", "PIQA"},
        {"winogrande", "WG"},       {"hellaswag", "HS"},   {"openbookqa", "OBQA"},
        {"lambada_acc", "LMB"},     {"gsm8k", "GSM8K"},    {"swde", "SWDE"}};
    for (const auto& [key, title] : others)
        columns.push_back({key, title, Unit::Share});
}

} // namespace headscope::experiments
