//! How much of a build is left, by what cargo says of it.

use std::time::Duration;

use model::count;

/// Compiled crates and all of them, by the last line of progress that cargo wrote: `Building [==> ] 12/352: serde`.
pub fn crates(stderr: &str) -> Option<(u32, u32)> {
    let (_, counts) = stderr.rsplit_once("] ")?;
    let (done, all) = counts.split([':', ' ', '\r', '\n']).next()?.split_once('/')?;
    Some((done.parse().ok()?, all.parse().ok()?))
}

/// How many crates' time one takes that is much longer than others, as measured in a cold first look.
const LONG_OF_OHA: [(&str, f64); 3] = [("tikv_jemalloc_sys", 30.0), ("aws_lc_sys", 20.0), ("oha", 20.0)];
const LONG_PROGRAM: f64 = 10.0;

/// What of a build is done.
pub struct Work {
    /// Crates that were there before.
    fresh: u32,
    /// The long ones that are not yet built, and the time of those that are, in crates.
    long: Vec<(String, f64)>,
    long_done: f64,
}

impl Work {
    /// Of a build of these programs.
    pub fn of(programs: &[&str]) -> Self {
        let of_oha = LONG_OF_OHA.iter().filter(|_| programs.contains(&"oha"));
        let own = programs.iter().map(|program| (program.replace('-', "_"), LONG_PROGRAM));
        Self {
            fresh: 0,
            long: of_oha
                .map(|(name, long)| ((*name).to_owned(), *long))
                .chain(own)
                .collect(),
            long_done: 0.0,
        }
    }

    /// Takes note of a finished target, which was `fresh` if it had not to be compiled.
    pub fn is_built(&mut self, target: &str, fresh: bool) {
        self.fresh += u32::from(fresh);
        let name = target.replace('-', "_");
        let built = self.long.iter().position(|(long, _)| *long == name);
        if let Some((_, long)) = built.map(|at| self.long.swap_remove(at)).filter(|_| !fresh) {
            self.long_done += long;
        }
    }

    /// How many crates are left, and a guess how long they take, which does not count what was there before.
    pub fn left(&self, done: u32, all: u32, elapsed: Duration) -> String {
        let left = all.saturating_sub(done);
        let long_left: f64 = self.long.iter().map(|(_, long)| long).sum();
        let work_done = f64::from(done.saturating_sub(self.fresh)) + self.long_done;
        let guess = elapsed.as_secs_f64() * (f64::from(left) + long_left) / work_done.max(1.0);
        let crates = count(left as usize, "crate");
        match guess {
            ..10.0 => format!("{crates} left"),
            10.0..90.0 => format!("{crates} left, about {:.0} s", (guess / 10.0).floor() * 10.0),
            _ => format!("{crates} left, about {:.0} min", guess / 60.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_that_are_left_are_read_from_the_last_line_of_progress() {
        let said = "   Compiling serde v1\n\r    Building [=>    ] 12/352: serde, tokio\r    Building [==>   ] 20/352: tokio(build)...";
        assert_eq!(crates(said), Some((20, 352)));
        assert_eq!(
            crates("    Finished `release` profile [optimized] target(s) in 1s"),
            None
        );
    }

    #[test]
    fn the_time_left_counts_neither_what_was_there_before_nor_a_long_crate_as_one() {
        let left = |work: &Work, done, seconds| work.left(done, 352, Duration::from_secs(seconds));
        let mut server = Work::of(&["axum-app"]);
        assert_eq!(left(&server, 176, 120), "176 crates left, about 2 min");
        assert_eq!(left(&server, 300, 120), "52 crates left, about 20 s");
        for crate_before in ["serde", "tokio"].iter().cycle().take(143) {
            server.is_built(crate_before, true);
        }
        assert_eq!(left(&server, 148, 5), "204 crates left, about 4 min");
        server.is_built("axum-app", false);
        assert_eq!(left(&server, 352, 120), "0 crates left");
        let mut with_oha = Work::of(&["oha", "axum-app"]);
        assert_eq!(left(&with_oha, 343, 240), "9 crates left, about 60 s");
        with_oha.is_built("tikv_jemalloc_sys", false);
        assert_eq!(left(&with_oha, 344, 300), "8 crates left, about 50 s");
    }
}
