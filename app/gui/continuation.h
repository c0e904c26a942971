// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lets the models that are open write on after the prompt, with their heads as they are, and again when a head changes.
// GUI thread.

#include "app/gui/explorer.h"

#include <QObject>

namespace headscope::gui {

class Continuation : public QObject
{
    Q_OBJECT

public:
    Continuation(Explorer& explorer, BackendClient& client, const Parts& parts, QObject* parent);
    /// Continues the prompt with every open model.
    void start();
    void stop();

private:
    void start(Side side);
    void partArrived(Side side, const app::ContinuationPart& part);
    void takeOver(const QString& text);

    Explorer& m_explorer;
    BackendClient& m_client;
    Parts m_parts;
};

} // namespace headscope::gui
