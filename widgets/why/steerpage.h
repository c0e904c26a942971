// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Steering: a direction added to the residual stream before a layer, computed as the mean difference of two lists of
// prompts or read from a file, with its strength. GUI thread.

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
    QString toward, away; ///< prompts, one per line
    QString vector;       ///< "FILE[NAME]", used instead of the lists; empty: the lists
    bool operator==(const SteerChoice&) const = default;
};

class SteerPage : public QWidget
{
    Q_OBJECT

public:
    explicit SteerPage(QWidget* parent = nullptr);

    /// Sets the model that is steered: "A: tiny-transformer".
    void setTitle(const QString& title);
    void setLayers(int layers);
    [[nodiscard]] SteerChoice choice() const;
    void setChoice(const SteerChoice& choice);
    /// Sets the strength in use; emits nothing.
    void setStrength(double strength);
    [[nodiscard]] double strength() const;
    /// In tenths.
    [[nodiscard]] QSlider* slider() const { return m_slider; }
    /// Sets whether a direction is added now.
    void setSteering(bool steering);
    /// Sets what the model answers now, beside the slider.
    void setAnswer(const QString& answer);
    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;

Q_SIGNALS:
    void steerRequested(); ///< with the current choice
    void strengthChanged(double strength);
    void removeRequested();
    void vectorRequested(); ///< a file should be chosen

private:
    QLabel *m_title, *m_value, *m_answer, *m_sentence;
    QSpinBox* m_layer;
    QPlainTextEdit *m_toward, *m_away;
    QLineEdit* m_vector;
    QSlider* m_slider;
    QPushButton *m_steer, *m_remove;
};

} // namespace headscope::widgets
