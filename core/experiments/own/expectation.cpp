// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/own/expectation.h"

#include "core/experiments/benchmarknames.h"
#include "core/experiments/words/language.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

using Change = Expectation::Change;
using Where = Expectation::Where;

constexpr double kNothingToGain = 0.99;

/// A benchmark as it is meant, whatever stands for it.
std::string meant(const std::string& key)
{
    return key == "mmlu" ? translated("multiple choice")
           : key == "kv" ? translated("KV retrieval")
                         : benchmarkName(key);
}

std::string listedNames(const std::vector<std::string>& keys, const std::string& between)
{
    std::string text;
    for (const std::string& key : keys)
        text += (text.empty() ? "" : between) + meant(key);
    return text;
}

std::string expectedChange(const Expectation& expected)
{
    const std::string what = listedNames(expected.benchmarks, " or ");
    switch (expected.change) {
    case Change::Collapses: return "at least half of what " + what + " has above the floor is gone";
    case Change::Falls: return what + " falls";
    case Change::Rises: return what + " rises";
    case Change::Keeps: break;
    }
    return what + " loses less than 10 points (whole interval)";
}

bool controls(const Definition& study)
{
    return std::any_of(study.conditions.begin(), study.conditions.end(),
                       [](const Condition& condition) { return condition.control; });
}

bool isControl(const Definition& study, const std::string& name)
{
    return std::any_of(study.conditions.begin(), study.conditions.end(),
                       [&](const Condition& condition) { return condition.control && condition.name == name; });
}

/// Benchmarks on which the expected change could be seen at all.
std::vector<std::string> usable(const Definition& study, const Evidence& evidence)
{
    const Expectation& expected = study.expected;
    if (expected.change != Change::Rises)
        return evidence.answered(expected.benchmarks);
    std::vector<std::string> open;
    for (const std::string& key : expected.benchmarks)
        if (evidence.carries(evidence.first(), key)
            && evidence.table().value(evidence.first(), key).value_or(1) < kNothingToGain)
            open.push_back(key);
    return open;
}

bool changesAsSaid(Change change, const Evidence& evidence, const Row& row, const std::string& key)
{
    switch (change) {
    case Change::Collapses: return evidence.collapses(evidence.first(), row, key);
    case Change::Falls: return evidence.falls(row, key);
    case Change::Rises: return evidence.rises(row, key);
    case Change::Keeps: break;
    }
    return evidence.keeps(row, key);
}

/// Of some benchmarks: what the conditions show.
struct Observation {
    int conditions = 0, changed = 0, clean = 0; ///< clean: changed, and what should keep keeps
    int controls = 0;                           ///< controls that change too
    std::string names;                          ///< of the changed
    const Row* strongest = nullptr;             ///< the first clean one, else the first changed one
    std::string key;                            ///< of it
};

bool keepsRest(const Definition& study, const Evidence& evidence, const Row& row)
{
    const auto& kept = study.expected.kept;
    return std::all_of(kept.begin(), kept.end(), [&](const std::string& key) { return evidence.keeps(row, key); });
}

Observation seenIn(const Definition& study, const Evidence& evidence, const std::vector<std::string>& keys)
{
    Observation seen;
    const Table& table = evidence.table();
    for (std::size_t i = 1; i < table.rows.size(); ++i) {
        const Row& row = table.rows[i];
        const auto key = std::find_if(keys.begin(), keys.end(), [&](const std::string& one) {
            return changesAsSaid(study.expected.change, evidence, row, one);
        });
        if (isControl(study, table.text(row, "condition"))) {
            seen.controls += key != keys.end() ? 1 : 0;
            continue;
        }
        ++seen.conditions;
        if (key == keys.end())
            continue;
        ++seen.changed;
        seen.names += (seen.names.empty() ? "" : ", ") + translatedName(table.text(row, "condition"));
        const bool clean = keepsRest(study, evidence, row);
        if (!seen.strongest || (clean && seen.clean == 0)) {
            seen.strongest = &row;
            seen.key = *key;
        }
        seen.clean += clean ? 1 : 0;
    }
    return seen;
}

Verdict expectationVerdict(const Expectation& expected, const Observation& seen)
{
    if (seen.changed == 0)
        return Verdict::DoesNotAppear;
    const bool enough = expected.where == Where::Every ? seen.clean == seen.conditions
                                                       : seen.clean > 0 && 2 * seen.changed <= seen.conditions;
    return enough && seen.controls == 0 ? Verdict::Appears : Verdict::InPart;
}

std::string whyOf(const Definition& study, const Evidence& evidence, const Observation& seen)
{
    const Table& table = evidence.table();
    std::string text = translated("seen in {} of {} conditions", seen.changed, seen.conditions)
                       + (seen.changed > 0 ? " (" + seen.names + ")" : "");
    if (controls(study))
        text += translated(", in {} of the controls", seen.controls);
    if (!seen.strongest)
        return text;
    text += "; " + translatedName(table.text(*seen.strongest, "condition")) + " "
            + evidence.change(evidence.first(), *seen.strongest, seen.key);
    for (const std::string& key : study.expected.kept)
        text += ", " + evidence.change(evidence.first(), *seen.strongest, key);
    return text;
}

} // namespace

std::string ruleOf(const Definition& study)
{
    const Expectation& expected = study.expected;
    const bool tested = expected.change != Change::Keeps;
    std::string text = expected.where == Where::Every
                           ? "Appears: in every other condition "
                           : "Appears: in at least one and at most half of the other conditions ";
    text += expectedChange(expected) + (tested ? " (paired test, Holm, p < 0.05)" : "");
    if (!expected.kept.empty())
        text += std::string(expected.where == Where::Every ? ", and there " : ", and in one of them ")
                + listedNames(expected.kept, " and ") + " loses less than 10 points (whole interval)";
    if (controls(study))
        text += "; in no control";
    return text + ". In part: some of this. Compared with: " + study.conditions.front().name + ".";
}

Judgement judgeExpectation(const Definition& study, const Evidence& evidence)
{
    const auto keys = usable(study, evidence);
    const std::string first = translatedName(study.conditions.front().name);
    if (keys.empty())
        return {Verdict::CanNotTell, study.expected.change == Change::Rises
                                         ? translated("{}: there is nothing left to gain, or too few rows", first)
                                         : translated("{}: {} is not answered above the floor on enough rows", first,
                                                      listedNames(study.expected.benchmarks, translated(" or ")))};
    if (study.expected.where == Where::Some) {
        const Observation seen = seenIn(study, evidence, keys);
        return {expectationVerdict(study.expected, seen), whyOf(study, evidence, seen)};
    }
    // One benchmark that shows it in every condition is enough.
    std::optional<Judgement> best;
    for (const std::string& key : keys) {
        const Observation seen = seenIn(study, evidence, {key});
        const Judgement one{expectationVerdict(study.expected, seen), whyOf(study, evidence, seen)};
        if (!best || one.verdict < best->verdict)
            best = one;
    }
    return *best;
}

} // namespace headscope::experiments
