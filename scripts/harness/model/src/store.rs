//! Records on disk: found by name, written completely or not at all, and checked for what types cannot express.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use memchr::memmem;
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::probe::{PROBES, Probed};
use crate::{Lane, Record, SCHEMA_VERSION, Trial, id_is_after};

/// Largest record that is read. A weekly run of all frameworks has about 3 MB.
pub const LARGEST: u64 = 64 << 20;

/// Most answers, or failures, that a load generator may report: ten million per second for a week.
pub const MOST_ANSWERS: u64 = 6_048_000_000_000;
/// Most sub-rounds of a round: an hour in slices of 50 ms.
const MOST_SUB_ROUNDS: u32 = 72_000;
/// The last round that a run may have; each has a column in every table.
pub const MOST_ROUNDS: u32 = 10_000;

/// Why a record cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It is not there.
    #[error("there is no record {0}; `bench {by}` makes one", by = if .0 == PROBES { "probe --out DIR" } else { "run" })]
    Missing(String),
    /// It cannot be read or written.
    #[error("{path}: {error}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// It is not what it claims to be.
    #[error("{path} is not a record: {reason}", path = path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        reason: String,
    },
    /// A later version of the program wrote it.
    #[error(
        "{path} has schema version {found}, and this program reads versions up to {SCHEMA_VERSION}; use the newer bench that wrote it",
        path = path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// It exists already.
    #[error("{0} exists already and is not overwritten")]
    Exists(PathBuf),
}

impl Lane {
    /// Name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::HostedX64 => "hosted-x64",
            Self::HostedArm64 => "hosted-arm64",
            Self::SelfHosted => "self-hosted",
            Self::Local => "local",
        }
    }
}

impl StoreError {
    /// That a file cannot be read or written.
    pub fn file(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        Self::File { path, error }
    }

    /// That it is not what it claims to be.
    pub fn invalid(path: &Path, reason: &impl ToString) -> Self {
        let (path, reason) = (path.to_owned(), reason.to_string());
        Self::Invalid { path, reason }
    }
}

/// The path of a record in the folder of results.
pub fn path_of(results: &Path, record: &Record) -> PathBuf {
    results.join(record.folder()).join(format!("{}.json", record.id))
}

/// The record that `name` means: a path, the id of a run, `latest`, which is the newest run, or `probes`, which is the newest of `bench
/// probe`; both are none after `now`.
pub fn find(results: &Path, name: &str, now: Timestamp) -> Result<PathBuf, StoreError> {
    let as_path = Path::new(name);
    if as_path.is_file() {
        return Ok(as_path.to_owned());
    }
    let found = match name {
        LATEST => until(results, now).pop(),
        PROBES => of_probes(results, now).pop(),
        id => all(results).into_iter().find(|path| id_of(path) == Some(id)),
    };
    found.ok_or_else(|| StoreError::Missing(name.chars().take(200).flat_map(char::escape_debug).collect()))
}

/// The name of the newest record.
pub const LATEST: &str = "latest";

/// The records in the folder of results, none of a run after `now`, in the order of their ids.
pub fn until(results: &Path, now: Timestamp) -> Vec<PathBuf> {
    not_after(all(results), now)
}

/// The records of `bench probe`, none after `now`, in the order of their ids.
pub fn of_probes(results: &Path, now: Timestamp) -> Vec<PathBuf> {
    not_after(in_folder(&results.join(PROBES)), now)
}

fn not_after(mut paths: Vec<PathBuf>, now: Timestamp) -> Vec<PathBuf> {
    paths.retain(|path| !id_is_after(&path.file_name().unwrap_or_default().to_string_lossy(), now));
    paths
}

/// Every record of a run in the folder of results, of all lanes, in the order of their ids.
pub fn all(results: &Path) -> Vec<PathBuf> {
    let mut paths = Lane::ALL.map(|lane| of_lane(results, lane)).concat();
    paths.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
    paths
}

/// The records of a lane, the oldest first.
pub fn of_lane(results: &Path, lane: Lane) -> Vec<PathBuf> {
    in_folder(&results.join(lane.name()))
}

/// The compressed files in a folder of results and in all below it: what is published.
pub fn published(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let below = entries.map(|entry| entry.path());
    let below = below.flat_map(|path| if path.is_dir() { published(&path) } else { vec![path] });
    below.filter(|path| is_compressed(path)).collect()
}

/// The files in a folder that may be records, in the order of their ids: these begin with the time, so the oldest is the first.
pub fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| id_of(path).is_some()).collect();
    paths.sort_unstable();
    paths
}

/// The id that a file of results is named by: `ID.json`, or `ID.json.gz` where it is published. Ids begin with the time.
pub fn id_of(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let id = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".json")?;
    (is_name(id) && id.starts_with(|first: char| first.is_ascii_digit())).then_some(id)
}

/// Opens a plain file. A link could lead anywhere, and a pipe or a device has no end: all that is no file is an error of the kind
/// `InvalidInput`, and nothing waits for it.
pub fn open_plain(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let no_file = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    let file = options.open(path).map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => no_file("it is a link; name the file that it leads to"),
        Some(libc::ENXIO) => no_file("it is not a plain file"), // a socket
        _ => error,
    })?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(no_file("it is not a plain file"))
    }
}

/// Reads at most `largest` bytes of a plain file ([`open_plain`]); a larger one is an error of the kind `FileTooLarge`.
pub fn read_bytes(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    bounded(open_plain(path, OpenOptions::new().read(true))?, largest)
}

/// Reads a file of at most `largest` bytes, decompressed where it ends in `.gz`, up to the first `end` in it; if there is none, all of it.
pub fn read_before(path: &Path, end: &str, largest: u64) -> io::Result<Vec<u8>> {
    let file = open_plain(path, OpenOptions::new().read(true))?;
    let mut from: Box<dyn Read> = if is_compressed(path) {
        Box::new(GzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let (mut bytes, mut searched) = (Vec::new(), 0);
    while bytes.len() as u64 <= largest && from.by_ref().take(CHUNK).read_to_end(&mut bytes)? > 0 {
        if let Some(at) = memmem::find(&bytes[searched..], end.as_bytes()) {
            bytes.truncate(searched + at);
            break;
        }
        searched = bytes.len().saturating_sub(end.len());
    }
    Ok(bytes)
}

/// Bytes that [`read_before`] reads at once: a record has its apps after three to four thousand.
const CHUNK: u64 = 8 << 10;

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}

/// Reads a text of at most `largest` bytes; a larger one is an error of the kind `FileTooLarge`. `.gz` is decompressed.
pub fn read_text(path: &Path, largest: u64) -> io::Result<String> {
    let mut bytes = read_bytes(path, largest)?;
    if is_compressed(path) {
        bytes = bounded(GzDecoder::new(&*bytes), largest)?;
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

fn bounded(from: impl Read, largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = from.take(largest + 1).read_to_end(&mut bytes)?;
    if read as u64 > largest {
        let message = format!("it has more than {largest} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// SHA-256 of texts, one after the other, in hexadecimal digits.
pub fn sha256<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let hash = texts.into_iter().fold(Sha256::new(), Sha256::chain_update).finalize();
    hash.iter()
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// A text as it is published: the same bytes for the same text.
pub fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// Writes a record to its place, which must be free. It is one line: with a line for each number of a slice it would be twice as
/// long.
pub fn write(results: &Path, record: &Record) -> Result<PathBuf, StoreError> {
    let path = path_of(results, record);
    check(record).map_err(|reason| StoreError::invalid(&path, &reason))?;
    let mut text = serde_json::to_string(record).map_err(|error| StoreError::invalid(&path, &error))?;
    text.push('\n');
    write_new(path, &text)
}

/// Writes a file whole; its place must be free.
pub fn write_new(path: PathBuf, text: &str) -> Result<PathBuf, StoreError> {
    let written = temporary(&path, text.as_bytes()).and_then(|file| Ok(file.persist_noclobber(&path)?));
    match written {
        Ok(_) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(StoreError::Exists(path)),
        Err(error) => Err(StoreError::File { path, error }),
    }
}

/// Writes a file under a temporary name and renames it, so that it is never seen half written. An existing file is replaced.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    temporary(path, content)?.persist(path)?;
    Ok(())
}

/// A temporary file next to `path` with this content, which is deleted unless it is given a name.
pub fn temporary(path: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .suffix(".tmp")
        .tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?; // temporary files are private
    }
    Ok(file)
}

/// Whether a text may be an id or a part of a path: up to 64 letters, digits, `-` and `_`.
pub fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && !text.starts_with('-')
}

/// What types cannot express: names are plain, for they are parts of paths, and trials belong to apps and scenarios of the run.
pub fn check(record: &Record) -> Result<(), String> {
    let controls = record.controls.iter().map(|control| &control.app);
    let apps = record.apps.iter().chain(controls);
    let apps: HashSet<(&str, &str)> = apps.map(|app| (&*app.id, &*app.variant)).collect();
    let scenarios: HashSet<&str> = record.scenarios.iter().map(|scenario| &*scenario.id).collect();
    let mut names = [&*record.id, &*record.profile]
        .into_iter()
        .chain(apps.iter().flat_map(|(app, variant)| [*app, *variant]))
        .chain(scenarios.iter().copied());
    if let Some(name) = names.find(|name| !is_name(name)) {
        return Err(format!("{:?} is not a name", name.chars().take(60).collect::<String>()));
    }
    let known =
        |app: &str, variant: &str, scenario: &str| apps.contains(&(app, variant)) && scenarios.contains(scenario);
    let of_controls = || record.controls.iter().flat_map(|control| &control.trials);
    let trials = || record.trials.iter().chain(of_controls());
    if let Some(trial) = trials().find(|trial| !known(&trial.app, &trial.variant, &trial.scenario)) {
        return Err(format!(
            "trial {} belongs to no app and scenario of this run",
            trial.order
        ));
    }
    let of_none = |trial: &&Trial| {
        let mut sub_rounds = trial.slices.iter().flat_map(|slices| &slices.sub_round);
        sub_rounds.any(|number| !(1..=MOST_SUB_ROUNDS).contains(number))
    };
    if let Some(trial) = trials().find(of_none) {
        return Err(format!("trial {} has a slice of no sub-round", trial.order));
    }
    for app in &record.apps {
        let mut requests = app.costs.iter().flat_map(|costs| &costs.requests);
        if requests.any(|request| !known(&app.id, &app.variant, &request.scenario)) {
            return Err(format!("{} has costs of no scenario of this run", app.id));
        }
    }
    let cases: HashSet<&str> = record.cases.iter().map(|case| &*case.id).collect();
    let is_known = |one: &&Probed| apps.contains(&(&one.app, &one.variant)) && cases.contains(&*one.case);
    match record.probed.iter().find(|one| !is_known(one)) {
        Some(one) => Err(format!(
            "a result of {} belongs to no app and case of this record",
            one.case
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_large_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        fs::write(&path, "four").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "four");
        assert_eq!(read_text(&path, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn what_is_no_plain_file_is_refused_and_not_waited_for() {
        use std::os::unix::fs::symlink;
        use std::os::unix::net::UnixListener;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink("/dev/zero", at("endless")).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.unwrap().success());
        let (answers, answer) = std::sync::mpsc::channel();
        let names = ["link", "endless", "socket", "pipe", "."];
        let paths = names.map(at).into_iter().chain(["/dev/zero".into()]);
        for path in paths {
            let (answers, file) = (answers.clone(), path.clone());
            std::thread::spawn(move || answers.send(read_bytes(&file, 4)));
            let read = answer.recv_timeout(std::time::Duration::from_secs(30));
            let error = read.expect("it waits for a writer").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{}: {error}", path.display());
        }
        assert_eq!(read_bytes(&at("file"), 4).unwrap(), b"text");
    }
}
