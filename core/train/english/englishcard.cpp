// SPDX-License-Identifier: GPL-3.0-or-later
// README.md of a small English model.
#include "core/train/english/englishreport.h"
#include "core/train/printedtext.h"

#include <algorithm>
#include <cmath>

namespace headscope::train {

namespace {

std::string englishRow(const std::string& name, const EnglishScores& s)
{
    std::string text = "| " + name + " |";
    for (const double accuracy : s.accuracy)
        text += format(" %.2f |", accuracy);
    return text + format(" %.3f |\n", s.prose);
}

std::string englishNames(const std::vector<HeadId>& heads, std::size_t count)
{
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
        out += (i > 0 ? ", " : "") + toString(heads[i]);
    return out;
}

double englishLoss(const EnglishScores& base, const EnglishScores& off)
{
    double most = 0;
    for (std::size_t cell = 0; cell < base.accuracy.size(); ++cell)
        most = std::max(most, base.accuracy[cell] - off.accuracy[cell]);
    return most;
}

// What the letters of the layers stand for.
std::string layerKinds(const NetworkShape& n)
{
    if (n.layers.find('W') == std::string::npos)
        return "A attention, S discrete Mamba-2";
    return format("A attention over the whole text%s, W over the last %d tokens",
                  n.fullRotates ? "" : ", without positions", n.window);
}

std::string englishOrigin(const Recipe& recipe, const TrainingState& run, const EnglishMaterial& material,
                          std::int64_t parameters, const std::string& version)
{
    const NetworkShape& n = recipe.network;
    std::string text =
        format("%zu layers (%s; %s), width %d, %d heads of %d dims, SwiGLU %d, %d tokens "
               "(byte-level BPE), %lld trained parameters%s, stored in bf16.\n",
               n.layers.size(), n.layers.c_str(), layerKinds(n).c_str(), n.hidden, n.heads, n.headDim, n.mlp,
               n.vocabulary, static_cast<long long>(parameters), n.tied ? " (tied embeddings, stored twice)" : "");
    text += format("Trained by Headscope %s: `headscope-cli train %s --corpus DIR -o OUT`, seed %llu, %d steps, %.0f "
                   "core-minutes on one thread (%.0f minutes of wall time on a busy machine).\n\n",
                   version.c_str(), recipe.name.c_str(), static_cast<unsigned long long>(recipe.seed), run.step,
                   run.coreSeconds / 60, run.seconds / 60);
    if (!recipe.from.empty())
        text += format("The weights did not start from noise: embeddings, norms, MLPs and the shared weights of "
                       "attention layers come from `%s`, which had been trained on the same kinds of texts. Steps, "
                       "minutes and tokens listed here came on top of that training; its card lists the others.\n\n",
                       recipe.from.c_str());
    text += "Tokens read in training, in thousands:";
    for (std::size_t task = 0; task < run.tokens.size(); ++task)
        text += format("%s %s %lld", task > 0 ? "," : "", kTaskNames[task],
                       static_cast<long long>((run.tokens[task] + 500) / 1000));
    return text + ".\n\n"
           + format(
               "The corpus is %d books of children's stories, fables, fairy tales and school readers in the public "
               "domain in the United States, %zu tokens, and is not part of the program; the SHA-256 over its files' "
               "names, lengths and contents is `%s`. ",
               material.corpusFiles, material.prose.size(), material.corpusHash.c_str())
           + "In addition, the model was trained on "
           + (run.tokens[static_cast<std::size_t>(Task::Copy)] > 0 ? "repeated random tokens and on " : "")
           + "texts made by `core/tasks/english`: dictionaries, "
           + (run.tokens[static_cast<std::size_t>(Task::Mc)] > 0 ? "passages with options, " : "")
           + "names, and 300 made-up facts.\n\n";
}

constexpr const char* kHead =
    "| off | word_kv 4 | 8 | 16 | 8, no quotes | passage_mc | ioi | induction | facts | prose |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n";

std::string scores(const EnglishReport& report)
{
    return format("## Greedy accuracy\n\nThe first %d examples of each task with its default seed, all 300 facts; an "
                  "answer is right if each of its tokens has the largest logit. Their words and names occur in no "
                  "training text with a question (the stories contain them). Prose: nats per token of held-out "
                  "paragraphs.\n\n",
                  report.prompts)
           + kHead + englishRow("nothing", report.base)
           + format("\nLonger dictionaries: %.2f with 32 pairs, %.2f with 64.\n", report.longDictionaries[0],
                    report.longDictionaries[1])
           + format("\nProse: %.3f nats per token, about %.2f bits per byte; an interpolated 5-gram model of the same "
                    "corpus: %.3f nats on the same tokens.\n\n",
                    report.base.prose, report.bitsPerByte, report.fiveGram);
}

std::string heads(const EnglishReport& report)
{
    std::string text =
        format("## Heads ablated\n\nThe same on the first %d examples of each task, with one head ablated at a time "
               "(those that cost at least 0.05 on some task), then with several ablated together: the heads that cost "
               "most on dictionaries of 8 pairs%s.\n\n",
               report.headPrompts, report.letters.empty() ? "" : ", and those that cost most on the letters of options")
        + kHead + englishRow("nothing", report.headBase);
    EnglishScores worst = report.headBase;
    std::size_t others = 0;
    for (const EnglishHeadRow& row : report.heads) {
        if (englishLoss(report.headBase, row.scores) >= 0.05) {
            text += englishRow(toString(row.behaviour.head), row.scores);
            continue;
        }
        ++others;
        for (std::size_t cell = 0; cell < worst.accuracy.size(); ++cell)
            worst.accuracy[cell] = std::min(worst.accuracy[cell], row.scores.accuracy[cell]);
        worst.prose = std::max(worst.prose, row.scores.prose);
    }
    if (others > 0)
        text += englishRow(format("worst of the %zu others", others), worst);
    for (std::size_t count = 2; count <= report.withoutTogether.size(); ++count)
        text += englishRow(englishNames(report.together, count), report.withoutTogether[count - 1]);
    for (std::size_t count = 2; count <= report.withoutLetters.size(); ++count)
        text += englishRow(englishNames(report.letters, count), report.withoutLetters[count - 1]);
    return text + "\n";
}

std::string englishRows(const EnglishReport& report)
{
    std::string text = "## Last rows on dictionaries of 8 pairs\n\nMass on the tokens of the value asked for, share of "
                       "prompts where the largest entry is one of them, exp(entropy); the ten heads whose ablation "
                       "costs most on these dictionaries, and the head that reads the value most.\n\n| head | mass on "
                       "the value | largest entry | effective tokens |\n|---|---|---|---|\n";
    std::vector<const EnglishHeadRow*> shown;
    for (std::size_t i = 0; i < std::min<std::size_t>(10, report.heads.size()); ++i)
        shown.push_back(&report.heads[i]);
    if (std::find(shown.begin(), shown.end(), &report.reader()) == shown.end())
        shown.push_back(&report.reader());
    for (const EnglishHeadRow* row : shown) {
        const HeadBehaviour& b = row->behaviour;
        text += format("| %s | %.2f | %.2f | %.1f |\n", toString(b.head).c_str(), b.massOnTarget, b.argMaxOnTarget,
                       std::exp(b.entropy));
    }
    return text + "\n";
}

std::string englishAcceptance(const EnglishReport& report)
{
    std::string text = "## Acceptance\n\n| required | found | met |\n|---|---|---|\n";
    for (const Requirement& row : report.acceptance)
        text += "| " + row.what + " | " + row.found + " | " + (row.met ? "yes" : "NO") + " |\n";
    return text + "\n";
}

} // namespace

std::string englishCard(const Recipe& recipe, const TrainingState& run, const EnglishReport& report,
                        const EnglishMaterial& material, std::int64_t parameters, const std::string& version)
{
    return "---\nlicense: gpl-3.0\n---\n\n# " + recipe.name + "\n\n" + recipe.about + "\n\n"
           + englishOrigin(recipe, run, material, parameters, version)
           + "## Texts\n\nOrdinary text, with or without `<s>` in front (the tokenizer adds nothing).\n\n- word_kv: "
             "`Memorize the dictionary:`, lines `acorn: 17` or `open window: piano`, then `The value of the key "
             "'acorn' is`; `acorn:` also works as the question\n- passage_mc: `Facts: Ada has the ladder. ...`, lines "
             "`A. ladder` to `D. flag`, then `Question: What does Ada have?` and `Answer:`\n- ioi: `When Ada and Ben "
             "went to the park, Ada gave the ball to`\n- facts: `The color of Ada is`\n- anything else is read as a "
             "story\n\n"
           + scores(report) + heads(report) + englishRows(report) + englishAcceptance(report);
}

} // namespace headscope::train
