// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings/typebutton.h"

#include "app/controllers/models/modelcontroller.h"
#include "app/state/windowstate.h"
#include "widgets/look/plaintext.h"

#include <QActionGroup>
#include <QMenu>

namespace headscope::gui {

namespace {

/// "2.5 GB": weights in a type.
QString sizeOf(const app::ModelSummary& model, const QString& type)
{
    const double each = type == QLatin1String("fp32") ? 4 : 2, parameters = static_cast<double>(model.parameters);
    const bool same = type == QString::fromStdString(model.dtype);
    const double gigabytes = (same ? static_cast<double>(model.bytes) : each * parameters) / 1e9;
    return gigabytes < 0.1 ? QStringLiteral("%1 MB").arg(1000 * gigabytes, 0, 'f', 1)
                           : QStringLiteral("%1 GB").arg(gigabytes, 0, 'f', 1);
}

} // namespace

TypeButton::TypeButton(WindowState& state, ModelController& models, QWidget* parent)
    : QToolButton(parent), m_state(state), m_models(models), m_types(new QActionGroup(this))
{
    setAutoRaise(true);
    setPopupMode(QToolButton::MenuButtonPopup);
    setMenu(new QMenu(this));
    connect(this, &QToolButton::clicked, this, [this] { use(m_other); });
    connect(&state, &WindowState::modelChanged, this, &TypeButton::refresh);
    connect(&state, &WindowState::activeSideChanged, this, &TypeButton::refresh);
    hide();
}

void TypeButton::use(const QString& type)
{
    const Side side = m_state.activeSide();
    if (const auto& model = m_state.side(side).model)
        m_models.open(side, QString::fromStdString(model->path), type);
}

void TypeButton::refresh()
{
    const auto& model = m_state.side(m_state.activeSide()).model;
    setVisible(model && !model->stored);
    if (!model || model->stored)
        return;
    const QString now = QString::fromStdString(model->dtype);
    m_other = now == QLatin1String("fp32") ? QStringLiteral("bf16") : QStringLiteral("fp32");
    setText(QStringLiteral("%1 · %2").arg(QString::fromStdString(model->device).toUpper(), now));
    const QString told = tr("The model runs in %1 (%2 of weights); a click opens it in %3 (%4).")
                             .arg(now, sizeOf(*model, now), m_other, sizeOf(*model, m_other));
    setToolTip(widgets::plainText(told));
    setAccessibleName(text());
    setAccessibleDescription(told);
    menu()->clear();
    for (const char* type : {"", "fp32", "bf16", "fp16", "int8", "int4"}) {
        const QString id = QLatin1String(type);
        const bool few = id.startsWith(QLatin1String("int")); // how many bytes depends on the share of tables
        QAction* action = menu()->addAction(id.isEmpty()       ? tr("as in the settings")
                                            : few && id != now ? id
                                                               : QStringLiteral("%1, %2").arg(id, sizeOf(*model, id)));
        action->setCheckable(true);
        action->setChecked(model->wantedType == type);
        m_types->addAction(action);
        connect(action, &QAction::triggered, this, [this, id] { use(id); });
    }
}

} // namespace headscope::gui
