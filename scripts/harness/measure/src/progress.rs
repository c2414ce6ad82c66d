//! The progress of long work, reported by this crate; the command decides what to show.

/// Shows the progress of long work.
pub trait Reporter {
    /// A task of this many steps begins; it ends when the returned value is dropped.
    fn begin(&self, heading: &str, steps: u64) -> Box<dyn Progress + '_>;
}

/// A task in progress.
pub trait Progress: Sync {
    /// A step begins.
    fn begins(&self, what: &str);
    /// The current activity, which may change many times a second.
    fn doing(&self, what: &str);
    /// How far a long step is: on a terminal at once, elsewhere a line now and then.
    fn goes_on(&self, how_far: &str);
    /// One more step is done.
    fn step(&self);
    /// There are more steps than planned.
    fn more(&self, steps: u64);
    /// Something was reached that is worth a line.
    fn passed(&self, what: &str);
    /// What is done, and about how long the rest takes.
    fn left(&self, done: &str, left: std::time::Duration);
    /// Something worth a line that stays, on a terminal as elsewhere.
    fn news(&self, text: &str);
    /// The figures of the first round, which prove nothing yet.
    fn first_figures(&self, cells: &[model::Cell]);
    /// Something went wrong that does not stop the work.
    fn warn(&self, text: &str);
}

/// Says nothing.
impl Progress for () {
    fn begins(&self, _: &str) {}
    fn doing(&self, _: &str) {}
    fn goes_on(&self, _: &str) {}
    fn step(&self) {}
    fn more(&self, _: u64) {}
    fn passed(&self, _: &str) {}
    fn left(&self, _: &str, _: std::time::Duration) {}
    fn news(&self, _: &str) {}
    fn first_figures(&self, _: &[model::Cell]) {}
    fn warn(&self, _: &str) {}
}
