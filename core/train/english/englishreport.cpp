// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/english/englishreport.h"

#include "core/train/english/ngram.h"
#include "core/train/printedtext.h"

#include <algorithm>
#include <cmath>

namespace headscope::train {

namespace {

constexpr std::int64_t kProseTokens = 64 * 1024; ///< of the base; a head's row reads a quarter of it
constexpr std::size_t kMostTogether = 3;         ///< where there is attention
constexpr std::size_t kMostTogetherSsm = 8;      ///< else: as many as it takes to go below kBroken
constexpr double kBroken = 0.20;
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

// Which heads together carry a task: greedily, among those that cost most alone; where there are attention heads over
// the whole text, among those.
std::vector<HeadId> findTogether(const Network& network, const EnglishTests& tests, std::vector<EnglishHeadRow> heads,
                                 EnglishCell cell)
{
    const std::string& layers = network.shape().layers;
    const bool attention = layers.find('A') != std::string::npos;
    std::stable_sort(heads.begin(), heads.end(), [cell](const EnglishHeadRow& a, const EnglishHeadRow& b) {
        return a.scores.accuracy[cell] < b.scores.accuracy[cell];
    });
    std::vector<HeadId> candidates, chosen;
    for (const EnglishHeadRow& row : heads)
        if (candidates.size() < kCandidates
            && (!attention || layers[static_cast<std::size_t>(row.behaviour.head.layer)] == 'A'))
            candidates.push_back(row.behaviour.head);
    double left = 1.0;
    while (chosen.size() < (attention ? kMostTogether : kMostTogetherSsm) && (attention || left > kBroken)) {
        double lowest = 2.0;
        HeadId next;
        for (const HeadId head : candidates) {
            if (std::find(chosen.begin(), chosen.end(), head) != chosen.end())
                continue;
            std::vector<HeadId> tried = chosen;
            tried.push_back(head);
            if (const double found = tests.accuracy(network, without(network, tried), cell); found < lowest) {
                lowest = found;
                next = head;
            }
        }
        if (lowest > 1.0)
            break;
        left = lowest;
        chosen.push_back(next);
    }
    return chosen;
}

class EnglishJudge
{
public:
    /// What misses is told so exactly that it can be seen to.
    void add(const std::string& what, double found, bool met)
    {
        rows.push_back({what, format(met ? "%.2f" : "%.3f", found), met});
    }
    void least(const char* what, double found, double limit)
    {
        add(format("%s at least %.2f", what, limit), found, found >= limit - kShareRounding);
    }
    void most(const std::string& what, double found, double limit)
    {
        add(format("%s at most %.2f", what.c_str(), limit), found, found <= limit + kShareRounding);
    }
    std::vector<Requirement> rows;
};

// The most that a single SSM head costs of a task.
double ssmCost(const EnglishReport& report)
{
    double most = 0;
    for (const EnglishHeadRow& row : report.heads)
        for (std::size_t cell = 0; cell < kEnglishTasks.size(); ++cell)
            if (report.layers[static_cast<std::size_t>(row.behaviour.head.layer)] == 'S')
                most = std::max(most, report.headBase.accuracy[cell] - row.scores.accuracy[cell]);
    return most;
}

} // namespace

std::vector<Requirement> judgeEnglish(const EnglishReport& report)
{
    const auto& found = report.base.accuracy;
    const bool attention = report.layers.find('A') != std::string::npos;
    const bool pure = report.layers.find('S') == std::string::npos;
    EnglishJudge judge;
    judge.least("word_kv, 4 pairs", found[Kv4], attention ? 0.97 : 0.85);
    if (attention) {
        judge.least("word_kv, 8 pairs", found[Kv8], 0.97);
        judge.least("word_kv, 16 pairs", found[Kv16], 0.95);
        judge.least("word_kv, 32 pairs", report.longDictionaries[0], 0.95);
        judge.least("word_kv, 64 pairs", report.longDictionaries[1], 0.90);
        judge.least("passage_mc", found[PassageMc], pure ? 0.95 : 0.90);
        judge.least("ioi", found[Ioi], 0.95);
        judge.least("induction", found[Induction], 0.95);
    } else {
        judge.rows.push_back({"word_kv falling with pairs",
                              format("%.2f, %.2f, %.2f", found[Kv4], found[Kv8], found[Kv16]),
                              found[Kv4] >= found[Kv8] && found[Kv8] >= found[Kv16]});
        judge.most("word_kv, 32 pairs", report.longDictionaries[0], 0.75);
        judge.most("word_kv, 64 pairs", report.longDictionaries[1], 0.50);
    }
    judge.rows.push_back({"prose better than the 5-gram model",
                          format("%.3f against %.3f nats a token", report.base.prose, report.fiveGram),
                          report.base.prose < report.fiveGram});
    judge.least("facts", found[Facts], 0.95);
    if (attention && !report.withoutTogether.empty()) {
        const EnglishScores& off = report.withoutTogether.back();
        judge.most(pure ? "word_kv, 8 pairs, with three heads off" : "word_kv, 8 pairs, with three attention heads off",
                   off.accuracy[Kv8], kBroken);
        judge.most("facts lost with them", report.headBase.accuracy[Facts] - off.accuracy[Facts], 0.02);
        judge.most("nats of prose lost with them", off.prose - report.headBase.prose, 0.15);
        if (!report.withoutLetters.empty())
            judge.most("passage_mc with the three heads off that it needs most",
                       report.withoutLetters.back().accuracy[PassageMc], 0.35);
        if (!pure)
            judge.most("lost of any task without a single SSM head", ssmCost(report), 0.10);
    }
    const HeadBehaviour& reads = report.reader().behaviour;
    const std::string what = "effective tokens in the last row of the head that reads the value most";
    if (attention) {
        judge.most(what, std::exp(reads.entropy), 3.0);
        judge.least("mass of that row on the value", reads.massOnTarget, 0.70);
    } else {
        judge.rows.push_back(
            {what + ", more than 8.00", format("%.2f", std::exp(reads.entropy)), std::exp(reads.entropy) > 8.0});
    }
    const auto live =
        std::count_if(report.heads.begin(), report.heads.end(), [](const EnglishHeadRow& row) { return row.live; });
    judge.rows.push_back({"at least 12 live heads", std::to_string(live), live >= 12});
    return judge.rows;
}

const EnglishHeadRow& EnglishReport::reader() const
{
    return *std::max_element(heads.begin(), heads.end(), [](const EnglishHeadRow& a, const EnglishHeadRow& b) {
        return a.behaviour.massOnTarget < b.behaviour.massOnTarget;
    });
}

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
    for (std::size_t size = 0; size < kLongDictionaries.size(); ++size)
        report.longDictionaries[size] = whole.longDictionaries(network, size, prompts);
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
    const auto oneByOne = [&](const std::vector<HeadId>& together, std::vector<EnglishScores>& out) {
        for (std::size_t count = 1; count <= together.size() && !control.stopped(); ++count)
            out.push_back(measure({together.begin(), together.begin() + static_cast<std::ptrdiff_t>(count)}));
    };
    report.together = findTogether(network, tests, report.heads, Kv8);
    oneByOne(report.together, report.withoutTogether);
    if (report.layers.find('A') != std::string::npos) {
        report.letters = findTogether(network, tests, report.heads, PassageMc);
        oneByOne(report.letters, report.withoutLetters);
    }
    if (control.stopped())
        return cancelledError();
    report.acceptance = judgeEnglish(report);
    return report;
}

} // namespace headscope::train
