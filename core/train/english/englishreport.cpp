// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/english/englishreport.h"

#include "core/train/english/ngram.h"
#include "core/train/format.h"

#include <algorithm>
#include <cmath>

namespace headscope::train {

namespace {

constexpr std::int64_t kProseTokens = 64 * 1024; ///< of the base; a head's row reads a quarter of it
constexpr std::size_t kMostTogether = 3;
constexpr std::size_t kCandidates = 10; ///< heads that are tried as the next of those together
constexpr double kLiveAccuracy = 0.05, kLiveNats = 0.01;

HeadScales without(const Network& network, const std::vector<HeadId>& heads)
{
    HeadScales scales = fullScales(network);
    for (const HeadId head : heads)
        scales[static_cast<std::size_t>(head.layer)][static_cast<std::size_t>(head.head)] = 0.0F;
    return scales;
}

bool isLive(const EnglishScores& base, const EnglishScores& off)
{
    for (std::size_t cell = 0; cell < kEnglishTasks.size(); ++cell)
        if (base.accuracy[cell] - off.accuracy[cell] >= kLiveAccuracy)
            return true;
    return off.prose - base.prose >= kLiveNats;
}

// Which heads together carry dictionaries: greedily, among those that cost most alone.
std::vector<HeadId> findTogether(const Network& network, const EnglishTests& tests,
                                 const std::vector<EnglishHeadRow>& heads)
{
    std::vector<HeadId> chosen;
    while (chosen.size() < kMostTogether) {
        double lowest = 2.0;
        HeadId next;
        for (std::size_t i = 0; i < std::min(kCandidates, heads.size()); ++i) {
            const HeadId head = heads[i].behaviour.head;
            if (std::find(chosen.begin(), chosen.end(), head) != chosen.end())
                continue;
            std::vector<HeadId> tried = chosen;
            tried.push_back(head);
            if (const double left = tests.accuracy(network, without(network, tried), Kv8); left < lowest) {
                lowest = left;
                next = head;
            }
        }
        if (lowest > 1.0)
            break;
        chosen.push_back(next);
    }
    return chosen;
}

class Judge
{
public:
    void least(const char* what, double found, double limit)
    {
        rows.push_back({format("%s at least %.2f", what, limit), format("%.2f", found), found >= limit});
    }
    void most(const std::string& what, double found, double limit)
    {
        rows.push_back({format("%s at most %.2f", what.c_str(), limit), format("%.2f", found), found <= limit});
    }
    std::vector<Requirement> rows;
};

std::vector<Requirement> judge(const EnglishReport& report)
{
    const auto& found = report.base.accuracy;
    const bool attention = report.layers.find('A') != std::string::npos;
    const bool pure = report.layers.find('S') == std::string::npos;
    Judge judge;
    judge.least("word_kv, 4 pairs", found[Kv4], attention ? 0.97 : 0.70);
    if (attention) {
        judge.least("word_kv, 8 pairs", found[Kv8], 0.95);
        judge.least("word_kv, 16 pairs", found[Kv16], 0.90);
        judge.least("passage_mc", found[PassageMc], pure ? 0.95 : 0.90);
        judge.least("ioi", found[Ioi], 0.95);
        judge.least("induction", found[Induction], 0.95);
    }
    judge.rows.push_back({"prose better than the 5-gram model",
                          format("%.3f against %.3f nats a token", report.base.prose, report.fiveGram),
                          report.base.prose < report.fiveGram});
    judge.least("facts", found[Facts], 0.95);
    if (attention && !report.withoutTogether.empty()) {
        const EnglishScores& off = report.withoutTogether.back();
        judge.most("word_kv, 8 pairs, with three heads off", off.accuracy[Kv8], 0.20);
        judge.most("facts lost with them", report.headBase.accuracy[Facts] - off.accuracy[Facts], 0.02);
        judge.most("nats of prose lost with them", off.prose - report.headBase.prose, 0.05);
        double sharpest = 0;
        for (const EnglishHeadRow& row : report.heads)
            if (row.behaviour.head == report.together.front())
                sharpest = std::exp(row.behaviour.entropy);
        judge.most("effective tokens in the last row of the first of them", sharpest, 3.0);
    }
    const auto live =
        std::count_if(report.heads.begin(), report.heads.end(), [](const EnglishHeadRow& row) { return row.live; });
    judge.rows.push_back({"at least 12 live heads", std::to_string(live), live >= 12});
    return judge.rows;
}

} // namespace

Result<EnglishReport> measureEnglish(const Network& network, const std::shared_ptr<const EnglishMaterial>& material,
                                     int proseRow, int prompts, int headPrompts, const Control& control)
{
    // 1. The whole model, and what counting gets out of the same corpus.
    EnglishReport report;
    report.layers = network.shape().layers;
    report.prompts = prompts;
    report.headPrompts = headPrompts;
    const EnglishTests whole(material, proseRow, prompts, kProseTokens);
    report.base = whole.evaluate(network, fullScales(network));
    report.fiveGram = nats(NgramModel(material->prose, network.shape().vocabulary), whole.proseTokens(), proseRow);
    report.bitsPerByte = report.base.prose * static_cast<double>(material->heldOut.size())
                         / static_cast<double>(material->heldOutBytes) / std::log(2.0);

    // 2. Every head off in turn, on fewer texts.
    const EnglishTests tests(material, proseRow, headPrompts, kProseTokens / 4);
    report.headBase = tests.evaluate(network, fullScales(network));
    const auto measure = [&](const std::vector<HeadId>& off) { return tests.evaluate(network, without(network, off)); };
    const std::vector<HeadBehaviour> all = tests.behaviours(network);
    std::int64_t done = 0;
    for (const HeadBehaviour& behaviour : all) {
        if (control.stopped())
            return cancelledError();
        const EnglishScores off = measure({behaviour.head});
        report.heads.push_back({behaviour, off, isLive(report.headBase, off)});
        control.progress("measuring heads", ++done, static_cast<std::int64_t>(all.size()));
    }
    std::stable_sort(report.heads.begin(), report.heads.end(), [](const EnglishHeadRow& a, const EnglishHeadRow& b) {
        return a.scores.accuracy[Kv8] < b.scores.accuracy[Kv8];
    });

    // 3. Up to three together.
    report.together = findTogether(network, tests, report.heads);
    for (std::size_t count = 1; count <= report.together.size(); ++count) {
        if (control.stopped())
            return cancelledError();
        report.withoutTogether.push_back(
            measure({report.together.begin(), report.together.begin() + static_cast<std::ptrdiff_t>(count)}));
    }
    report.acceptance = judge(report);
    return report;
}

} // namespace headscope::train
