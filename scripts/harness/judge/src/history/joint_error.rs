//! What a joint adds to the error of a change.
//!
//! Values beyond a joint were moved by an estimated offset. All of them share the error of that estimate, so it does not become smaller with
//! their number. A difference of two levels is therefore estimated by generalized least squares: the error of the joint is a
//! random effect of known variance, and comes out as a term of a ridge regression (C. R. Henderson, "Best linear unbiased estimation
//! and prediction under a selection model", Biometrics 31, 1975, equation 3). So a step at the joint is as uncertain as the joint, a
//! step within one side is hardly affected, and what lies between is weighed as it should be. Of a joint with an infinite variance
//! nothing is known: the values of the other side then say nothing about the level of this one.

use std::ops::Range;

/// The error of a joint, as the values of a series share it.
#[derive(Debug, Clone, PartialEq)]
pub struct JointError {
    /// For each value, whether it lies beyond the joint.
    pub beyond: Vec<bool>,
    /// Variance of the offset ÷ variance of a value about its level; infinite where nothing is known of the offset.
    pub variance: f64,
}

impl JointError {
    /// Whether it parts these values, of which there is at least one.
    pub fn parts(&self, values: Range<usize>) -> bool {
        self.place(values).is_some()
    }

    /// The first of these values that lies on another side of it than the first one.
    pub fn place(&self, mut values: Range<usize>) -> Option<usize> {
        let first = *self.beyond.get(values.start)?;
        values.find(|place| self.beyond[*place] != first)
    }

    /// The same for the values at these places alone.
    #[must_use]
    pub fn at(&self, places: &[usize]) -> Self {
        Self {
            beyond: places.iter().map(|place| self.beyond[*place]).collect(),
            variance: self.variance,
        }
    }

    /// The share of these values that lie beyond it, 0 to 1.
    pub fn share(&self, places: &[usize]) -> f64 {
        let beyond = places.iter().filter(|place| self.beyond[**place]).count();
        beyond as f64 / places.len().max(1) as f64
    }
}

/// A difference of two levels across joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepAcross {
    /// The difference.
    pub size: f64,
    /// Its variance ÷ that of a value.
    pub variance: f64,
    /// Sum of the squared deviations, those of the joints from their estimates among them.
    pub squares: f64,
    /// Parameters that were estimated beside the two levels: one for each joint of which nothing is known.
    pub parameters: f64,
}

/// Smallest pivot that is not taken for zero; values are counted, so that others are 0.01 or more.
const PIVOT: f64 = 1e-9;

/// The difference between the level from `from` on and the one from `at` up to `to`; `None` where no value tells it apart from a joint.
pub fn step_across(
    values: &[f64],
    (from, at, to): (usize, usize, usize),
    joints: &[&JointError],
) -> Option<StepAcross> {
    let columns = 2 + joints.len();
    // Mean, step, and one column for each joint, with the figure as the last.
    let line = |place: usize| {
        let beyond = joints.iter().map(|joint| f64::from(u8::from(joint.beyond[place])));
        let step = f64::from(u8::from(place >= at));
        let line = [1.0, step].into_iter().chain(beyond).chain([values[place]]);
        line.collect::<Vec<f64>>()
    };
    let mut normal = vec![vec![0.0; columns + 1]; columns + 1];
    for place in from..to {
        let line = line(place);
        for (row, one) in normal.iter_mut().zip(&line) {
            for (sum, other) in row.iter_mut().zip(&line) {
                *sum += one * other;
            }
        }
    }
    for (number, joint) in joints.iter().enumerate() {
        normal[2 + number][2 + number] += 1.0 / joint.variance;
    }
    // The step comes last, so that its pivot is what the others leave of it.
    let order: Vec<usize> = [0].into_iter().chain(2..columns).chain([1]).collect();
    for pivot in &order {
        if normal[*pivot][*pivot] < PIVOT {
            return None;
        }
        let own = normal[*pivot].clone();
        for row in normal
            .iter_mut()
            .enumerate()
            .filter(|(row, _)| row != pivot)
            .map(|(_, row)| row)
        {
            let times = row[*pivot] / own[*pivot];
            for (value, of_pivot) in row.iter_mut().zip(&own) {
                *value -= times * of_pivot;
            }
        }
    }
    Some(StepAcross {
        size: normal[1][columns] / normal[1][1],
        variance: 1.0 / normal[1][1],
        squares: normal[columns][columns].max(0.0),
        parameters: joints.iter().filter(|joint| joint.variance.is_infinite()).count() as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(beyond: &[u8], variance: f64) -> JointError {
        JointError {
            beyond: beyond.iter().map(|beyond| *beyond == 1).collect(),
            variance,
        }
    }

    const VALUES: [f64; 6] = [1.0, 2.0, 3.0, 6.0, 7.0, 8.0];

    /// By hand: means 2 and 7, squares 2 + 2, variance of a difference of means 1/3 + 1/3.
    #[test]
    fn a_joint_that_is_known_exactly_changes_nothing() {
        let known = joint(&[0, 0, 0, 1, 1, 1], 1e-12);
        let step = step_across(&VALUES, (0, 3, 6), &[&known]).unwrap();
        assert!((step.size - 5.0).abs() < 1e-6, "{step:?}");
        assert!((step.variance - 2.0 / 3.0).abs() < 1e-6, "{step:?}");
        assert!((step.squares - 4.0).abs() < 1e-6, "{step:?}");
    }

    #[test]
    fn a_step_at_a_joint_is_as_uncertain_as_the_joint() {
        let at = joint(&[0, 0, 0, 1, 1, 1], 0.5);
        let step = step_across(&VALUES, (0, 3, 6), &[&at]).unwrap();
        assert!((step.size - 5.0).abs() < 1e-9, "{step:?}");
        assert!((step.variance - (2.0 / 3.0 + 0.5)).abs() < 1e-9, "{step:?}");
        let unknown = joint(&[0, 0, 0, 1, 1, 1], f64::INFINITY);
        assert_eq!(step_across(&VALUES, (0, 3, 6), &[&unknown]), None);
    }

    /// Two values before the joint, one beyond it, and then the step: with an unknown joint, only the one tells the level before.
    #[test]
    fn a_step_beyond_a_joint_is_measured_from_what_lies_beyond_it() {
        let unknown = joint(&[0, 0, 1, 1, 1, 1], f64::INFINITY);
        let step = step_across(&VALUES, (0, 3, 6), &[&unknown]).unwrap();
        assert!((step.size - (7.0 - 3.0)).abs() < 1e-9, "{step:?}");
        assert!((step.variance - (1.0 / 3.0 + 1.0)).abs() < 1e-9, "{step:?}");
        assert!((step.parameters - 1.0).abs() < 1e-9);
        // With a joint of one unit, the mean before is weighted: 1.5 with 1/2 + 1, 3 with 1, so weights of 0.4 and 0.6.
        let one = joint(&[0, 0, 1, 1, 1, 1], 1.0);
        let step = step_across(&VALUES, (0, 3, 6), &[&one]).unwrap();
        assert!(step.size > 4.0 && step.size < 5.5, "{step:?}");
        assert!(step.variance > 2.0 / 3.0 && step.variance < 1.0 / 3.0 + 1.0, "{step:?}");
    }

    #[test]
    fn two_joints_add_up_at_a_step_over_both() {
        let (one, other) = (joint(&[0, 0, 0, 1, 1, 1], 0.5), joint(&[0, 0, 0, 1, 1, 1], 0.25));
        let step = step_across(&VALUES, (0, 3, 6), &[&one, &other]).unwrap();
        assert!((step.variance - (2.0 / 3.0 + 0.75)).abs() < 1e-9, "{step:?}");
    }
}
