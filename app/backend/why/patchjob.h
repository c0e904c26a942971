// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map of activation patching effects. Worker thread only.

#include "app/backend/values/patch.h"
#include "app/backend/why/pairjob.h"
#include "core/engine/questions/patchmap.h"

namespace headscope::app {

[[nodiscard]] engine::PatchRequest patchRequestOf(const PatchQuestion& question);

/// Returns the number of parts patched on each pair.
[[nodiscard]] Result<std::size_t> countOf(const PairedPrompts& asked, const PatchQuestion& question);

class PatchJob : public PairJob<PatchReply, engine::PatchRun>
{
public:
    using PairJob::PairJob;

private:
    [[nodiscard]] Result<std::unique_ptr<engine::PatchRun>> makeRun(PairedPrompts& asked) override;
    void fill() override;
    [[nodiscard]] sessions::AnalysisRecord record() const override;
};

} // namespace headscope::app
