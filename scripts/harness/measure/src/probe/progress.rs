//! How many tasks of a kind are done. They are the long part of a probe, and a log that has no bar would stand still for minutes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Counts the tasks of a kind.
pub struct Done {
    kind: &'static str,
    of: usize,
    count: AtomicUsize,
    began: Instant,
}

impl Done {
    /// A kind of which there are `of` tasks, the first of which begins now.
    pub fn of(kind: &'static str, of: usize) -> Self {
        Self {
            kind,
            of,
            count: AtomicUsize::new(0),
            began: Instant::now(),
        }
    }

    /// One more is done. After each tenth of all: what is done, and about how long the rest takes.
    pub fn one_more(&self) -> Option<(String, Duration)> {
        let (of, done) = (self.of, 1 + self.count.fetch_add(1, Ordering::Relaxed));
        let is_tenth = done * 10 / of > (done - 1) * 10 / of;
        is_tenth.then(|| {
            let left = self.began.elapsed().mul_f64((of - done) as f64 / done as f64);
            (format!("{done} of {of} {} done", self.kind), left)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(of: usize) -> Vec<String> {
        let all = Done::of("cases", of);
        (0..of).filter_map(|_| all.one_more()).map(|(done, _)| done).collect()
    }

    #[test]
    fn each_tenth_is_a_line() {
        assert_eq!(
            lines(3),
            ["1 of 3 cases done", "2 of 3 cases done", "3 of 3 cases done"]
        );
        let many = lines(95);
        assert_eq!((many.len(), many[0].as_str()), (10, "10 of 95 cases done"));
        assert_eq!(many[9], "95 of 95 cases done");
    }
}
