// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Surveys every head over many texts, a batch of windows at a time. Memory does not grow with the texts, and the state
// can be saved after any batch and restored later: the numbers are bit for bit those of an uninterrupted run. Worker
// thread.

#include "core/survey/headsurvey.h"
#include "core/survey/texts/windows.h"
#include "core/why/recording.h"

#include <map>
#include <memory>
#include <vector>

namespace headscope::survey {

class HeadWrites;

struct SurveyedHead {
    int layer = 0;
    why::Site site = why::Site::Any;
    int head = 0;
    bool operator==(const SurveyedHead&) const = default;
};

struct SurveyOptions {
    PlaceCounts places;
    std::vector<interventions::HeadRef> heads;   ///< only these; empty: all. A head of -1: all of the layer
    std::int64_t atOnce = std::int64_t{1} << 24; ///< numbers of a layer's matrices computed whole; larger: in parts
};

/// Progress of a survey: together with the heads' statistics, everything needed to resume.
struct SurveyState {
    Windows::Position block;   ///< where the block of windows being measured begins
    std::uint64_t batches = 0; ///< batches of the block measured so far
    WindowCounts measured;
    bool operator==(const SurveyState&) const = default;
};

/// Measurements of one block of texts.
struct SurveyedBlock {
    std::vector<HeadSurvey> heads;
    WindowCounts measured;
};

class Survey
{
public:
    /// Starts a survey. Fails for windows beyond the model's limit, missing heads, more heads than fit in memory, and
    /// where lm::checkSameHeads() fails.
    [[nodiscard]] static Result<Survey> make(std::shared_ptr<const lm::Model> model, lm::Edits base, Windows windows,
                                             SurveyOptions options);
    Survey(Survey&&) noexcept;
    Survey& operator=(Survey&&) noexcept;
    ~Survey();

    /// Measures one batch. Returns false when all texts are measured. A batch that fails or is stopped is discarded.
    [[nodiscard]] Result<bool> step(const Control& control = {});

    [[nodiscard]] const std::vector<SurveyedHead>& heads() const { return m_heads; }
    [[nodiscard]] const std::vector<HeadSurvey>& results() const { return m_results; }
    [[nodiscard]] const SurveyState& state() const { return m_state; }
    [[nodiscard]] const Windows& windows() const { return m_windows; }
    /// Resumes from the state of another survey of the same model, texts and options.
    [[nodiscard]] Result<void> resume(const SurveyState& state, std::vector<HeadSurvey> results);

    /// Reads through all texts and returns where each block begins, and the end. Texts are measured in blocks, each
    /// summed separately.
    [[nodiscard]] Result<std::vector<Windows::Position>> blocks(const Control& control) const;
    /// Returns whether step() would begin another block, or end.
    [[nodiscard]] bool blockDone() const { return m_state.batches >= m_block.size(); }
    /// Measures one block separately. The state of this survey does not change.
    [[nodiscard]] Result<SurveyedBlock> measureBlock(const Windows::Position& begin, const Control& control);
    /// Appends the next block as if it had been measured here; the current one must be done.
    [[nodiscard]] Result<void> take(const SurveyedBlock& block);

private:
    using Where = why::Where;
    struct Batch;
    Survey(std::shared_ptr<const lm::Model> model, lm::Edits base, Windows windows, SurveyOptions options);
    void chooseHeads();
    [[nodiscard]] Result<bool> fillBlock();
    [[nodiscard]] static Result<std::vector<Window>> nextBlock(Windows& windows);
    [[nodiscard]] std::size_t windowsAtOnce(std::size_t length) const;
    [[nodiscard]] Result<void> measure(Batch& batch, const Control& control);
    [[nodiscard]] bool measureLayer(Batch& batch, const why::LayerRun& run, int layer, const Control& control);
    [[nodiscard]] bool measureInParts(Batch& batch, const why::LayerRun& run, const Where& where,
                                      const std::vector<int>& heads, const Control& control);
    void measureRows(Batch& batch, const Where& where, const at::Tensor& matrix, std::int64_t firstRow,
                     const std::vector<int>& heads);
    void normsOf(Batch& batch, const why::LayerRun& run, int layer, const lm::HeadOutputs& z);

    std::shared_ptr<const lm::Model> m_model;
    lm::Edits m_base;
    Windows m_windows;
    SurveyOptions m_options;
    std::vector<SurveyedHead> m_heads;
    std::map<Where, std::vector<std::size_t>> m_ofSite; ///< indices into m_heads, by layer and mixer
    std::vector<HeadSurvey> m_results;
    std::map<int, std::unique_ptr<HeadWrites>> m_writes; ///< by layer, made with the first batch
    std::vector<std::vector<Window>> m_block;            ///< batches of windows of one length
    SurveyState m_state;
};

} // namespace headscope::survey
