//! The progress of long work, reported by this crate; the command decides what to show.

/// Shows the progress of long work.
pub trait Reporter {
    /// A task of this many steps begins; it ends when the returned value is dropped.
    fn begin(&self, heading: &str, steps: u64) -> Box<dyn Progress + '_>;
}

/// A task in progress. What is not shown is not said.
pub trait Progress: Sync {
    /// A step begins.
    fn begins(&self, _what: &str) {}
    /// The current activity, which may change many times a second.
    fn doing(&self, _what: &str) {}
    /// How far a long step is: on a terminal at once, elsewhere a line now and then.
    fn goes_on(&self, _how_far: &str) {}
    /// One more step is done.
    fn step(&self) {}
    /// There are more steps than planned.
    fn more(&self, _steps: u64) {}
    /// Something was reached that is worth a line.
    fn passed(&self, _what: &str) {}
    /// What is done, and about how long the rest takes.
    fn left(&self, _done: &str, _left: std::time::Duration) {}
    /// Something worth a line that stays, on a terminal as elsewhere.
    fn news(&self, _text: &str) {}
    /// The figures of the first round, which prove nothing yet.
    fn first_figures(&self, _cells: &[model::Cell]) {}
    /// Something went wrong that does not stop the work.
    fn warn(&self, _text: &str) {}
}

/// Says nothing.
impl Progress for () {}
