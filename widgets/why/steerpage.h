// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A direction that is added to the stream of a model before a layer: two lists of prompts whose mean difference it is,
// or a vector of a file, with its strength. GUI thread.

#include "core/base/side.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSlider;
class QSpinBox;

namespace headscope::widgets {

struct SteerChoice {
    int layer = 0;
    QString toward, away; ///< prompts, one a line
    QString vector;       ///< "FILE[NAME]", in place of the lists; empty: the lists
};

class SteerPage : public QWidget
{
    Q_OBJECT

public:
    explicit SteerPage(QWidget* parent = nullptr);

    /// "A: tiny-transformer"; what is chosen acts on it.
    void setTitle(const QString& title);
    void setLayers(int layers);
    [[nodiscard]] SteerChoice choice() const;
    void setChoice(const SteerChoice& choice);
    /// The strength that is in force; emits nothing.
    void setStrength(double strength);
    [[nodiscard]] double strength() const;
    /// In tenths.
    [[nodiscard]] QSlider* slider() const { return m_slider; }
    /// Whether a direction is added now.
    void setSteering(bool steering);
    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;

Q_SIGNALS:
    void steerRequested(); ///< by what is written
    void strengthChanged(double strength);
    void removeRequested();
    void vectorRequested(); ///< a file is to be chosen

private:
    QLabel *m_title, *m_value, *m_sentence;
    QSpinBox* m_layer;
    QPlainTextEdit *m_toward, *m_away;
    QLineEdit* m_vector;
    QSlider* m_slider;
    QPushButton *m_steer, *m_remove;
};

} // namespace headscope::widgets
