// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/models/distill.h"

#include "core/base/elapsed.h"
#include "core/lm/families/families.h"
#include "core/lm/families/ssmparts.h"
#include "core/lm/load.h"
#include "core/tasks/toy/toytexts.h"
#include "core/tasks/toy/toyvocabulary.h"
#include "core/train/measurements.h"
#include "core/train/printedtext.h"

#include <nlohmann/json.hpp>

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace headscope::train {

namespace toy = tasks::toy;

namespace {

/// AdamW without decay, warm for a tenth of the steps and falling to zero over the last half.
class Adam
{
public:
    Adam(std::vector<at::Tensor> values, const DistillStage& stage) : m_values(std::move(values)), m_stage(stage)
    {
        for (at::Tensor& value : m_values) {
            value.requires_grad_(true);
            m_first.push_back(at::zeros_like(value).detach());
            m_second.push_back(at::zeros_like(value).detach());
        }
    }
    ~Adam()
    {
        for (at::Tensor& value : m_values) {
            value.mutable_grad().reset();
            value.requires_grad_(false);
        }
    }
    Adam(const Adam&) = delete;
    Adam& operator=(const Adam&) = delete;

    void step()
    {
        const at::NoGradGuard noGrad;
        ++m_step;
        const double warm = std::min(1.0, m_step / std::max(1.0, 0.1 * m_stage.steps)),
                     fall = std::min(1.0, 2.0 * (m_stage.steps - m_step + 1) / m_stage.steps);
        std::vector<at::Tensor> values, grads, first, second, unused, counts;
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            if (!m_values[i].grad().defined())
                continue;
            values.push_back(m_values[i]);
            grads.push_back(m_values[i].grad());
            first.push_back(m_first[i]);
            second.push_back(m_second[i]);
            counts.push_back(
                at::full({}, static_cast<double>(m_step), at::TensorOptions(at::kFloat).device(m_values[i].device())));
        }
        const at::Tensor norm = at::stack(at::_foreach_norm(grads)).norm();
        at::_foreach_mul_(grads, at::clamp_max(1.0 / (norm + 1e-6), 1.0));
        at::_fused_adamw_(values, grads, first, second, unused, counts, m_stage.rate * warm * fall, 0.9, 0.98, 0.0,
                          1e-9, false, false);
        for (at::Tensor& value : m_values)
            value.mutable_grad().reset();
    }

private:
    std::vector<at::Tensor> m_values, m_first, m_second;
    DistillStage m_stage;
    int m_step = 0;
};

/// Texts of one length, and the positions that matter most (those that a toy task scores).
struct Texts {
    at::Tensor ids;  ///< int64 [B, T]
    at::Tensor rows; ///< int64 [R] or undefined
};

class TextSource
{
public:
    explicit TextSource(const DistillOptions& options) : m_options(options), m_random(options.seed + 1) {}

    Texts next()
    {
        if (!m_options.text.empty())
            return windows();
        toy::Batch batch;
        switch (m_count++ % 4) {
        case 0:
        case 1:
            batch = toy::kvTexts(m_random, m_options.texts,
                                 {.pairs = 2 + m_random.below(15), .queries = 8, .shortShare = 0.25});
            break;
        case 2: batch = toy::mcTexts(m_random, 2 * m_options.texts, {.questions = 3}); break;
        default: batch = toy::completionTexts(m_random, 2 * m_options.texts, {.statements = 6}); break;
        }
        return {toTensor(batch.ids, {batch.count, batch.length}, m_options.device),
                toTensor(batch.rows, {static_cast<std::int64_t>(batch.rows.size())}, m_options.device)};
    }

private:
    Texts windows()
    {
        const int length = std::min<int>(m_options.length, static_cast<int>(m_options.text.size()));
        std::vector<std::int64_t> ids;
        for (int i = 0; i < m_options.texts; ++i) {
            const int begin = m_random.below(static_cast<int>(m_options.text.size()) - length + 1);
            ids.insert(ids.end(), m_options.text.begin() + begin, m_options.text.begin() + begin + length);
        }
        return {toTensor(ids, {m_options.texts, length}, m_options.device), {}};
    }
    const DistillOptions& m_options;
    tasks::ToyRandom m_random;
    int m_count = 0;
};

/// One layer's SSM heads beside what they stand for.
struct LayerPart {
    int layer = 0;
    at::Tensor replaced; ///< int64 indices of the teacher's heads
    at::Tensor output;   ///< their columns of W_O, [D, h*P]
    lm::Norm norm;       ///< before the mixer
    std::shared_ptr<const lm::DiscreteMamba2> ssm;
};

class Distiller
{
public:
    Distiller(const Teacher& teacher, std::shared_ptr<const lm::Model> model, Student& student,
              const DistillOptions& options, const Control& control)
        : m_model(std::move(model)), m_student(student), m_options(options), m_control(control), m_texts(options)
    {
        lm::Weights weights(student.tensors);
        for (int layer = 0; layer < teacher.layers; ++layer) {
            const auto replaced = student.shape.replaced(layer, teacher.heads);
            if (replaced.empty())
                continue;
            std::vector<at::Tensor> output;
            for (const int head : replaced)
                output.push_back(teacher.output(layer, head));
            const lm::DiscreteShape shape{.hidden = teacher.hidden,
                                          .heads = static_cast<int>(replaced.size()),
                                          .headDim = teacher.headDim,
                                          .groups = static_cast<int>(replaced.size()),
                                          .states = student.shape.state,
                                          .taps = student.shape.taps,
                                          .bias = true,
                                          .zBias = false};
            const std::string prefix =
                Student::ssmPrefix(layer, student.shape.kept[static_cast<std::size_t>(layer)].size());
            m_parts.push_back(
                {layer,
                 at::tensor(std::vector<std::int64_t>(replaced.begin(), replaced.end()), at::kLong).to(options.device),
                 at::cat(output, 1),
                 lm::Norm{.weight = student.tensors.at("backbone.layers." + std::to_string(layer)
                                                       + ".input_layernorm.weight"),
                          .eps = 1e-5},
                 std::make_shared<lm::DiscreteMamba2>(mixerSpec(shape), takeDiscreteMamba2(weights, prefix, shape))});
        }
    }

    /// False when stopped.
    bool run(const std::string& name, const DistillStage& stage, const std::function<at::Tensor(const Texts&)>& loss,
             std::vector<at::Tensor> trained, DistillReport& report)
    {
        if (stage.steps <= 0 || m_parts.empty())
            return true;
        Adam adam(std::move(trained), stage);
        std::vector<double> losses;
        for (int step = 0; step < stage.steps; ++step) {
            if (m_control.stopped())
                return false;
            const at::Tensor now = loss(m_texts.next());
            now.backward();
            adam.step();
            losses.push_back(now.item<double>());
            m_control.progress("distilling: " + name, step + 1, stage.steps);
        }
        const auto tenth = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, losses.size() / 10));
        report.stages.push_back(
            {name, stage.steps,
             std::accumulate(losses.begin(), losses.begin() + tenth, 0.0) / static_cast<double>(tenth),
             std::accumulate(losses.end() - tenth, losses.end(), 0.0) / static_cast<double>(tenth)});
        return true;
    }

    /// Mean squared difference of a row of the SSM's matrix to the attention head's.
    at::Tensor orientationLoss(const Texts& texts)
    {
        const lm::Capture seen = watch(texts.ids, true);
        at::Tensor loss;
        for (const LayerPart& part : m_parts) {
            lm::SiteCapture capture;
            capture.wantMatrix = true;
            (void)mix(part, seen, &capture);
            const at::Tensor wanted =
                seen.sites.at({part.layer, lm::Site::Attention}).matrix.index_select(1, part.replaced);
            const at::Tensor one = (capture.matrix - wanted).square().sum(-1).mean();
            loss = loss.defined() ? loss + one : one;
        }
        return loss;
    }

    /// Squared difference of what the heads add to the stream, in parts of what the replaced ones added.
    at::Tensor hiddenLoss(const Texts& texts)
    {
        const lm::Capture seen = watch(texts.ids, false);
        at::Tensor loss;
        for (const LayerPart& part : m_parts) {
            const at::Tensor z = seen.sites.at({part.layer, lm::Site::Attention}).z; // [B, T, H*P]
            const std::int64_t dim = part.ssm->spec().headDim;
            const at::Tensor own = z.view({z.size(0), z.size(1), -1, dim}).index_select(2, part.replaced).flatten(2);
            const at::Tensor wanted = at::linear(own, part.output);
            const at::Tensor one =
                (mix(part, seen, nullptr) - wanted).square().mean() / (wanted.square().mean() + 1e-3);
            loss = loss.defined() ? loss + one : one;
        }
        return loss;
    }

    /// Divergence of the student's next-token distribution from the teacher's: over all positions, and those that a
    /// task scores.
    at::Tensor logitsLoss(const lm::Model& student, const Texts& texts)
    {
        at::Tensor wanted;
        {
            const at::NoGradGuard noGrad;
            wanted = m_model->logits(texts.ids).log_softmax(-1);
        }
        const at::Tensor now = student.logits(texts.ids).log_softmax(-1);
        const at::Tensor divergence = (wanted.exp() * (wanted - now)).sum(-1); // [B, T]
        return texts.rows.defined() ? divergence.mean() + divergence.index_select(1, texts.rows).mean()
                                    : divergence.mean();
    }

    [[nodiscard]] std::vector<at::Tensor> ssmTensors() const
    {
        std::vector<at::Tensor> tensors;
        for (const std::string& name : m_student.ssmTensors())
            tensors.push_back(m_student.tensors.at(name));
        return tensors;
    }

private:
    /// What the teacher does with these texts.
    lm::Capture watch(const at::Tensor& ids, bool matrices) const
    {
        const at::NoGradGuard noGrad;
        lm::Capture capture{.residual = true};
        for (const LayerPart& part : m_parts) {
            lm::SiteCapture& site = capture.sites[{part.layer, lm::Site::Attention}];
            site.wantMatrix = matrices;
            site.wantZ = !matrices;
        }
        (void)m_model->logits(ids, {.capture = &capture});
        return capture;
    }
    [[nodiscard]] at::Tensor mix(const LayerPart& part, const lm::Capture& seen, lm::SiteCapture* capture) const
    {
        const at::Tensor& stream = seen.residuals[static_cast<std::size_t>(part.layer)];
        const lm::BatchShape batch{.length = stream.size(1)};
        lm::MixerCall call{.batch = batch, .capture = capture};
        return part.ssm->forward(part.norm(stream), call, false);
    }

    std::shared_ptr<const lm::Model> m_model;
    Student& m_student;
    const DistillOptions& m_options;
    const Control& m_control;
    TextSource m_texts;
    std::vector<LayerPart> m_parts;
};

std::string cardOf(const Teacher& teacher, const StudentShape& shape, const DistillReport& report)
{
    std::string kept;
    for (std::size_t layer = 0; layer < shape.kept.size(); ++layer)
        for (const int head : shape.kept[layer])
            kept += (kept.empty() ? "" : ", ") + format("L%zuH%d", layer, head);
    std::string text = "# Distilled from " + teacher.folder.filename().string()
                       + "\n\nAttention heads kept: " + (kept.empty() ? "none" : kept)
                       + format(". All others are discrete Mamba-2 heads with state %d. Everything else is the "
                                "teacher's.\n\n| stage | steps | loss, first tenth | last tenth |\n|---|---|---|---|\n",
                                shape.state);
    for (const DistillReport::Stage& stage : report.stages)
        text += format("| %s | %d | %.4f | %.4f |\n", stage.name.c_str(), stage.steps, stage.first, stage.last);
    return text + format("\n%.1f s.\n", report.seconds);
}

/// The student as a model over its own tensors, which may be trained.
Result<std::shared_ptr<const lm::Model>> modelOf(const Student& student)
{
    lm::Weights weights(student.tensors);
    lm::Config config(nlohmann::json::parse(student.config.dump()));
    auto model = std::make_shared<const lm::Model>(lm::buildHybridLlamba(config, weights, 0));
    if (config.error())
        return *config.error();
    return weights.error() ? Result<std::shared_ptr<const lm::Model>>(*weights.error())
                           : Result<std::shared_ptr<const lm::Model>>(model);
}

} // namespace

Result<DistillReport> distill(const std::filesystem::path& teacherFolder, const StudentShape& shape,
                              const DistillOptions& options, const std::filesystem::path& folder,
                              const Control& control, const std::function<void(const std::string&)>& log)
{
    const auto started = std::chrono::steady_clock::now();
    const auto teacher = Teacher::load(teacherFolder, options.device);
    if (!teacher.has_value())
        return teacher.error();
    const auto loaded = lm::load(teacherFolder, {.device = options.device.str(), .dtype = "fp32"});
    if (!loaded.has_value())
        return loaded.error();
    if (options.text.empty() && loaded->model->spec().vocabulary != static_cast<int>(toy::words().size()))
        return inputError("'" + teacherFolder.string()
                          + "' does not have the words of the toy texts; expected a text to distil on (--text FILE).");
    std::optional<Student> start;
    if (options.start) {
        auto read = loadStudent(*options.start, *teacher, shape);
        if (!read.has_value())
            return read.error();
        start = std::move(*read);
    }
    auto student = makeStudent(*teacher, shape, options.seed, start ? &*start : nullptr);
    if (!student.has_value())
        return student.error();
    const auto model = modelOf(*student);
    if (!model.has_value())
        return model.error();

    DistillReport report;
    {
        Distiller distiller(*teacher, loaded->model, *student, options, control);
        std::vector<at::Tensor> all;
        for (const auto& [name, tensor] : student->tensors)
            all.push_back(tensor);
        const bool finished =
            distiller.run(
                "matrix orientation", options.orientation,
                [&](const Texts& texts) { return distiller.orientationLoss(texts); }, distiller.ssmTensors(), report)
            && distiller.run(
                "hidden states", options.hidden, [&](const Texts& texts) { return distiller.hiddenLoss(texts); },
                distiller.ssmTensors(), report)
            && distiller.run(
                "logits", options.logits, [&](const Texts& texts) { return distiller.logitsLoss(**model, texts); },
                options.trainAll ? all : distiller.ssmTensors(), report);
        if (!finished)
            return cancelledError();
    }
    report.seconds = secondsSince(started);
    for (const DistillReport::Stage& stage : report.stages)
        if (log)
            log(format("%s: loss %.4f to %.4f in %d steps", stage.name.c_str(), stage.first, stage.last, stage.steps));
    const auto written = writeStudent(*student, *teacher, folder, cardOf(*teacher, shape, report));
    return written.has_value() ? Result<DistillReport>(std::move(report)) : Result<DistillReport>(written.error());
}

} // namespace headscope::train
