// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/prompt/samplingfields.h"

#include "widgets/look/plaintext.h"

namespace headscope::widgets {

SamplingFields::SamplingFields(QWidget* parent, int usual, const QString& name, const QString& tip)
    : m_tokens(new QSpinBox(parent)), m_temperature(new QDoubleSpinBox(parent))
{
    m_tokens->setRange(1, 4096);
    m_tokens->setValue(usual);
    m_tokens->setSuffix(tr(" tokens"));
    m_tokens->setAccessibleName(name);
    m_tokens->setToolTip(plainText(tip));
    m_temperature->setRange(0, 10);
    m_temperature->setSingleStep(0.1);
    m_temperature->setDecimals(1);
    m_temperature->setPrefix(tr("T = "));
    m_temperature->setAccessibleName(tr("Temperature"));
    m_temperature->setToolTip(
        plainText(tr("Temperature. 0: always the likeliest token; higher: sampled, the same each time")));
}

} // namespace headscope::widgets
