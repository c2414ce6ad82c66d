//! Progress of a long command: a bar with the time left on a terminal, plain lines elsewhere, groups and annotations under
//! GitHub Actions. All of it goes to stderr; results go to stdout.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::workflow_commands::{command_data, under_actions};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use machine::tell;
use measure::progress::{Progress, Reporter};
use model::Cell;
use report::first_figures;

/// Shows progress on stderr.
#[derive(Debug, Clone, Copy)]
pub struct OnStderr;

impl Reporter for OnStderr {
    fn begin(&self, heading: &str, steps: u64) -> Box<dyn Progress + '_> {
        Box::new(Shown::new(heading, steps))
    }
}

/// A task that is shown.
#[derive(Debug)]
pub struct Shown {
    /// Hidden where there is no terminal.
    bar: ProgressBar,
    actions: bool,
    /// When the last line on a long step was written.
    last_line: Mutex<Instant>,
}

/// Pause between two lines on a long step, where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(20);

impl Shown {
    /// A task of `steps` steps, under a heading.
    fn new(heading: &str, steps: u64) -> Self {
        let actions = under_actions();
        // Few redraws: the cpus belong to what is measured. A runner may have a terminal; its log has lines.
        let target = if actions {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(4)
        };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        let template = "{prefix} {bar:24} {pos}/{len}  {eta} left  {wide_msg}";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is one"));
        bar.set_prefix(heading.to_owned());
        if actions {
            tell(&format!("::group::{}", command_data(heading)));
        } else if bar.is_hidden() {
            tell(heading);
        }
        Self {
            bar,
            actions,
            last_line: Mutex::new(Instant::now()),
        }
    }

    /// A line that stays.
    fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            tell(text);
        } else {
            self.bar.println(text);
        }
    }
}

impl Progress for Shown {
    /// A line, unless on a terminal.
    fn begins(&self, what: &str) {
        self.doing(what);
        self.passed(&format!("  {what}"));
    }

    /// Only on a terminal.
    fn doing(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.tick();
    }

    fn goes_on(&self, how_far: &str) {
        self.doing(how_far);
        let mut last_line = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
        if last_line.elapsed() >= BETWEEN_LINES {
            *last_line = Instant::now();
            self.passed(&format!("  {how_far}"));
        }
    }

    fn step(&self) {
        self.bar.inc(1);
    }

    fn more(&self, steps: u64) {
        self.bar.inc_length(steps);
    }

    /// Not on a terminal, where the bar shows it.
    fn passed(&self, what: &str) {
        if self.bar.is_hidden() {
            tell(what);
        }
    }

    fn left(&self, done: &str, left: Duration) {
        match left {
            Duration::ZERO => self.passed(done),
            left => self.passed(&format!("{done}, about {} left", in_words(left))),
        }
    }

    fn news(&self, text: &str) {
        self.line(text);
    }

    fn first_figures(&self, cells: &[Cell]) {
        self.line(&first_figures(cells));
    }

    fn warn(&self, text: &str) {
        if self.actions {
            tell(&format!("::warning::{}", command_data(text)));
        } else {
            self.line(&format!("warning: {text}"));
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        if self.actions {
            tell("::endgroup::");
        }
    }
}

/// A time for people: `3 min 10 s`.
fn in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}
