// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/messages.h"

#include <QCoreApplication>

namespace headscope::gui {

namespace {

struct Messages {
    Q_DECLARE_TR_FUNCTIONS(Messages)
};

} // namespace

Message needsModel(const app::ModelSummary& model, Side side, const QString& what)
{
    return {.text =
                Messages::tr("%1 needs the model %2, which is not here.").arg(what, QString::fromStdString(model.name)),
            .step = Message::Step::LocateModel,
            .side = side};
}

} // namespace headscope::gui
