//! What the command line says beyond what clap does by itself: help in groups, names as people write them, and the command that was meant
//! by one that does not exist.

use std::num::ParseIntError;

use apps::catalog::Catalog;
use apps::profile::Profiles;
use apps::suggest::nearest;
use clap::builder::{StyledStr, ValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command, CommandFactory};

use super::Cli;

/// The commands by what they are for, each once.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Measure",
        &["run", "compare", "explain", "upstream", "probe", "cross-check", "build"],
    ),
    ("Show", &["report", "history", "list"]),
    ("Publish", &["publish", "site", "export", "comment", "prune"]),
    ("Maintain", &["check", "doctor", "new-app", "images", "ci"]),
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
const OF_CATALOG: [&str; 8] = [
    "run", "build", "images", "check", "probe", "compare", "explain", "upstream",
];
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
        arg.value_parser(ValueParser::from(name))
    } else {
        arg
    }
}

/// A name of the catalog, however it is written.
fn name(text: &str) -> Result<String, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        [] => Err("a name is missing between two commas, or after the last".into()),
        [one] => Ok(one.to_lowercase()),
        several => Err(format!(
            "names are separated by commas: {}",
            several.join(",").to_lowercase()
        )),
    }
}

/// What is said of a wrong command line, in one line, where it is known what was meant. `words` are those after `bench`.
pub fn meant(error: &clap::Error, words: &[String]) -> Option<String> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => other_command(context(ContextKind::InvalidSubcommand)?),
        ErrorKind::UnknownArgument => stray(context(ContextKind::InvalidArg)?, words),
        ErrorKind::ValueValidation => {
            std::error::Error::source(error)?.downcast_ref::<ParseIntError>()?;
            let option = context(ContextKind::InvalidArg)?.split(' ').next().unwrap_or_default();
            let value = context(ContextKind::InvalidValue)?;
            Some(format!(
                "`{value}` is not a whole number, and {option} takes one, as in `{option} 6`"
            ))
        }
        _ => None,
    }
}

fn other_command(word: &str) -> Option<String> {
    let command = Cli::command();
    if let Some(name) = nearest(word, command.get_subcommands().map(Command::get_name)) {
        return Some(format!(
            "there is no command `{word}`; did you mean `bench {name}`? `bench --help` shows all"
        ));
    }
    let option = option_for(word)?;
    Some(format!(
        "`{word}` is no command; to measure it, write `bench run {option} {}`",
        word.to_lowercase()
    ))
}

/// The option that takes this name, if anything is called so.
fn option_for(word: &str) -> Option<&'static str> {
    let (word, profiles) = (word.to_lowercase(), Profiles::built_in());
    if Catalog::find().is_ok_and(|catalog| catalog.app(&word).is_some()) {
        return Some("--app");
    }
    if profiles.profile(&word).is_some() {
        return Some("--profile");
    }
    profiles
        .scenario_names()
        .any(|name| name == word)
        .then_some("--scenario")
}

/// A word that no option takes: a name without its option, or a list with blanks.
fn stray(word: &str, words: &[String]) -> Option<String> {
    let command = Cli::command();
    let at = words.iter().position(|word| command.find_subcommand(word).is_some())?;
    let (name, rest) = words[at..].split_first()?;
    let takes_apps = |arg: &Arg| arg.get_long() == Some("app");
    if word.starts_with('-') || !command.find_subcommand(name)?.get_arguments().any(takes_apps) {
        return None;
    }
    let at = rest.iter().position(|other| other == word)?;
    let is_value = |word: &&String| !word.starts_with('-');
    let first = rest[..at]
        .iter()
        .rposition(|word| !is_value(&word))
        .map_or(0, |option| option + 1);
    let values: Vec<String> = rest[first..].iter().take_while(is_value).cloned().collect();
    let option = first.checked_sub(1).map(|option| rest[option].as_str());
    let list = |values: &[String]| {
        let names = values
            .iter()
            .flat_map(|value| value.split(','))
            .filter(|name| !name.is_empty());
        names.collect::<Vec<_>>().join(",").to_lowercase()
    };
    Some(match option {
        Some("--resume") => format!("write `bench {name} --resume={word}`, with `=`"),
        Some(option @ ("--app" | "--scenario" | "--variant")) => {
            format!(
                "names are separated by commas: `bench {name} {option} {}`",
                list(&values)
            )
        }
        _ => {
            let option = option_for(word).unwrap_or("--app");
            format!(
                "`{word}` stands alone; write `bench {name} {option} {}`",
                list(&rest[at..][..values.len() + first - at])
            )
        }
    })
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

    #[test]
    fn names_are_taken_as_people_write_them() {
        assert_eq!(name(" Actix-Web "), Ok("actix-web".into()));
        assert_eq!(
            name("axum Rocket"),
            Err("names are separated by commas: axum,rocket".into())
        );
        assert!(name("").is_err());
    }
}
