//! The command line: arguments and output. The work is done elsewhere.

mod arguments;
mod clock;
#[cfg(feature = "measure")]
mod measuring;
mod reading;

use std::ffi::OsString;
use std::io;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::error::ErrorKind;
use clap::{FromArgMatches, Parser, Subcommand, ValueEnum};
use jiff::Timestamp;

use crate::workflow_commands::{command_data, under_actions};
use ::report::artifact::ArtifactError;
use ::report::{ReadmeBlock, Style, replace_block};
use analyze::reading as records;
use apps::catalog::results_folder;
use machine::interrupt::Interrupted;
use machine::tell;
use model::escape::clean;
use model::store;
use model::store::StoreError;

const AFTER_HELP: &str = "\
Exit status: 0 done, 1 a check failed, 2 the command could not be carried out.

Examples:
  bench run                                   a first look at three frameworks
  bench run --app axum --scenario plaintext   one framework, with reference and ceiling
  bench check                                 do all servers answer correctly?
  bench compare                               does my change make anything slower?
  bench report                                show the newest record
  bench report --pair axum,actix-web          two frameworks of it, directly";

/// Measures Rust web frameworks, with an interval for every ratio and a verdict for every figure.
#[derive(Debug, Parser)]
#[command(name = "bench", version, after_help = AFTER_HELP, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// The time that it is now, for tests
    #[arg(long, global = true, hide = true, value_name = "TIME")]
    now: Option<Timestamp>,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant)] // there is one, at the start
enum Command {
    #[cfg(feature = "measure")]
    #[command(flatten)]
    Measuring(measuring::Command),
    #[command(flatten)]
    Reading(reading::Command),
}

/// Longest error that is printed, in characters: more than a compiler's.
const LONGEST_ERROR: usize = 8000;
/// Largest Markdown page that a block of is replaced.
const LARGEST_PAGE: u64 = 16 << 20;

/// Columns of tables where standard output is no terminal, and of a summary.
const TABLES: u16 = 100;
const SUMMARIES: u16 = 80;

/// How a table is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

impl Format {
    /// Prints `text` for people, `value` for programs.
    fn print(self, value: &impl serde::Serialize, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        match self {
            Self::Text => print(&text()),
            Self::Json => print_json(value),
        }
    }
}

/// The outcome of a command that was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Fine,
    CheckFailed,
}

impl Outcome {
    fn failed_if(has_failed: bool) -> Self {
        if has_failed { Self::CheckFailed } else { Self::Fine }
    }
}

/// Parses the command line, runs the command, and prints its error, if any: the only place that does.
pub fn main() -> ExitCode {
    machine::clock::now(); // counts from here on
    #[cfg(feature = "measure")]
    let _files = servers::shared_files::Removal;
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match parse(&words) {
        Ok(cli) => cli,
        Err(error) if is_wrong(&error) => return failed(&anyhow::Error::msg(arguments::in_one_line(&error))),
        Err(help) => {
            return match written(help.print()) {
                Ok(()) => ExitCode::from(if help.use_stderr() { 2 } else { 0 }),
                Err(error) => failed(&error),
            };
        }
    };
    match carried_out(&cli) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::CheckFailed) => ExitCode::from(1),
        Err(error) => failed(&error),
    }
}

fn carried_out(cli: &Cli) -> anyhow::Result<Outcome> {
    clock::set(cli.now);
    ensure!(
        cfg!(target_os = "linux"),
        "bench measures on Linux (x86-64 and arm64) only"
    );
    ensure!(
        Path::new("/proc/self").exists(),
        "/proc is not there, which says what processes use; `mount -t proc proc /proc` as root mounts it"
    );
    match &cli.command {
        #[cfg(feature = "measure")]
        Command::Measuring(command) => command.run(),
        Command::Reading(command) => command.run(),
    }
}

/// Prints why a command could not be carried out, or that an artifact is refused, which is a check that failed.
fn failed(error: &anyhow::Error) -> ExitCode {
    complain(error);
    ExitCode::from(if is_refused(error) { 1 } else { 2 })
}

/// Whether it says that an artifact is refused.
fn is_refused(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ArtifactError::Refused(_)))
}

fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = arguments::command();
    let matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Whether it is an error, and not a help text: `bench` alone prints one too, to stderr.
fn is_wrong(error: &clap::Error) -> bool {
    error.use_stderr() && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

fn complain(error: &anyhow::Error) {
    // An interrupt is not an error.
    if error.is::<Interrupted>() {
        tell("interrupted");
        return;
    }
    let mut message = String::new();
    for part in error.chain().map(ToString::to_string) {
        // Many errors already contain the text of their cause.
        if !message.contains(&part) {
            message = if message.is_empty() {
                part
            } else {
                format!("{message}: {part}")
            };
        }
    }
    // It may quote names and texts of others: on a terminal, or in a log of GitHub, they must mean nothing.
    let line = clean(&message, LONGEST_ERROR);
    if under_actions() {
        tell(&format!("::error::{}", command_data(&line)));
    } else {
        tell(&format!("error: {line}"));
    }
}

/// Prints a warning to stderr, which does not change the outcome.
fn warn(line: &str) {
    tell(&clean(line, LONGEST_ERROR));
}

/// Prints to stdout.
fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout();
    written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// A closed pipe (`bench list | head -1`) is not an error.
fn written(result: io::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write what this prints"),
    }
}

/// A value for programs.
fn json(value: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// Prints it.
fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&json(value)?)
}

/// Writes files, each whole or not at all.
fn write_files(files: impl IntoIterator<Item = (PathBuf, String)>) -> anyhow::Result<()> {
    for (path, content) in files {
        store::write_whole(&path, content.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Standard output's: the terminal's width, with colours unless `NO_COLOR` is set; without a terminal, plain and as wide as given.
fn style(piped: u16) -> Style {
    match terminal_size::terminal_size_of(std::io::stdout()) {
        Some((width, _)) => Style {
            colour: std::env::var_os("NO_COLOR").is_none(),
            width: width.0,
        },
        None => Style {
            colour: false,
            width: piped,
        },
    }
}

/// The path of the record that `name` means; `latest` is the newest whole run, if there is one ([`records::find`]).
fn find(results: &Path, name: &str) -> Result<PathBuf, StoreError> {
    records::find(results, name, clock::now())
}

/// The same, but `latest` is the newest of all: the one that was just made.
fn find_newest(results: &Path, name: &str) -> Result<PathBuf, StoreError> {
    store::find(results, name, clock::now())
}

/// A page with a block that is made anew.
fn with_block(page: &Path, block: ReadmeBlock, text: &str) -> anyhow::Result<String> {
    let before = store::read_text(page, LARGEST_PAGE).with_context(|| format!("cannot read {}", page.display()))?;
    replace_block(&before, block, text).with_context(|| page.display().to_string())
}

/// Path of `file` for a link in `readme`, which must be in the same repository, or in a folder above it.
fn link(readme: &Path, file: &Path) -> anyhow::Result<String> {
    let base = readme
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let base = base
        .canonicalize()
        .with_context(|| format!("cannot read {}", readme.display()))?;
    // The chart may not be there yet; its folder's parent is.
    let file = std::path::absolute(file)?;
    let top = base.ancestors().find(|folder| folder.join(".git").exists());
    let top = top.unwrap_or(&base);
    ensure!(
        file.starts_with(top),
        "{} is not below {}, so {} cannot link to it",
        file.display(),
        top.display(),
        readme.display()
    );
    let shared = base.components().zip(file.components());
    let shared = shared.take_while(|(one, other)| one == other).count();
    let up = base.components().skip(shared).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(file.components().skip(shared)).collect();
    Ok(relative.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_fit_together_and_every_command_has_an_example() {
        arguments::command().debug_assert();
        for command in Cli::command()
            .get_subcommands()
            .filter(|command| command.get_name() != "help")
        {
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("Example"), "{}", command.get_name());
        }
    }

    #[test]
    fn what_cannot_be_understood_is_told_before_anything_is_done() {
        let refused = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = parse(&words).unwrap_err();
            assert!(is_wrong(&error), "nothing on stdout");
            format!("$ {line}\n{}\n\n", arguments::in_one_line(&error))
        };
        let lines = [
            "bench rnu",
            "bench axum",
            "bench run --app axum rocket",
            "bench run --round 6",
            "bench run --rounds abc",
            "bench run --app=",
            "bench report --pair axum",
            "bench report --scenario hello",
            "bench run --duration 0s",
            "bench run --duration soon",
            "bench run --lane moon",
            "bench run --rounds -1",
            "bench run --split 1-3",
            "bench run --resume=x --sessions 2",
            "bench run --listen 10.0.0.1",
            "bench compare --plan --strict",
        ];
        insta::assert_snapshot!(lines.map(refused).concat());
        assert!(!is_wrong(&Cli::try_parse_from(["bench", "--help"]).unwrap_err()));
    }

    /// The width of most terminals that are not full screen; a longer line of a footer would be broken in the middle of a column.
    const WIDEST: usize = 100;

    #[test]
    fn the_footers_of_the_help_are_not_wrapped() {
        let cli = Cli::command();
        for command in cli.get_subcommands().chain([&cli]) {
            let footers = [command.get_after_help(), command.get_after_long_help()];
            for footer in footers.into_iter().flatten() {
                for line in footer.to_string().lines() {
                    let width = line.chars().count();
                    assert!(width <= WIDEST, "{}: {width} columns: {line}", command.get_name());
                }
            }
        }
    }
}
