// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A sentence for the person, with the next step where there is one. Any thread.

#include "core/base/side.h"

#include <QString>

namespace headscope::gui {

struct Message {
    enum class Kind { Info, Warning, Error };
    /// What the button does.
    enum class Step {
        None,
        Undo,
        CompareWithAllHeadsOn,
        LocateModel,
        ChooseTokenizer,
        OpenInSmallerType,
        CutPrompt,
        OpenForAnyWords
    };

    Kind kind = Kind::Info;
    QString text;
    Step step = Step::None;
    Side side = Side::A; ///< of the step
};

} // namespace headscope::gui
