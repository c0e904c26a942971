// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every head over many texts, a batch of windows at a time. What is kept does not grow with the texts, and can be put
// away after any batch and taken up again: the numbers are bit for bit those of a run that was never stopped. Worker
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
    std::int64_t atOnce = std::int64_t{1} << 24; ///< numbers of a layer's matrices that are made whole; others in parts
};

/// How far a survey is: with the heads' own numbers all that it takes to go on.
struct SurveyState {
    Windows::Position block;   ///< where the windows that are being measured begin
    std::uint64_t batches = 0; ///< of the block that are counted
    WindowCounts measured;
    bool operator==(const SurveyState&) const = default;
};

/// What was measured of one block of texts.
struct SurveyedBlock {
    std::vector<HeadSurvey> heads;
    WindowCounts measured;
};

class Survey
{
public:
    /// Fails for a window longer than the model reads, heads that it does not have, and more heads than memory holds.
    [[nodiscard]] static Result<Survey> make(std::shared_ptr<const lm::Model> model, lm::Edits base, Windows windows,
                                             SurveyOptions options);
    Survey(Survey&&) noexcept;
    Survey& operator=(Survey&&) noexcept;
    ~Survey();

    /// Measures one batch. False: all texts are measured. A batch that fails or is stopped counts nothing.
    [[nodiscard]] Result<bool> step(const Control& control = {});

    [[nodiscard]] const std::vector<SurveyedHead>& heads() const { return m_heads; }
    [[nodiscard]] const std::vector<HeadSurvey>& results() const { return m_results; }
    [[nodiscard]] const SurveyState& state() const { return m_state; }
    [[nodiscard]] const Windows& windows() const { return m_windows; }
    /// Resumes from what another survey of the same model, texts and options left.
    [[nodiscard]] Result<void> goOn(const SurveyState& state, std::vector<HeadSurvey> results);

    /// Texts are measured in blocks, each added up by itself. Reads through all of them: where each begins, and the
    /// end.
    [[nodiscard]] Result<std::vector<Windows::Position>> blocks(const Control& control) const;
    /// Whether step() would begin another block, or end.
    [[nodiscard]] bool blockDone() const { return m_state.batches >= m_block.size(); }
    /// Measures one block by itself. This survey stays where it is.
    [[nodiscard]] Result<SurveyedBlock> measureBlock(const Windows::Position& begin, const Control& control);
    /// Takes in the next block as if it had been measured here; the one before is done.
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
    std::map<Where, std::vector<std::size_t>> m_ofSite; ///< indexes into m_heads, by layer and mixer
    std::vector<HeadSurvey> m_results;
    std::map<int, std::unique_ptr<HeadWrites>> m_writes; ///< by layer, made with the first batch
    std::vector<std::vector<Window>> m_block;            ///< batches of windows of one length
    SurveyState m_state;
};

} // namespace headscope::survey
