//! Builds programs from the committed lockfile. What is published is built one app at a time: building a workspace at once unifies the
//! features of all frameworks, and no user builds that way. A first look is built at once, because that takes half the time.

mod work;

use std::io::{self, BufReader};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cargo_metadata::Message;
use cargo_metadata::diagnostic::DiagnosticLevel;

use self::work::{Work, crates};
use crate::cargo;
use crate::catalog::{App, Variant};
use crate::compile_error;
use machine::cgroup;
use machine::interrupt;
use machine::interrupt::Interrupted;
use machine::process::{Child, one_line};
use machine::program::Program;
use model::AppRecord;

/// Characters of a compiler error that go into a record.
const LONGEST_ERROR: usize = 4000;
/// How often the end of cargo is looked for.
const POLL: Duration = Duration::from_millis(50);
/// Pause between two words on how far cargo is.
const BETWEEN_WORDS: Duration = Duration::from_secs(1);

/// A program that can be started.
#[derive(Debug, Clone, PartialEq)]
pub struct Binary {
    /// The program.
    pub program: Program,
    /// Seconds that cargo took.
    pub seconds: f64,
}

/// An app in a variant, built or not.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltApp {
    /// What the record says of it.
    pub app: AppRecord,
    /// Its program; `None` if it could not be built.
    pub binary: Option<Binary>,
    /// How many connections it serves at once by its configuration; `None` if that sets no limit.
    pub connections: Option<usize>,
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The compiler, or cargo, refused it: the compiler's first error, with crate, file and line in its first line.
    #[error("{0}")]
    Refused(String),
    /// A disk is full or may not be written to, or there is too little memory.
    #[error("this machine has no room to build: {0}")]
    NoRoom(String),
    /// Cargo could not be started or read.
    #[error("cannot run cargo: {0}; install Rust with rustup (https://rustup.rs)")]
    Cargo(#[source] io::Error),
    /// The linker that is there cannot order sections by a seed.
    #[error("another order of sections needs LLVM's linker, and there is no {LLD} in PATH; the package lld has it")]
    NoShuffling,
    /// A file that is built, or built from, could not be read or written.
    #[error("cannot read or write {0}: {1}")]
    File(PathBuf, #[source] io::Error),
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// What cargo builds.
#[derive(Debug, Clone, Copy)]
pub struct BuildRequest<'a> {
    /// Manifest of the package, or of the workspace.
    pub manifest: &'a Path,
    /// Package; `None` for the default members of the workspace, whose features are united.
    pub package: Option<&'a str>,
    /// Bin target.
    pub binary: &'a str,
    /// Other bin targets that the same call of cargo builds.
    pub others: &'a [&'a str],
    /// Cargo profile, `release`.
    pub profile: &'a str,
    /// Where cargo puts what it builds; `None` for where the workspace says.
    pub target: Option<&'a Path>,
    /// Flags of the compiler, with a `target`. What is built with flags lies apart, so that two variants do not build all their dependencies
    /// in turns.
    pub flags: &'a [String],
    /// Seed of the order of the sections, with a `target` and a package; `None` for the linker's own order. Only the last link differs, and its
    /// program lies apart.
    pub layout: Option<NonZeroU32>,
}

/// Folder of what is built with flags, in the target folder.
const FLAGGED: &str = "flagged";
/// Folder of programs with another order of sections, by seed, in the target folder.
const LAYOUTS: &str = "layouts";
/// LLVM's linker, by which the compiler links for x86-64 anyway.
const LLD: &str = "ld.lld";

impl<'a> BuildRequest<'a> {
    /// For a variant of an app.
    pub fn for_variant(app: &'a App, variant: &'a Variant, profile: &'a str) -> Self {
        Self {
            manifest: &app.manifest,
            package: Some(&app.package),
            binary: &variant.binary,
            others: &[],
            profile,
            target: Some(&app.target),
            flags: &variant.rustflags,
            layout: None,
        }
    }

    /// Where cargo puts what it compiles, and where the program.
    fn folders(&self) -> Option<(PathBuf, PathBuf)> {
        let target = self.target?;
        let compiled = if self.flags.is_empty() {
            target.to_owned()
        } else {
            target.join(FLAGGED)
        };
        let apart = self.layout.map(|seed| compiled.join(LAYOUTS).join(seed.to_string()));
        Some((compiled.clone(), apart.unwrap_or(compiled)))
    }
}

/// Builds it. `report` gets how many crates are left, every second.
pub fn build(request: BuildRequest<'_>, report: impl FnMut(&str)) -> Result<Binary, BuildError> {
    build_with(request, |_| {}, report)
}

/// The same with more arguments or another environment for cargo, which `prepare` adds.
pub fn build_with(
    request: BuildRequest<'_>,
    prepare: impl FnOnce(&mut Command),
    mut report: impl FnMut(&str),
) -> Result<Binary, BuildError> {
    let started = Instant::now();
    let folder = request.manifest.parent().unwrap_or(request.manifest);
    let binaries = [&[request.binary], request.others].concat();
    let mut command = cargo::command();
    command
        .args([
            if request.layout.is_some() { "rustc" } else { "build" },
            "--locked",
            "--message-format=json",
            "--profile",
            request.profile,
        ])
        .args(request.package.iter().flat_map(|package| ["--package", package]))
        .args(binaries.iter().flat_map(|binary| ["--bin", binary]))
        .arg("--manifest-path")
        .arg(request.manifest)
        // Its progress shows how many crates there are, which no message does.
        .envs([
            ("CARGO_TERM_PROGRESS_WHEN", "always"),
            ("CARGO_TERM_PROGRESS_WIDTH", "80"),
        ])
        // Cargo finds .cargo/config.toml and rust-toolchain.toml from where it is started.
        .current_dir(folder)
        .stdout(Stdio::piped());
    if let Some((compiled, target)) = request.folders() {
        command.arg("--target-dir").arg(target);
        if request.layout.is_some() {
            command.env("CARGO_BUILD_BUILD_DIR", compiled);
        }
    }
    if !request.flags.is_empty() {
        command.env("CARGO_ENCODED_RUSTFLAGS", request.flags.join("\u{1f}"));
    }
    if let Some(seed) = request.layout {
        command.arg("--").args(shuffled(seed)?);
    }
    prepare(&mut command);
    let mut child = Child::start(command, &[]).map_err(BuildError::Cargo)?;
    let (stdout, wanted, built_in) = (child.stdout(), request.binary.to_owned(), folder.to_owned());
    let work = Arc::new(Mutex::new(Work::of(&binaries)));
    let seen = Arc::clone(&work);
    let reader = std::thread::spawn(move || {
        let (mut path, mut first_error) = (None, None);
        for message in Message::parse_stream(BufReader::new(stdout)).map_while(Result::ok) {
            match message {
                Message::CompilerArtifact(artifact) => {
                    let mut work = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    work.is_built(&artifact.target.name, artifact.fresh);
                    if artifact.target.is_bin() && artifact.target.name == wanted {
                        path = artifact.executable.map(PathBuf::from);
                    }
                }
                Message::CompilerMessage(compiler) if compiler.message.level == DiagnosticLevel::Error => {
                    first_error
                        .get_or_insert_with(|| compile_error::in_words(&compiler, || compile_error::rustc(&built_in)));
                }
                _ => {}
            }
        }
        (path, first_error)
    });
    let mut last_report = started;
    let status = loop {
        if let Some(status) = child.ends_within(POLL) {
            break status;
        }
        if last_report.elapsed() > BETWEEN_WORDS {
            last_report = Instant::now();
            if let Some((done, all)) = crates(&child.stderr_tail()) {
                let work = work.lock().unwrap_or_else(PoisonError::into_inner);
                report(&work.left(done, all, started.elapsed()));
            }
        }
        interrupt::check()?;
    };
    let (path, first_error) = reader.join().unwrap_or_default();
    match path {
        Some(path) if status.success() => {
            let program = Program::at(&path).map_err(|error| BuildError::File(path, error))?;
            Ok(Binary {
                program,
                seconds: started.elapsed().as_secs_f64(),
            })
        }
        _ => Err(why_not_built(shorten(&first_error.unwrap_or_else(|| {
            compile_error::of_cargo(what_cargo_said(&child.stderr_tail()), folder)
        })))),
    }
}

/// A disk that is full or read-only, and a compiler that the kernel killed for its memory, say nothing of a program.
fn why_not_built(reason: String) -> BuildError {
    let for_disk = ["(os error 28)", "(os error 30)", "(os error 122)"]
        .iter()
        .any(|error| reason.contains(error));
    let for_memory = reason.contains("SIGKILL") && cgroup::killed_for_memory() > 0;
    if for_disk || for_memory {
        return BuildError::NoRoom(one_line(&reason));
    }
    BuildError::Refused(reason)
}

/// Sets what cargo or the compiler refused apart from the failures of this machine.
pub fn or_refused(built: Result<Binary, BuildError>) -> Result<Result<Binary, String>, BuildError> {
    match built {
        Ok(binary) => Ok(Ok(binary)),
        Err(BuildError::Refused(error)) => Ok(Err(error)),
        Err(error) => Err(error),
    }
}

/// Whether the linker that is there can order sections by a seed.
pub fn can_shuffle() -> Result<(), BuildError> {
    shuffled(NonZeroU32::MIN).map(drop)
}

/// What the compiler is given so that the linker draws the order of sections from `seed`.
fn shuffled(seed: NonZeroU32) -> Result<Vec<String>, BuildError> {
    let argument = |argument: &str| format!("-Clink-arg={argument}");
    let order = argument(&format!("-Wl,--shuffle-sections=.text*={seed}"));
    if cfg!(target_arch = "x86_64") {
        return Ok(vec![order]);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join(LLD).is_file()) {
        Ok(vec![argument("-fuse-ld=lld"), order])
    } else {
        Err(BuildError::NoShuffling)
    }
}

/// The record of an app in a variant, built or not.
pub fn describe(app: &App, variant: &Variant, binary: Option<&Binary>, build_error: Option<String>) -> AppRecord {
    AppRecord {
        id: app.id.clone(),
        variant: variant.name.clone(),
        name: app.name.clone(),
        link: app.link.clone(),
        role: app.role,
        tier: app.tier,
        framework: app.framework.clone(),
        framework_version: app.framework_version.clone(),
        source_hash: app.source_hash(),
        lockfile_hash: app.lockfile_hash.clone(),
        binary_bytes: binary.map(|binary| binary.program.bytes()),
        added_work: variant.added_work,
        build_seconds: binary.map(|binary| binary.seconds),
        build_error,
        protocols: app.protocols.clone(),
        known_fault: app.known_fault.clone(),
        note: app.note_with_waiting(),
        stack: app.stack.clone(),
        services: app.services.clone(),
        ..AppRecord::default()
    }
}

/// What cargo wrote from its first error on; before it and between its lines there is only progress.
fn what_cargo_said(stderr: &str) -> String {
    let lines = stderr.lines().map(|line| line.rsplit('\r').next().unwrap_or(line));
    let said = lines.collect::<Vec<_>>().join("\n");
    let from = said.find("error").unwrap_or(0);
    let message = said[from..].trim();
    if message.is_empty() {
        "cargo failed without a message".into()
    } else {
        message.into()
    }
}

fn shorten(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(LONGEST_ERROR) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_error_of_cargo_is_shown_without_its_progress() {
        let said = "   Building [=> ] 1/2: a\r\u{1b}[Kerror: no space left\n   Building [=> ] 1/2: a\r";
        assert_eq!(what_cargo_said(said).lines().next(), Some("error: no space left"));
    }

    /// A program that compiles only with a flag.
    #[test]
    fn flags_reach_the_compiler_and_a_seed_the_linker_and_what_they_build_lies_apart() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("Cargo.toml");
        let package = "[package]\nname = \"flagged-app\"\nedition = \"2024\"\n[workspace]\n";
        fs::write(&manifest, package).unwrap();
        let lock = "version = 4\n\n[[package]]\nname = \"flagged-app\"\nversion = \"0.0.0\"\n";
        fs::write(folder.path().join("Cargo.lock"), lock).unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        let source =
            "#![allow(unexpected_cfgs)]\n#[cfg(not(wanted))]\ncompile_error!(\"not flagged\");\nfn main() {}\n";
        fs::write(folder.path().join("src/main.rs"), source).unwrap();
        let usual = folder.path().join("target");
        let flags = ["--cfg".to_owned(), "wanted".to_owned()];
        let request = BuildRequest {
            manifest: &manifest,
            package: Some("flagged-app"),
            binary: "flagged-app",
            others: &[],
            profile: "dev",
            target: Some(&usual),
            flags: &flags,
            layout: None,
        };
        let built = build(request, |_| {}).unwrap();
        let path = built.program.path();
        assert!(path.starts_with(usual.join(FLAGGED)), "{}", path.display());
        let refused = build(BuildRequest { flags: &[], ..request }, |_| {}).unwrap_err();
        assert!(refused.to_string().contains("not flagged"), "{refused}");
        let layout = NonZeroU32::new(7);
        let shuffled = build(BuildRequest { layout, ..request }, |_| {}).unwrap();
        assert!(
            shuffled
                .program
                .path()
                .starts_with(usual.join(FLAGGED).join(LAYOUTS).join("7"))
        );
        let bytes = |built: &Binary| fs::read(built.program.path()).unwrap();
        assert_ne!(bytes(&shuffled), bytes(&built));
    }
}
