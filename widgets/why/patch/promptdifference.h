// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The other prompt of a pair in one line: its differences are marked, with a few tokens of context. GUI
// thread.

#include "widgets/look/labels/plainlabel.h"

#include <QStringList>

#include <vector>

namespace headscope::widgets {

/// The tokens of both prompts; empty: there is no pair.
struct PromptPair {
    QStringList here, there;
    bool first = false; ///< the first of several pairs

    bool operator==(const PromptPair&) const = default;
};

/// A part of the other prompt.
struct PromptPiece {
    QString words;
    bool differs = false;

    bool operator==(const PromptPiece&) const = default;
};
/// Returns "… the key", "wise mole" (differs), "is": text far from every difference is left out.
[[nodiscard]] std::vector<PromptPiece> differencePieces(const PromptPair& pair);

class PromptDifference : public PlainLabel
{
    Q_OBJECT

public:
    explicit PromptDifference(QWidget* parent = nullptr);
    void setPair(const PromptPair& pair);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    PromptPair m_pair;
};

} // namespace headscope::widgets
