//! What the user wants of a run.

use std::net::IpAddr;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::{Args as _, Command};
use model::Lane;
use model::escape::shell;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::plan::RunOptions;
use generator::Destinations;

/// Options of a run. Its journal keeps them, but for secrets and for what concerns one process alone; a run that is resumed repeats them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, clap::Args)]
pub struct RunRequest {
    #[command(flatten)]
    pub options: RunOptions,
    /// Container engine: docker, podman or a path [default: the first of the two that answers]
    #[arg(long, value_name = "PATH")]
    pub container_engine: Option<PathBuf>,
    /// Folder of PostgreSQL's programs, for scenarios with a database, such as /usr/lib/postgresql/16/bin
    /// [default: the first in PATH, or the newest where distributions put them]
    #[arg(long, value_name = "DIR")]
    pub postgres: Option<PathBuf>,
    /// Use an existing PostgreSQL server, local or remote, instead of a private one:
    /// postgres://ADMIN:PASSWORD@HOST:PORT/NAME. In it, bench makes a role and a schema, and removes them at the end
    #[arg(long, value_name = "URL", conflicts_with = "postgres")]
    #[serde(skip)]
    pub database: Option<String>,
    /// Make role and schema in the PostgreSQL of --database without asking
    #[arg(long, requires = "database")]
    #[serde(skip)]
    pub yes: bool,
    /// Where this run is made; series of different lanes are never mixed [default: local]
    #[arg(long)]
    pub lane: Option<Lane>,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    pub out: Option<PathBuf>,
    /// Use the programs that `bench build --out DIR` made, and compile nothing
    #[arg(long, value_name = "DIR", conflicts_with = "cargo_profile")]
    pub binaries: Option<PathBuf>,
    /// Path to an oha other than the one Cargo.lock pins
    #[arg(long, value_name = "PATH")]
    pub oha: Option<PathBuf>,
    /// Path of wrk [default: the one in PATH]
    #[arg(long, value_name = "PATH")]
    pub wrk: Option<PathBuf>,
    /// Path of h2load [default: the one in PATH]
    #[arg(long, value_name = "PATH")]
    pub h2load: Option<PathBuf>,
    /// Resume an unfinished run, with the options that it was begun with: its id, or nothing if there is only one
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[serde(skip)]
    pub resume: Option<String>,
    /// Other machines that make the load, by OpenSSH with your own configuration (keys only; host keys must be known): all cpus of this
    /// one then serve. @FILE has one in each line
    #[arg(
        long,
        value_name = "USER@HOST,...",
        env = "BENCH_LOAD_FROM",
        hide_env_values = true,
        conflicts_with_all = ["generators", "isolations"]
    )]
    #[serde(skip)]
    pub load_from: Option<Destinations>,
    /// Address at which servers listen for --load-from [default: the one at which those machines reach this one]
    #[arg(long, value_name = "ADDRESS", requires = "load_from")]
    pub listen: Option<IpAddr>,
    /// Relink every program with its sections in a random order (from the seed)
    #[arg(long, conflicts_with = "binaries")]
    pub new_layouts: bool,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    #[serde(skip)]
    pub wait: bool,
}

impl RunRequest {
    /// What a run that was `begun` like this repeats if it is resumed by this request. Fails if an option says something else.
    pub fn repeating(&self, begun: Self) -> anyhow::Result<Self> {
        let (now, then) = (self.given()?, begun.given()?);
        let differs = |(option, value): &(&String, &Value)| then.get(*option) != Some(*value);
        if let Some((id, _)) = now.iter().find(differs) {
            let how = if then.contains_key(id) {
                "with another"
            } else {
                "without"
            };
            let options = Self::augment_args(Command::new(""));
            let mut named = options.get_arguments().filter(|arg| arg.get_id() == id);
            let option = named.find_map(|arg| arg.get_long()).unwrap_or(id);
            bail!("it was begun {how} --{option}, and repeats its options: leave --{option} away, or start a new run");
        }
        Ok(Self {
            database: self.database.clone(),
            load_from: self.load_from.clone(),
            out: self.out.clone(),
            ..begun
        })
    }

    /// The options that were given and are kept, by their names in this program.
    fn given(&self) -> anyhow::Result<Map<String, Value>> {
        let Value::Object(mut given) = serde_json::to_value(self)? else {
            bail!("options have names");
        };
        let options = given.remove("options").context("there are options of the plan")?;
        given.extend(options.as_object().cloned().unwrap_or_default());
        given.retain(|_, value| ![Value::Null, false.into(), Value::Array(Vec::new())].contains(value));
        Ok(given)
    }

    /// The options that are not kept and that a run needs again to be resumed, as they are written in a shell, each after a blank. Those
    /// that are no secret: a database's address has a password in it.
    pub fn again(&self) -> String {
        let folder = self.out.as_ref().map(|folder| shell(&folder.display().to_string()));
        let again = folder.map_or_else(String::new, |folder| format!(" --out {folder}"));
        match (&self.database, &self.load_from) {
            (None, None) => again,
            (Some(_), None) => format!("{again}, with the same --database"),
            (None, Some(_)) => format!("{again}, with the same --load-from"),
            (Some(_), Some(_)) => format!("{again}, with the same --database and --load-from"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> RunRequest {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            request: RunRequest,
        }
        let words = ["run"].into_iter().chain(line.split_whitespace());
        <Line as clap::Parser>::try_parse_from(words).unwrap().request
    }

    #[test]
    fn a_run_that_is_resumed_repeats_its_options_and_takes_no_others() {
        let begun = request("--rounds 3 --app axum,rocket --split 1:1 --lane self-hosted --seed 7 --new-layouts");
        let kept: RunRequest = serde_json::from_value(serde_json::to_value(&begun).unwrap()).unwrap();
        let resumed = |line: &str| request(line).repeating(kept.clone()).map_err(|error| error.to_string());
        assert_eq!(resumed("--resume").unwrap(), begun);
        assert_eq!(
            resumed("--resume --wait --split 1:1 --app axum,rocket --new-layouts").unwrap(),
            begun
        );
        assert_eq!(
            resumed("--resume --out elsewhere").unwrap().out,
            Some("elsewhere".into())
        );
        for (line, expected) in [
            ("--resume --rounds 4", "it was begun with another --rounds, "),
            ("--resume --app axum", "it was begun with another --app, "),
            ("--resume --lane local", "it was begun with another --lane, "),
            ("--resume --profile first-look", "it was begun without --profile, "),
            ("--resume --duration 2s", "it was begun without --duration, "),
            ("--resume --oha /bin/oha", "it was begun without --oha, "),
        ] {
            let error = resumed(line).unwrap_err();
            assert!(error.starts_with(expected), "{line}: {error}");
        }
    }

    #[test]
    fn what_is_not_kept_is_named_for_whoever_resumes_and_no_secret_is_kept() {
        assert_eq!(request("--rounds 3 --oha /bin/oha").again(), "");
        assert_eq!(request("--out it's").again(), " --out 'it'\\''s'");
        let secret = request("--binaries handover --database postgres://a:secret@h/b --load-from bench@there");
        assert_eq!(secret.again(), ", with the same --database and --load-from");
        let kept = serde_json::to_string(&secret).unwrap();
        assert!(!kept.contains("secret") && !kept.contains("bench@"), "{kept}");
    }
}
