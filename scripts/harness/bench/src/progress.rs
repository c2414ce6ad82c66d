//! How far a long command is: a bar with the time left on a terminal, plain lines elsewhere, groups and annotations under
//! GitHub Actions. All of it goes to stderr; what the command found goes to stdout.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows how far something is.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    actions: bool,
}

/// Whether this runs under GitHub Actions.
pub fn under_actions() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

impl Progress {
    /// Of `steps` steps, under a heading.
    pub fn new(heading: &str, steps: u64) -> Self {
        let actions = under_actions();
        if actions {
            eprintln!("::group::{}", command_data(heading));
        } else if !stderr().is_terminal() {
            eprintln!("{heading}");
        }
        let bar = stderr().is_terminal().then(|| {
            // Few redraws: the cpus belong to those that are measured.
            let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(4));
            let template = "{prefix} {bar:24} {pos}/{len}  {eta} left  {wide_msg}";
            bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(heading.to_owned());
            bar
        });
        Self { bar, actions }
    }

    /// What is going on now; on a terminal only.
    pub fn doing(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
            bar.tick();
        }
    }

    /// A step begins; elsewhere than on a terminal this is a line.
    pub fn begins(&self, what: &str) {
        match &self.bar {
            Some(_) => self.doing(what),
            None => eprintln!("  {what}"),
        }
    }

    /// A line, elsewhere than on a terminal.
    pub fn plain(&self, text: &str) {
        if self.bar.is_none() {
            eprintln!("{text}");
        }
    }

    /// One more step is done.
    pub fn step(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// More steps than were thought of.
    pub fn more(&self, steps: u64) {
        if let Some(bar) = &self.bar {
            bar.inc_length(steps);
        }
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }

    /// Something that went wrong and does not stop the command.
    pub fn warn(&self, text: &str) {
        if self.actions {
            eprintln!("::warning::{}", command_data(text));
        } else {
            self.line(&format!("warning: {text}"));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.actions {
            eprintln!("::endgroup::");
        }
    }
}

/// Text as the data of a workflow command: it may hold no line end.
pub fn command_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A time for people: `3 min 10 s`.
pub fn in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}
