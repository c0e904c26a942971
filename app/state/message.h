// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A message for the user, with the next step if there is one. Any thread.

#include "core/base/side.h"

#include <QString>

namespace headscope::gui {

struct Message {
    /// An offer, which nobody asked for, replaces no message but another offer, and waits for the others.
    enum class Kind { Info, Warning, Error, Offer };
    /// The action of the button.
    enum class Step {
        None,
        Undo,
        CompareWithAllHeadsOn,
        LocateModel,
        ChooseTokenizer,
        OpenInSmallerType,
        CutPrompt,
        OpenForAnyWords,
        MeasureHeads
    };

    Kind kind = Kind::Info;
    QString text;
    Step step = Step::None;
    Side side = Side::A; ///< side that the step applies to
};

} // namespace headscope::gui
