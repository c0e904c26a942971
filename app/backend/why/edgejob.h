// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Path patching around a part of a model. Worker thread only.

#include "app/backend/values/edgevalues.h"
#include "app/backend/why/pairjob.h"
#include "core/engine/questions/edgerun.h"

namespace headscope::app {

/// Returns an upper bound of the edges traced on each pair.
[[nodiscard]] Result<std::size_t> countOf(const PairedPrompts& asked, const EdgeQuestion& question);

class EdgeJob : public PairJob<EdgeReply, engine::EdgeRun>
{
public:
    using PairJob::PairJob;

private:
    [[nodiscard]] Result<std::unique_ptr<engine::EdgeRun>> makeRun(PairedPrompts& asked) override;
    void fill() override;
    [[nodiscard]] sessions::AnalysisRecord record() const override;
};

} // namespace headscope::app
