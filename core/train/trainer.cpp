// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/trainer.h"

#include "core/base/elapsed.h"
#include "core/tasks/toy/toyvocabulary.h"
#include "core/train/models/exportmodel.h"
#include "core/train/models/warmstart.h"
#include "core/train/printedtext.h"

#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <sstream>
#include <utility>

namespace headscope::train {

namespace {

namespace toy = tasks::toy;

constexpr std::chrono::minutes kLongestLoss{2}; // of work, when the process is killed
constexpr int kLookEvery = 50;                  ///< steps between lines of the log
constexpr double kMemory = 0.95;                ///< of running accuracies

// While it lives, products are done in bf16 if `wanted`.
class Bf16Products
{
public:
    Bf16Products(bool wanted, at::Device device) : m_type(device.type()), m_wanted(wanted)
    {
        if (!m_wanted)
            return;
        at::autocast::set_autocast_dtype(m_type, at::kBFloat16);
        at::autocast::set_autocast_enabled(m_type, true);
    }
    ~Bf16Products()
    {
        if (!m_wanted)
            return;
        at::autocast::set_autocast_enabled(m_type, false);
        at::autocast::clear_cache();
    }
    Bf16Products(const Bf16Products&) = delete;
    Bf16Products& operator=(const Bf16Products&) = delete;

private:
    at::DeviceType m_type;
    bool m_wanted;
};

} // namespace

Trainer::Trainer(Recipe recipe, TrainerOptions options, std::unique_ptr<Lessons> lessons)
    : m_recipe(std::move(recipe)), m_options(std::move(options)), m_random(m_recipe.seed),
      m_network(m_recipe.network, m_random, m_options.device), m_lessons(std::move(lessons)),
      m_curve(m_options.folder / kLearningCurveFile)
{
    if (!m_lessons)
        m_lessons = makeToyLessons(m_recipe, m_options.device);
    for (const Parameter& parameter : m_network.parameters()) {
        m_firstMoments.push_back(at::zeros_like(parameter.value).detach());
        m_secondMoments.push_back(at::zeros_like(parameter.value).detach());
    }
    m_state.lastStep = m_recipe.maxSteps;
    m_state.pairs = m_recipe.tasks.kvFirstPairs;
    m_state.keyWords = m_recipe.tasks.kvFirstKeyWords;
    m_state.values = m_recipe.tasks.kvFirstValues;
    m_state.mcWords = m_recipe.english.mcFirstWords;
    m_state.copyWords = m_recipe.copying.growing ? 6 : m_recipe.copying.mostWords;
    m_state.copyingOnly = m_recipe.copying.texts > 0;
    m_state.copying = m_state.copyingOnly || m_recipe.tasks.copyTexts > 0;
    // A task that is not in the mix never holds up the others.
    running(Task::Mc) = m_recipe.tasks.mcTexts > 0 ? 0.0 : 1.0;
}

void Trainer::log(const std::string& line) const
{
    if (m_options.log)
        m_options.log(line);
}

double Trainer::rate() const
{
    const OptimizerRecipe& o = m_recipe.optimizer;
    const int step = m_state.step + 1;
    const double warm = std::min(1.0, static_cast<double>(step) / o.warmup);
    const double fall = std::min(1.0, static_cast<double>(m_state.lastStep - step + 1) / o.decay);
    return (m_state.copyingOnly ? o.copyRate : o.rate) * warm * fall;
}

HeadScales Trainer::scales() const
{
    HeadScales scales = fullScales(m_network);
    for (const Fade& fade : m_state.fades)
        scales[fade.head.layer][fade.head.head] =
            std::min(scales[fade.head.layer][fade.head.head], fade.factorAt(m_state.step));
    return scales;
}

void Trainer::roundWeightsToBf16()
{
    roundToBf16(m_network);
}

void Trainer::settleFades()
{
    const c10::NoGradGuard noGradients;
    for (const Fade& fade : m_state.fades)
        m_network.outputSlices(fade.head.layer).select(1, fade.head.head).mul_(fade.factorAt(m_state.step));
}

Result<void> Trainer::exportCheckpoint(const std::filesystem::path& folder, const ExportOptions& options)
{
    const c10::NoGradGuard noGradients;
    const auto sliceOf = [this](const Fade& fade) {
        return m_network.outputSlices(fade.head.layer).select(1, fade.head.head);
    };
    std::vector<at::Tensor> before;
    for (const Fade& fade : m_state.fades)
        before.push_back(sliceOf(fade).clone());
    settleFades();
    const Result<void> written = exportModel(m_network, folder,
                                             "# " + m_recipe.name + ", step " + std::to_string(m_state.step)
                                                 + "\n\nA checkpoint of a training run of Headscope, seed "
                                                 + std::to_string(m_recipe.seed) + ".\n",
                                             options);
    for (std::size_t i = 0; i < before.size(); ++i)
        sliceOf(m_state.fades[i]).copy_(before[i]);
    return written;
}

// In completion texts of all heads, so that knowledge does not depend on a single one; of SSM heads in all texts; in KV
// and MC texts of the heads of layers that have several left.
double Trainer::headDropout(Task task, std::size_t layer, const at::Tensor& scales) const
{
    const PruningRecipe& p = m_recipe.pruning;
    double dropout = m_network.shape().layers[layer] == 'S' ? p.ssmDropout : 0.0;
    if (task == Task::Completion)
        dropout = std::max(dropout, p.headDropout);
    if ((task == Task::Kv || task == Task::Mc) && p.sharedDropout > 0) {
        const at::Tensor output =
            m_network.outputSlices(static_cast<int>(layer)).detach().abs().amax({0, 2}).mul(scales.flatten());
        if (output.gt(0).sum().item<std::int64_t>() > 1)
            dropout = std::max(dropout, p.sharedDropout);
    }
    return dropout;
}

// [texts, heads], 0 for a share of `dropout`, else 1.
at::Tensor Trainer::dropped(std::int64_t texts, std::int64_t heads, double dropout)
{
    at::Tensor kept = at::empty({texts, heads}, at::kFloat);
    float* out = kept.data_ptr<float>();
    for (std::int64_t i = 0; i < kept.numel(); ++i)
        out[i] = m_random.uniform() >= dropout ? 1.0F : 0.0F;
    return kept.to(m_network.device());
}

void Trainer::train(Task task, const std::vector<at::Tensor>& scales)
{
    // 1. Texts.
    const Lesson lesson = m_lessons->draw(task, m_state, m_random);
    m_state.tokens[static_cast<std::size_t>(task)] += lesson.ids.numel();

    // 2. Head dropout of the last phase.
    std::vector<at::Tensor> factors = scales;
    for (std::size_t layer = 0; m_state.pruningStep > 0 && layer < factors.size(); ++layer) {
        const double dropout = headDropout(task, layer, scales[layer]);
        if (dropout <= 0)
            continue;
        factors[layer] = dropped(lesson.ids.size(0), m_network.shape().heads, dropout) * factors[layer];
    }
    // Whole texts without layers A, so that prose and facts do not come to depend on what looks things up.
    const std::string& layers = m_network.shape().layers;
    if (m_recipe.pruning.fullDropout > 0 && !m_state.copyingOnly && m_lessons->local(task)) {
        const at::Tensor kept = dropped(lesson.ids.size(0), 1, m_recipe.pruning.fullDropout);
        for (std::size_t layer = 0; layer < factors.size(); ++layer)
            if (layers[layer] == 'A')
                factors[layer] = kept * factors[layer];
    }

    // 3. Loss, and how much of it was right.
    Losses losses = loss(lesson, factors);
    losses.all.backward();
    double& runningLoss = m_state.losses[static_cast<std::size_t>(task)];
    const double lossNow = losses.scored.item<double>();
    runningLoss = runningLoss == 0.0 ? lossNow : kMemory * runningLoss + (1.0 - kMemory) * lossNow;
    if (lesson.counts) {
        const double accuracy = losses.right.mean().item<double>();
        running(task) = kMemory * running(task) + (1.0 - kMemory) * accuracy;
    }
}

// On scored tokens, and a little on all tokens.
Trainer::Losses Trainer::loss(const Lesson& lesson, const std::vector<at::Tensor>& factors) const
{
    const Bf16Products products(m_recipe.optimizer.bf16, m_network.device());
    const std::int64_t length = lesson.ids.size(1);
    at::Tensor scored, wanted;
    Losses out;
    if (lesson.flat.defined()) {
        const bool others = lesson.others.defined() && lesson.others.numel() > 0;
        const at::Tensor positions = others ? at::cat({lesson.flat, lesson.others}) : lesson.flat;
        const HalfwayWords& halfway = lesson.halfway;
        at::Tensor early;
        const at::Tensor logits = m_network
                                      .logits(lesson.ids, {.headScale = factors,
                                                           .flat = positions,
                                                           .halfway = {m_recipe.english.halfwayLayers, halfway.places,
                                                                       &early, halfway.toldPlaces, halfway.toldTokens}})
                                      .to(at::kFloat);
        const at::Tensor next = lesson.ids.flatten().index_select(0, positions + 1);
        const std::int64_t count = lesson.flat.numel(), rest = positions.numel() - count;
        scored = logits.narrow(0, 0, count);
        wanted = next.narrow(0, 0, count);
        out.all = out.scored = at::cross_entropy_loss(scored, wanted);
        if (early.defined())
            out.all =
                out.all + m_recipe.english.halfwayWeight * at::cross_entropy_loss(early.to(at::kFloat), halfway.tokens);
        if (others)
            out.all =
                out.all
                + lesson.allTokens * at::cross_entropy_loss(logits.narrow(0, count, rest), next.narrow(0, count, rest));
    } else if (lesson.allTokens > 0) {
        wanted = lesson.ids.index_select(1, lesson.rows + 1);
        const at::Tensor logits =
            m_network.logits(lesson.ids, {.headScale = factors}).to(at::kFloat).narrow(1, 0, length - 1);
        scored = logits.index_select(1, lesson.rows);
        out.scored = at::cross_entropy_loss(scored.flatten(0, 1), wanted.flatten());
        out.all = out.scored
                  + lesson.allTokens
                        * at::cross_entropy_loss(logits.flatten(0, 1), lesson.ids.narrow(1, 1, length - 1).flatten());
    } else {
        wanted = lesson.ids.index_select(1, lesson.rows + 1);
        scored = m_network.logits(lesson.ids, {.rows = lesson.rows, .headScale = factors}).to(at::kFloat);
        out.all = out.scored = at::cross_entropy_loss(scored.flatten(0, 1), wanted.flatten());
    }
    if (lesson.weight != 1.0)
        out.all = out.all * lesson.weight;
    out.right = scored.detach().argmax(-1).eq(wanted).to(at::kFloat);
    return out;
}

void Trainer::optimize(double rate)
{
    const OptimizerRecipe& o = m_recipe.optimizer;
    const c10::NoGradGuard noGradients;
    std::vector<at::Tensor> gradients;
    for (const Parameter& parameter : m_network.parameters())
        gradients.push_back(parameter.value.grad());
    const at::Tensor norm = at::stack(at::_foreach_norm(gradients)).norm();
    at::_foreach_mul_(gradients, at::clamp_max(o.clip / (norm + 1e-6), 1.0));

    const at::Tensor count =
        at::full({}, static_cast<double>(m_state.step + 1), at::TensorOptions(at::kFloat).device(m_network.device()));
    for (const bool decays : {true, false}) {
        std::vector<at::Tensor> values, grads, first, second, unused, counts;
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            if (m_network.parameters()[i].decays != decays)
                continue;
            values.push_back(m_network.parameters()[i].value);
            grads.push_back(gradients[i]);
            first.push_back(m_firstMoments[i]);
            second.push_back(m_secondMoments[i]);
            counts.push_back(count);
        }
        at::_fused_adamw_(values, grads, first, second, unused, counts, rate, o.beta1, o.beta2,
                          decays ? o.weightDecay : 0.0, o.eps, false, false);
    }
    for (const Parameter& parameter : m_network.parameters())
        parameter.value.mutable_grad().reset();
}

void Trainer::step()
{
    const double now = rate();
    const std::vector<at::Tensor> factors = toTensors(scales(), m_network.device());
    for (const Task task : m_lessons->tasks(m_state))
        train(task, factors);
    optimize(now);
    ++m_state.step;
    updatePhases();
    if (m_state.pruningStep > 0 && m_state.step > m_state.pruningStep) {
        const PruningRecipe& p = m_recipe.pruning;
        const int since = m_state.step - m_state.pruningStep;
        if (p.strength > 0)
            shrinkHeads(m_network, p.layers, now, since < p.strongSteps ? p.strength : p.strength * p.weakShare,
                        p.power);
        if (p.keep > 0)
            keepFewHeads();
        else
            considerDuplicates();
    }
}

void Trainer::updatePhases()
{
    const TasksRecipe& t = m_recipe.tasks;
    const CopyingRecipe& c = m_recipe.copying;
    if (m_state.copyingOnly && m_state.copyWords < c.mostWords && running(Task::Copy) > c.until) {
        m_state.copyWords = std::min(c.mostWords, m_state.copyWords + m_state.copyWords / 2);
        running(Task::Copy) = 0.5;
        log(format("step %d: copy texts now have up to %d words", m_state.step, m_state.copyWords));
    }
    if (m_state.copyingOnly && (running(Task::Copy) > c.until || m_state.step >= c.maxSteps)) {
        m_state.copyingOnly = false;
        m_state.copying = t.copyTexts > 0;
        m_pendingState = "copied.safetensors";
        log(format("step %d: copying %.2f, the tasks begin", m_state.step, running(Task::Copy)));
    }
    const bool wholeVocabulary = m_state.keyWords == toy::kKeyWords && m_state.values == toy::kNumbers;
    if (!wholeVocabulary && running(Task::Kv) > t.kvRaiseAt) {
        m_state.keyWords = std::min(2 * m_state.keyWords, toy::kKeyWords);
        m_state.values = std::min(2 * m_state.values, toy::kNumbers);
        running(Task::Kv) = 0.5;
        log(format("step %d: dictionaries of %d + %d key words and %d values", m_state.step, m_state.keyWords,
                   m_state.keyWords, m_state.values));
    } else if (m_state.pairs < t.kvLastPairs && running(Task::Kv) > t.kvRaiseAt) {
        m_state.pairs = std::min(t.kvLastPairs, m_state.pairs + m_state.pairs / 2);
        running(Task::Kv) = 0.5;
        log(format("step %d: dictionaries of up to %d pairs", m_state.step, m_state.pairs));
    }
    if (m_state.copying && !m_state.copyingOnly && m_state.pairs > t.kvFirstPairs && running(Task::Kv) > t.copyUntil) {
        m_state.copying = false;
        log(format("step %d: copying leaves the mix", m_state.step));
    }
    if (m_state.mcWords > 0 && m_state.mcWords < m_lessons->mostWords() && !m_state.copyingOnly
        && running(Task::Mc) > t.kvRaiseAt) {
        m_state.mcWords = std::min(2 * m_state.mcWords, m_lessons->mostWords());
        running(Task::Mc) = 0.5;
        log(format("step %d: options of %d words", m_state.step, m_state.mcWords));
    }
    const double gate = m_recipe.pruning.startAt;
    const int startPairs = m_recipe.pruning.startPairs;
    if (m_state.pruningStep == 0 && (m_recipe.pruning.strength > 0 || m_recipe.pruning.keep > 0) && !m_state.copyingOnly
        && m_state.pairs >= (startPairs > 0 ? startPairs : t.kvLastPairs) && running(Task::Kv) > gate
        && (startPairs > 0 || running(Task::Mc) > gate)) {
        m_state.pruningStep = m_state.step;
        // A small English model's heads leave early in a run whose length stands; a tiny model's run ends with it.
        if (m_recipe.pruning.keep == 0)
            m_state.lastStep = m_state.step + m_recipe.pruning.steps;
        m_pendingState = "learned.safetensors";
        log(format("step %d: %s, pruning begins", m_state.step,
                   startPairs > 0 ? "dictionaries are learned" : "everything is learned"));
    }
}

void Trainer::considerDuplicates()
{
    const PruningRecipe& p = m_recipe.pruning;
    const int since = m_state.step - m_state.pruningStep - p.duplicatesFrom;
    const bool fading = std::any_of(m_state.fades.begin(), m_state.fades.end(),
                                    [&](const Fade& fade) { return fade.factorAt(m_state.step) > 0; });
    if (since < 0 || since % p.duplicatesEvery != 0 || fading
        || m_state.step >= m_state.lastStep - m_recipe.optimizer.decay / 2
        || std::min(running(Task::Kv), running(Task::Mc)) <= p.accuracyAbove)
        return;
    const DuplicateSearch search = findDuplicates(m_network, scales(), p, m_random);
    if (!search.report.empty())
        log(format("step %d: ", m_state.step) + search.report);
    for (const Duplicate& duplicate : search.leaving) {
        const int steps =
            std::clamp(static_cast<int>(std::lround(duplicate.cost * p.fadePerNat)), p.fadeLeast, p.fadeMost);
        m_state.fades.push_back({duplicate.head, m_state.step, steps});
        m_state.lastStep = std::max(m_state.lastStep, m_state.step + steps + p.stepsAfter);
        log(format("step %d: %s fades out over %d steps", m_state.step, toString(duplicate.head).c_str(), steps));
    }
}

// Of the heads in the layers that may lose some, those whose removal costs least fade out, half of what is too many at
// a time, until `keep` are left.
void Trainer::keepFewHeads()
{
    const PruningRecipe& p = m_recipe.pruning;
    const int since = m_state.step - m_state.pruningStep - p.duplicatesFrom;
    const bool fading = std::any_of(m_state.fades.begin(), m_state.fades.end(),
                                    [&](const Fade& fade) { return fade.factorAt(m_state.step) > 0; });
    if (since < 0 || since % p.duplicatesEvery != 0 || fading || running(Task::Kv) <= p.accuracyAbove)
        return;
    const HeadScales now = scales();
    std::vector<int> left(now.size(), 0); // of each layer
    std::vector<Duplicate> live;
    for (std::size_t layer = 0; layer < now.size(); ++layer) {
        if (p.layers.find(m_network.shape().layers[layer]) == std::string::npos)
            continue;
        for (std::size_t head = 0; head < now[layer].size(); ++head)
            if (now[layer][head] > 0) {
                live.push_back({{static_cast<int>(layer), static_cast<int>(head)}, 0.0});
                ++left[layer];
            }
    }
    int tooMany = (static_cast<int>(live.size()) - p.keep + 1) / 2;
    if (static_cast<int>(live.size()) <= p.keep)
        return;

    // What all kinds of texts lose without each of them, on the same texts.
    const c10::NoGradGuard noGradients;
    std::vector<Lesson> lessons;
    for (const Task task : m_lessons->tasks(m_state))
        lessons.push_back(m_lessons->draw(task, m_state, m_random));
    const auto lossOf = [&](const HeadScales& heads) {
        const std::vector<at::Tensor> factors = toTensors(heads, m_network.device());
        double sum = 0;
        for (const Lesson& lesson : lessons)
            sum += loss(lesson, factors).scored.item<double>();
        return sum;
    };
    const double whole = lossOf(now);
    std::string report;
    for (Duplicate& candidate : live) {
        HeadScales without = now;
        without[static_cast<std::size_t>(candidate.head.layer)][static_cast<std::size_t>(candidate.head.head)] = 0.0F;
        candidate.cost = lossOf(without) - whole;
        report += format(" %s %.2f", toString(candidate.head).c_str(), candidate.cost);
    }
    log(format("step %d: nats without each head:", m_state.step) + report);
    std::stable_sort(live.begin(), live.end(), [](const Duplicate& a, const Duplicate& b) { return a.cost < b.cost; });
    for (const Duplicate& candidate : live) {
        int& inLayer = left[static_cast<std::size_t>(candidate.head.layer)];
        if (tooMany == 0)
            break;
        if (inLayer == 1)
            continue;
        --inLayer;
        --tooMany;
        m_state.fades.push_back({candidate.head, m_state.step, p.fadeLeast});
        log(format("step %d: %s fades out over %d steps", m_state.step, toString(candidate.head).c_str(), p.fadeLeast));
    }
    m_state.lastStep = std::max(m_state.lastStep, m_state.step + p.fadeLeast + p.stepsAfter);
}

std::string Trainer::describe() const
{
    const double each = m_state.step > 0 ? m_state.seconds / m_state.step : 0.0;
    std::string text = format("copy %.2f kv %.2f (%d pairs) mc %.2f completion %.2f", running(Task::Copy),
                              running(Task::Kv), m_state.pairs, running(Task::Mc), running(Task::Completion));
    if (m_recipe.english.vocabulary > 0)
        text += format(" names %.2f prose %.2f nats", running(Task::Names),
                       m_state.losses[static_cast<std::size_t>(Task::Prose)]);
    return text + format("; %.2f s a step, %.0f core-seconds", each, m_state.coreSeconds);
}

int Trainer::expectedEnd() const
{
    const int open = std::max(m_recipe.expectedSteps, m_state.step + m_recipe.pruning.steps);
    return m_state.pruningStep > 0 ? m_state.lastStep : std::min(m_state.lastStep, open);
}

TrainingTensors Trainer::tensors() const
{
    TrainingTensors all;
    for (std::size_t i = 0; i < m_network.parameters().size(); ++i) {
        const Parameter& parameter = m_network.parameters()[i];
        all.emplace_back(parameter.name, parameter.value.detach());
        all.emplace_back("first." + parameter.name, m_firstMoments[i]);
        all.emplace_back("second." + parameter.name, m_secondMoments[i]);
    }
    return all;
}

Result<void> Trainer::save(const std::filesystem::path& trainingState) const
{
    TrainingState state = m_state;
    std::ostringstream random;
    tasks::ToyRandom copy = m_random;
    random << copy.engine();
    state.random = random.str();
    return writeTrainingState(trainingState, state, tensors(), m_recipe.toJson());
}

Result<void> Trainer::startFrom(const std::filesystem::path& model, const std::vector<std::int32_t>& text)
{
    return train::startFrom(m_network, model, text, m_random);
}

Result<void> Trainer::resume(const std::filesystem::path& trainingState)
{
    Result<TrainingState> read = readTrainingState(trainingState, tensors());
    if (!read.has_value())
        return read.error();
    m_state = std::move(*read);
    std::istringstream(m_state.random) >> m_random.engine();
    if (!m_options.folder.empty())
        if (Result<void> cut = m_curve.cutAfter(m_state.step); !cut.has_value())
            return cut;
    // Lengths that are still open follow this trainer's recipe.
    if (m_state.pruningStep == 0)
        m_state.lastStep = m_recipe.maxSteps;
    else if (m_recipe.pruning.keep > 0)
        m_state.lastStep = std::max(m_state.lastStep, m_recipe.maxSteps);
    else if (m_state.pruningStep == m_state.step)
        m_state.lastStep = m_state.step + m_recipe.pruning.steps;
    return {};
}

// Writes down how far the run is; `test`: also on texts that it never reads.
Result<void> Trainer::look(bool test) const
{
    if (m_state.step % kLookEvery == 0)
        log(format("step %d: ", m_state.step) + describe());
    NamedScores tested;
    if (test && !m_state.copyingOnly) {
        tested = m_lessons->test(m_network, scales());
        std::string line = format("step %d: test", m_state.step);
        for (const auto& [name, score] : tested)
            line += format(" %s %.3f", name.c_str(), score);
        log(line);
    }
    return m_options.folder.empty() ? Result<void>() : m_curve.add(m_state, rate(), tested);
}

Result<void> Trainer::run(const Control& control, int moreSteps)
{
    using Clock = std::chrono::steady_clock;
    const auto saveAs = [&](const std::string& name) -> Result<void> {
        return m_options.folder.empty() ? Result<void>() : save(m_options.folder / name);
    };
    const auto thousands = [&](Task task) {
        return static_cast<long long>(m_state.tokens[static_cast<std::size_t>(task)] / 1000);
    };
    auto saved = Clock::now();
    const int stopAt = moreSteps > 0 ? m_state.step + moreSteps : m_recipe.maxSteps + 1;
    while (!finished() && m_state.step < stopAt) {
        const auto wall = Clock::now();
        const double core = coreSeconds();
        step();
        m_state.seconds += secondsSince(wall);
        m_state.coreSeconds += coreSeconds() - core;
        control.progress("training " + m_recipe.name, m_state.step, expectedEnd());
        if (!m_pendingState.empty())
            if (Result<void> done = saveAs(std::exchange(m_pendingState, {})); !done.has_value())
                return done;
        const bool evaluates = m_state.step % m_recipe.evaluateEvery == 0;
        if (evaluates || m_state.step % kLookEvery == 0)
            if (Result<void> done = look(evaluates); !done.has_value())
                return done;
        if (evaluates || control.stopped() || Clock::now() - saved > kLongestLoss) {
            if (Result<void> done = saveAs(kTrainingStateFile); !done.has_value())
                return done;
            saved = Clock::now();
        }
        if (control.stopped())
            return cancelledError();
    }
    if (Result<void> done = saveAs(kTrainingStateFile); !done.has_value())
        return done;
    if (finished())
        log(format("finished at step %d: %.0f s, %.0f core-seconds; thousands of tokens: %lld KV, %lld MC, %lld "
                   "completion, %lld copying",
                   m_state.step, m_state.seconds, m_state.coreSeconds, thousands(Task::Kv), thousands(Task::Mc),
                   thousands(Task::Completion), thousands(Task::Copy)));
    return {};
}

} // namespace headscope::train
