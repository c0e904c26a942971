// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How many tokens a model writes at most and how they are drawn, as two fields. GUI thread.

#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QSpinBox>

namespace headscope::widgets {

class SamplingFields
{
    Q_DECLARE_TR_FUNCTIONS(headscope::widgets::SamplingFields)

public:
    /// `usual`: number of tokens at first; `name` and `tip` say of what they are.
    SamplingFields(QWidget* parent, int usual, const QString& name, const QString& tip);

    [[nodiscard]] QSpinBox* tokens() const { return m_tokens; }
    [[nodiscard]] QDoubleSpinBox* temperature() const { return m_temperature; }

private:
    QSpinBox* m_tokens;
    QDoubleSpinBox* m_temperature;
};

} // namespace headscope::widgets
