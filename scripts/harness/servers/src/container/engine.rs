//! The container engine of this machine, driven through its command line.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{anyhow, bail};
use serde_json::Value;

use super::owner;
use machine::process::{Unfinished, finish_unless};

/// Engines that are tried, in this order.
const ENGINES: [&str; 2] = ["docker", "podman"];
/// Longest wait for the description of an engine.
const HELLO: Duration = Duration::from_secs(20);
/// Longest time for any other command, such as the import of a large program on a slow disk.
const PATIENCE: Duration = Duration::from_mins(2);

/// An engine that answers.
#[derive(Debug, Clone)]
pub struct Engine {
    program: PathBuf,
    /// Name and version, `docker 28.2.2`.
    pub version: String,
    /// Whether it is Podman, which has other names for some options.
    pub is_podman: bool,
    /// Whether it runs without root; then root in a container is the current user.
    pub is_rootless: bool,
}

impl Engine {
    /// The engine that is named, by its name or path; or else the first one that answers.
    pub fn find(named: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(program) = named {
            return Self::probe(program).unwrap_or_else(|error| {
                let program = program.display();
                bail!("cannot start the container engine {program}: {error}; name another with --container-engine")
            });
        }
        let mut silent = None;
        for found in ENGINES
            .iter()
            .filter_map(|program| Self::probe(Path::new(program)).ok())
        {
            match found {
                Ok(engine) => return Ok(engine),
                Err(error) => silent = silent.or(Some(error)),
            }
        }
        Err(silent.unwrap_or_else(|| {
            anyhow!(
                "containers need an engine, and neither docker nor podman is installed; install one, name one with \
                 --container-engine PATH, or measure without --isolation"
            )
        }))
    }

    /// The engine that this program talks to; an error of the system if the program cannot be started.
    fn probe(program: &Path) -> io::Result<anyhow::Result<Self>> {
        let info = run(program, &["info", "--format", "{{json .}}"], HELLO)?;
        let engine = info.and_then(|info| Self::from_info(program, &info));
        Ok(engine.map_err(|reason| {
            anyhow!(
                "{} is installed, but its engine does not answer: {reason}; start it, as with `systemctl start docker`, or \
                 measure without --isolation",
                program.display()
            )
        }))
    }

    /// The engine that its answer to `info` describes.
    fn from_info(program: &Path, info: &str) -> Result<Self, String> {
        let info: Value = serde_json::from_str(info).map_err(|_| "its answer to `info` is not JSON")?;
        let text = |pointer| info.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (docker, podman) = (text("/ServerVersion"), text("/version/Version"));
        if docker.is_empty() && podman.is_empty() {
            let first = info.pointer("/ServerErrors/0").and_then(Value::as_str);
            return Err(first.unwrap_or("it does not name its version").to_owned());
        }
        let options = info.pointer("/SecurityOptions").and_then(Value::as_array);
        let docker_rootless = options
            .into_iter()
            .flatten()
            .any(|option| option.as_str().is_some_and(|option| option.contains("rootless")));
        let podman_rootless = info.pointer("/host/security/rootless").and_then(Value::as_bool);
        let is_podman = docker.is_empty();
        Ok(Self {
            program: program.to_owned(),
            version: if is_podman {
                format!("podman {podman}")
            } else {
                format!("docker {docker}")
            },
            is_podman,
            is_rootless: docker_rootless || podman_rootless.unwrap_or(false),
        })
    }

    /// A command of this engine, for the caller to start.
    pub fn command(&self) -> Command {
        Command::new(&self.program)
    }

    /// Runs a command and returns its trimmed output.
    ///
    /// Waits even if the user wants to stop, because half-made containers could not be removed; at most two minutes.
    pub fn run(&self, arguments: &[&str]) -> anyhow::Result<String> {
        run(&self.program, arguments, PATIENCE)
            .unwrap_or_else(|error| Err(error.to_string()))
            .map_err(|reason| {
                let command = arguments.first().copied().unwrap_or_default();
                anyhow!("{} {command}: {reason}", self.program.display())
            })
    }

    /// Removes what killed runs have left.
    pub fn remove_leftovers(&self) -> anyhow::Result<()> {
        let filter = format!("label={}", owner::LABEL);
        let format = format!("{{{{index .Config.Labels \"{}\"}}}}", owner::LABEL);
        for (kind, list, remove) in [("container", &["ps", "--all"][..], "rm"), ("image", &["images"], "rmi")] {
            let listed = self.run(&[list, &["--quiet", "--no-trunc", "--filter", &filter]].concat())?;
            for id in listed.split_whitespace().collect::<BTreeSet<_>>() {
                let label = self.run(&[kind, "inspect", "--format", &format, id]);
                if label.is_ok_and(|label| !owner::lives(&label)) {
                    let _ = self.run(&[remove, "--force", id]); // it may be gone by itself meanwhile
                }
            }
        }
        Ok(())
    }
}

/// What the program prints, or why it refused; an error of the system if it cannot be started.
fn run(program: &Path, arguments: &[&str], patience: Duration) -> io::Result<Result<String, String>> {
    let mut command = Command::new(program);
    command.args(arguments);
    match finish_unless(command, patience, || Ok(())) {
        Ok(output) => Ok(output.success()),
        Err(Unfinished::NotStarted(error)) => Err(error),
        Err(other) => Ok(Err(other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A program that answers every question with this script.
    fn engine(script: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        (folder, path)
    }

    #[test]
    fn docker_and_podman_are_told_apart() {
        let (_folder, path) = engine(r#"echo '{"ServerVersion":"28.2.2","SecurityOptions":["name=rootless"]}'"#);
        let found = Engine::find(Some(&path)).unwrap();
        assert_eq!(
            (found.version.as_str(), found.is_podman, found.is_rootless),
            ("docker 28.2.2", false, true)
        );
        let (_folder, path) =
            engine(r#"echo '{"version":{"Version":"5.4.0"},"host":{"security":{"rootless":false}}}'"#);
        let found = Engine::find(Some(&path)).unwrap();
        assert_eq!(
            (found.version.as_str(), found.is_podman, found.is_rootless),
            ("podman 5.4.0", true, false)
        );
    }

    #[test]
    fn an_engine_that_does_not_answer_is_reported_in_one_line_with_the_remedy() {
        let (_folder, path) = engine("echo 'Cannot connect to the Docker daemon' >&2; exit 1");
        let error = Engine::find(Some(&path)).unwrap_err().to_string();
        assert!(
            error.contains("does not answer: Cannot connect to the Docker daemon; start it"),
            "{error}"
        );
        let (_folder, path) = engine(r#"echo '{"ServerVersion":"","ServerErrors":["no socket"]}'"#);
        let error = Engine::find(Some(&path)).unwrap_err().to_string();
        assert!(error.contains("does not answer: no socket; start it"), "{error}");
        let error = Engine::find(Some(Path::new("/none/docker"))).unwrap_err().to_string();
        assert!(
            error.starts_with("cannot start the container engine /none/docker"),
            "{error}"
        );
    }
}
