// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The dtype of the active model, at the end of the bottom line: a click reopens it in the alternative one, the arrow
// lists all. The other model is unchanged, so that a model can be compared with its quantized form. GUI thread.

#include <QToolButton>

class QActionGroup;

namespace headscope::gui {

class ModelController;
class WindowState;

class TypeButton : public QToolButton
{
    Q_OBJECT

public:
    TypeButton(WindowState& state, ModelController& models, QWidget* parent);

private:
    void refresh();
    void use(const QString& type);

    WindowState& m_state;
    ModelController& m_models;
    QActionGroup* m_types;
    QString m_other; ///< the dtype that a click changes to
};

} // namespace headscope::gui
