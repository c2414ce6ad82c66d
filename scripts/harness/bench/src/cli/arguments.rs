//! What the command line says beyond what clap does by itself: help in groups, names in lower case, and errors in one line.

use clap::builder::{NonEmptyStringValueParser, StyledStr, TypedValueParser as _};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, CommandFactory};

use super::Cli;

/// The commands by what they are for, each once.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Measure",
        &[
            "run",
            "compare",
            "explain",
            "releases",
            "upstream",
            "probe",
            "cross-check",
            "build",
        ],
    ),
    ("Show", &["report", "moving", "history", "list"]),
    ("Publish", &["publish", "site", "export", "comment", "prune"]),
    ("Maintain", &["check", "doctor", "new-app", "ci"]),
];

/// The options of `bench run` by what they are about, in the order of the help; the others concern the output.
const OF_RUN: [(&str, &[&str]); 5] = [
    (
        "What to measure",
        &["apps", "scenarios", "profile", "variants", "isolations", "connections"],
    ),
    (
        "How long",
        &["rounds", "time_budget", "seconds", "seed", "sessions", "session_pause"],
    ),
    (
        "Machine and build",
        &[
            "split",
            "load_from",
            "listen",
            "wait",
            "cargo_profile",
            "new_layouts",
            "binaries",
            "container_engine",
        ],
    ),
    ("Load generators", &["generators", "oha", "wrk", "h2load"]),
    ("PostgreSQL", &["postgres", "database", "yes"]),
];

/// The headings that only `--help` shows, and not `-h`.
const ADVANCED: [&str; 3] = ["Machine and build", "Load generators", "PostgreSQL"];

/// Commands that take names of this repository's apps, scenarios and variants, which are in lower case.
const OF_CATALOG: [&str; 7] = ["run", "build", "check", "probe", "compare", "explain", "upstream"];
const NAMES: [&str; 7] = ["app", "apps", "scenario", "scenarios", "variant", "variants", "profile"];

/// The command line.
pub fn command() -> Command {
    let mut command = Cli::command();
    if cfg!(feature = "measure") {
        for name in OF_CATALOG {
            command = command.mut_subcommand(name, |command| command.mut_args(by_name));
        }
        command = command.mut_subcommand("run", |command| command.mut_args(in_group));
    }
    let negative = |arg: Arg| {
        let takes = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        if takes { arg.allow_negative_numbers(true) } else { arg }
    };
    command = command.mut_subcommands(|command| command.mut_args(negative));
    let template = StyledStr::from(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}{{after-help}}",
        groups(&command)
    ));
    command.help_template(template)
}

fn groups(command: &Command) -> String {
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(Command::get_about);
        format!("  {name:<12} {}\n", about.map(ToString::to_string).unwrap_or_default())
    };
    let group =
        |(title, names): &(&str, &[&str])| format!("{title}:\n{}\n", names.iter().map(line).collect::<String>());
    GROUPS.iter().map(group).collect()
}

fn in_group(arg: Arg) -> Arg {
    let id = arg.get_id().as_str();
    let group = OF_RUN.iter().find(|(_, ids)| ids.contains(&id));
    let (heading, _) = group.unwrap_or(&("Output", &[]));
    if id == "help" {
        return arg;
    }
    arg.help_heading(*heading).hide_short_help(ADVANCED.contains(heading))
}

fn by_name(arg: Arg) -> Arg {
    if NAMES.contains(&arg.get_id().as_str()) {
        arg.value_parser(NonEmptyStringValueParser::new().map(|name| name.trim().to_lowercase()))
    } else {
        arg
    }
}

/// What clap says of a wrong command line, in one line: without the usage, and with what it cannot know.
pub fn in_one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    // No name begins with a hyphen.
    let said = said.filter(|line| !line.contains("as a value, use"));
    let line = said.collect::<Vec<_>>().join(" ").replace(" tip: ", "; ");
    let hint = match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand if !line.contains("; ") => {
            "; `--help` shows what there is, and names follow an option, as in `bench run --app axum,rocket`"
        }
        _ => "",
    };
    format!("{}{hint}", line.trim_start_matches("error: "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_command_is_in_one_group_and_fits_into_a_line() {
        let command = Cli::command();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let all: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        assert_eq!(grouped.len(), all.len());
        assert_eq!(grouped.into_iter().collect::<BTreeSet<_>>(), all);
        let long = groups(&command)
            .lines()
            .filter(|line| line.chars().count() > 80)
            .map(str::to_owned)
            .collect::<Vec<_>>();
        assert_eq!(long, [""; 0]);
    }

    #[test]
    fn each_grouped_option_of_a_run_exists() {
        let command = command();
        let run = command.find_subcommand("run").unwrap();
        for id in OF_RUN.iter().flat_map(|(_, ids)| ids.iter()) {
            assert!(run.get_arguments().any(|arg| arg.get_id() == id), "{id}");
        }
    }
}
