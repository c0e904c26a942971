// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/models/lensfit.h"

#include "app/workbench/survey/surveytexts.h"
#include "core/base/elapsed.h"
#include "core/base/hash.h"
#include "core/base/writefile.h"
#include "core/why/lenses/lens.h"

#include <algorithm>
#include <span>

namespace headscope::app {

namespace {

constexpr std::ptrdiff_t kHeldOut = 16; // prompts on which the lens is compared with the logit lens
constexpr double kSecondsUnstored = 5;  // of work that a crash may cost, besides the prompt that runs

} // namespace

std::filesystem::path LensFitting::unfinishedPath(const std::filesystem::path& output)
{
    return output.string() + ".unfinished";
}

Result<LensFitting> LensFitting::open(const OpenModel& open, LensFitRequest request, const Control& control)
{
    const int layers = static_cast<int>(open.spec().layers.size());
    for (const int layer : request.layers)
        if (layer < 0 || layer >= layers - 1)
            return inputError("There is no matrix for layer " + std::to_string(layer) + "; expected layers from 0 to "
                              + std::to_string(layers - 2) + ", those before the last.");
    if (request.length < request.skip + 2)
        return inputError("Prompts of " + std::to_string(request.length) + " tokens are too short; expected at least "
                          + std::to_string(request.skip + 2) + ", two more than --skip.");
    if (auto writable = checkOutputFile(request.output); !writable.has_value())
        return writable.error();
    LensFitting fitting(std::move(request));
    fitting.m_open = &open;
    if (const auto read = fitting.readPrompts(control); !read.has_value())
        return read.error();
    std::set<int> before;
    for (const int layer : fitting.m_request.layers)
        before.insert(layer + 1);
    fitting.m_none = std::make_unique<const lm::Edits>(lm::Edits{.layers = {}, .layerCount = layers});
    fitting.m_fit = std::make_unique<why::JacobianFit>(*open.loaded.model, *fitting.m_none,
                                                       why::JacobianOptions{.layers = std::move(before),
                                                                            .skip = fitting.m_request.skip,
                                                                            .prompts = fitting.prompts()});
    if (const auto taken = fitting.loadUnfinished(); !taken.has_value())
        return taken.error();
    return fitting;
}

Result<void> LensFitting::readPrompts(const Control& control)
{
    SurveyRequest wanted;
    wanted.texts = m_request.texts;
    wanted.window = m_request.length;
    wanted.tokens = 0;
    wanted.seed = m_request.seed;
    auto texts = openTexts(*m_open, wanted, control);
    if (!texts.has_value())
        return texts.error();
    Sha256 hash;
    while (std::ssize(m_heldOut) < kHeldOut) {
        auto window = texts->windows.next();
        if (!window.has_value())
            return window.error();
        if (!window->has_value())
            break;
        std::vector<int>& ids = (*window)->facts.ids;
        if (std::ssize(ids) < m_request.skip + 2) {
            ++m_leftOut;
            continue;
        }
        if (prompts() == m_request.prompts) {
            m_heldOut.push_back(std::move(ids));
            continue;
        }
        for (const int id : ids)
            hash.add(std::to_string(id) + " ");
        hash.add("\n");
        m_prompts.push_back(std::move(ids));
    }
    if (m_prompts.empty())
        return inputError("Every text is shorter than " + std::to_string(m_request.skip + 2)
                          + " tokens, two more than --skip; expected longer texts or a smaller --skip.");
    m_origin = {.model = m_open->name,
                .modelHash = m_open->subject.model.hash,
                .corpusHash = texts->hash,
                .promptsHash = hash.hex(),
                .dtype = m_open->subject.dtype,
                .skip = m_request.skip,
                .length = m_request.length};
    return {};
}

Result<void> LensFitting::loadUnfinished()
{
    const std::filesystem::path path = unfinishedPath(m_request.output);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return {};
    auto sums = why::readUnfinished(path, m_open->spec(), m_origin, m_fit->sums());
    if (!sums.has_value())
        return sums.error();
    m_fit->resume(std::move(*sums));
    return {};
}

const std::vector<int>& LensFitting::longestPrompt() const
{
    return *std::ranges::max_element(m_prompts, {}, &std::vector<int>::size);
}

std::int64_t LensFitting::bytes() const
{
    return m_fit->bytes(std::ssize(longestPrompt()) - 1);
}

Result<double> LensFitting::seconds() const
{
    const auto each = m_fit->secondsPerPrompt(longestPrompt());
    return each.has_value() ? Result<double>(*each * (prompts() - done())) : each;
}

Result<bool> LensFitting::step(const Control& control)
{
    if (done() < prompts()) {
        const auto added = m_fit->add(m_prompts[static_cast<std::size_t>(done())], control);
        if (!added.has_value())
            return added.error();
        if (m_kept && secondsSince(*m_kept) <= kSecondsUnstored)
            return true;
        m_kept = std::chrono::steady_clock::now();
        const auto kept = keep();
        return kept.has_value() ? Result<bool>(true) : kept.error();
    }
    if (const auto written = why::writeLens(m_request.output, lens(), done(), m_origin); !written.has_value())
        return written.error();
    std::error_code ignored;
    std::filesystem::remove(unfinishedPath(m_request.output), ignored);
    return false;
}

Result<void> LensFitting::keep() const
{
    return done() > 0 ? why::writeUnfinished(unfinishedPath(m_request.output), m_fit->sums(), m_origin)
                      : Result<void>();
}

Result<void> LensFitting::run(const Control& control)
{
    for (;;) {
        const auto more = step(control);
        if (!more.has_value()) {
            (void)keep(); // the first failure is the one to report
            return more.error();
        }
        if (!*more)
            return {};
    }
}

Result<LensQuality> LensFitting::quality(const why::JacobianLens& lens, const Control& control) const
{
    const std::vector<std::vector<int>>& all = m_heldOut.empty() ? m_prompts : m_heldOut;
    const std::span measured = std::span(all).first(std::min<std::size_t>(all.size(), kHeldOut));
    LensQuality quality;
    quality.prompts = static_cast<int>(measured.size());
    quality.heldOut = !m_heldOut.empty();
    const lm::Model& model = *m_open->loaded.model;
    quality.fitted.resize(model.spec().layers.size());
    quality.logit.resize(model.spec().layers.size());
    for (const std::vector<int>& ids : measured) {
        const auto run = why::record(model, ids, *m_none, control);
        if (!run.has_value())
            return run.error();
        const auto add = [&](std::vector<double>& to, const why::JacobianLens* fitted) {
            const std::vector<double> shares = why::topAgreement(model, *run, m_request.skip, fitted);
            for (std::size_t i = 0; i < shares.size(); ++i)
                to[i] += shares[i] / quality.prompts;
        };
        add(quality.fitted, &lens);
        add(quality.logit, nullptr);
    }
    return quality;
}

} // namespace headscope::app
