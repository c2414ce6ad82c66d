//! The time of day, as a measurement counts it: whoever sets the machine's clock meanwhile changes neither order nor length of anything.

use std::sync::OnceLock;
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};

/// Steps above this size are reported: more than a clock that is slewed gains in a night.
const REPORTED: SignedDuration = SignedDuration::from_secs(10);

fn began() -> (Timestamp, Instant) {
    static BEGAN: OnceLock<(Timestamp, Instant)> = OnceLock::new();
    *BEGAN.get_or_init(|| (Timestamp::now(), Instant::now()))
}

/// The time of day of the first call, and what a monotonic clock has counted since.
pub fn now() -> Timestamp {
    let (time, at) = began();
    time.saturating_add(at.elapsed()).unwrap_or(time)
}

/// By how much the machine's clock was set since the first call, in words; `None` if it was not.
pub fn set_meanwhile() -> Option<String> {
    in_words(Timestamp::now().duration_since(now()))
}

fn in_words(step: SignedDuration) -> Option<String> {
    let direction = if step.is_negative() { "back" } else { "forward" };
    (step.abs() > REPORTED).then(|| {
        let seconds = step.abs().as_secs_f64().round();
        format!("the machine's clock went {direction} by {seconds} s meanwhile: times of day are counted from the start, without that")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_is_reported_and_one_that_is_slewed_is_not() {
        let before = now();
        assert!(now() >= before);
        assert_eq!(set_meanwhile(), None);
        assert_eq!(in_words(SignedDuration::from_secs(-9)), None);
        let back = in_words(SignedDuration::from_hours(-1)).unwrap();
        assert!(
            back.starts_with("the machine's clock went back by 3600 s meanwhile: "),
            "{back}"
        );
        assert!(
            in_words(SignedDuration::from_mins(2))
                .unwrap()
                .contains("forward by 120 s")
        );
    }
}
