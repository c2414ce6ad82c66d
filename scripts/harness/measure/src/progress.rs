//! How far something long is, told by what measures; the command decides what is shown, and how.

/// Shows how far something long is.
pub trait Reporter {
    /// A piece of work of so many steps begins; it ends when what is returned is dropped.
    fn begin(&self, heading: &str, steps: u64) -> Box<dyn Progress + '_>;
}

/// A piece of work that goes on.
pub trait Progress {
    /// A step begins.
    fn begins(&self, what: &str);
    /// What is going on now, which may change many times a second.
    fn doing(&self, what: &str);
    /// One more step is done.
    fn step(&self);
    /// There are more steps than were thought of.
    fn more(&self, steps: u64);
    /// A mark on the way was passed.
    fn passed(&self, what: &str);
    /// So many steps of these are done, and what is left takes about so long.
    fn left(&self, done: &str, left: std::time::Duration);
    /// What one round found, of which nothing is proven yet.
    fn first_figures(&self, cells: &[record::Cell]);
    /// Something went wrong that does not stop the work.
    fn warn(&self, text: &str);
}
