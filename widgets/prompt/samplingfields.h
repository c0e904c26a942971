// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two fields for the number of tokens to generate and the sampling temperature. GUI thread.

#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QSpinBox>

namespace headscope::widgets {

class SamplingFields
{
    Q_DECLARE_TR_FUNCTIONS(headscope::widgets::SamplingFields)

public:
    /// `usual`: initial number of tokens; `name` and `tip` describe that number.
    SamplingFields(QWidget* parent, int usual, const QString& name, const QString& tip);

    [[nodiscard]] QSpinBox* tokens() const { return m_tokens; }
    [[nodiscard]] QDoubleSpinBox* temperature() const { return m_temperature; }

private:
    QSpinBox* m_tokens;
    QDoubleSpinBox* m_temperature;
};

} // namespace headscope::widgets
