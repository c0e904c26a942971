// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/fits.h"

#include <algorithm>
#include <iterator>

namespace headscope::experiments {

namespace {

struct Need {
    const char* id;
    lm::FamilyKind kind;
    const char* why;
};

constexpr const char* kStudents = "Its students are made of a Transformer's heads; expected a Transformer.";
constexpr Need kNeeds[] = {
    {"hybrid-masking", lm::FamilyKind::Hybrid, "It takes attention heads from a hybrid; expected one."},
    {"retrieval-guided-hybrids", lm::FamilyKind::Transformer, kStudents},
    {"perplexity", lm::FamilyKind::Transformer, kStudents},
    {"state-size", lm::FamilyKind::Transformer, kStudents},
};

} // namespace

std::string misfit(const Experiment& experiment, lm::FamilyKind kind)
{
    const auto* need =
        std::find_if(std::begin(kNeeds), std::end(kNeeds), [&](const Need& one) { return one.id == experiment.id; });
    return need == std::end(kNeeds) || need->kind == kind ? "" : need->why;
}

} // namespace headscope::experiments
