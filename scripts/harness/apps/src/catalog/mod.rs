//! The apps: found by cargo metadata alone, so that adding a framework is adding one folder.

pub mod hash;
pub mod metadata;

use std::collections::BTreeMap;
use std::fs;

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

#[cfg(doc)]
use model::PLAIN;
use model::scenario::{Protocol, Scenario};
use model::{Part, Role, Services, SubjectId, Tier, store};

/// All apps of a repository.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// Root of the repository.
    pub root: PathBuf,
    /// Sorted by id.
    pub apps: Vec<App>,
    /// Servers of known cost, which are driven along with the apps and are none of them.
    pub controls: Vec<App>,
}

/// A server under test: one folder below `apps/`.
///
/// What has no default is in `[package.metadata.bench]` of its Cargo.toml, the rest is found. Its paths are valid on this machine only;
/// everything else is handed over with the programs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct App {
    /// Name of the folder.
    #[serde(default)]
    pub id: String,
    /// Display name.
    pub name: String,
    /// Where the framework lives.
    pub link: String,
    /// What part it plays in a run.
    pub role: Role,
    /// How well the framework is maintained.
    pub tier: Tier,
    /// Crate whose version is reported.
    pub framework: String,
    /// That crate's version, from the lockfile.
    #[serde(default)]
    pub framework_version: String,
    /// Name of its cargo package.
    #[serde(default)]
    pub package: String,
    /// `default` first, then the named ones.
    #[serde(default)]
    pub variants: Vec<Variant>,
    /// The guide's own server ([`PLAIN`]), where there is one. It is not handed over.
    #[serde(skip)]
    pub plain: Option<Variant>,
    /// Protocols that it speaks.
    pub protocols: Vec<Protocol>,
    /// A way in which the framework itself breaks the contract: what happens, and where it is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_fault: Option<String>,
    /// What a reader should know besides its figures, in a few words, with a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The framework's newest version, where it needs a newer compiler than `rust-toolchain.toml` names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// How many connections it serves at once by its configuration, where a connection holds a thread; `None` if that sets no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<usize>,
    /// Driver and pool of the database behind it; `None` for one that works alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// Which kinds of work of services it does; `None` for another part of the contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub services: Option<Services>,
    /// Its Cargo.toml.
    #[serde(skip)]
    pub manifest: PathBuf,
    /// Root of its workspace, which holds the lockfile.
    #[serde(skip)]
    pub workspace: PathBuf,
    /// Whether the workspace names it among its default members, which can be built together.
    #[serde(skip)]
    pub is_default_member: bool,
    /// Where cargo puts what it builds for that workspace.
    #[serde(skip)]
    pub target: PathBuf,
    /// SHA-256 over the sources of the app and of the packages of this repository that it uses.
    #[serde(default)]
    pub sources_hash: String,
    /// SHA-256 over the profile that it is built by.
    #[serde(default)]
    pub profile_hash: String,
    /// SHA-256 over what chooses its compiler.
    #[serde(default)]
    pub toolchain_hash: String,
    /// Versions of all crates that it is built from, by name.
    #[serde(default)]
    pub dependencies: BTreeMap<String, Vec<String>>,
    /// SHA-256 over its resolved dependencies.
    #[serde(default)]
    pub lockfile_hash: String,
}

/// One binary of an app.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// `default` or the part of the binary's name after `<id>-app-`.
    pub name: String,
    /// Name of the bin target.
    pub binary: String,
    /// Compiler flags for it and all that it is linked with; none where only the profile's apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rustflags: Vec<String>,
    /// For a control: the steps of known work that its server does in each request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_work: Option<u32>,
}

/// A version of a framework that the pinned compiler cannot build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiting {
    /// The first version that needs a newer compiler, which dependabot ignores, and those after it.
    pub version: String,
    /// The oldest Rust that its newest version builds with.
    pub rust: String,
}

impl Catalog {
    /// The apps of the repository that holds the current directory, or of `BENCH_ROOT`.
    pub fn find() -> anyhow::Result<Self> {
        Self::read(&find_root()?)
    }

    /// The apps of the repository at `root`.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        // As cargo names manifests, so that a workspace's are known after one call.
        let root = root.canonicalize().with_context(|| root.display().to_string())?;
        let manifests = manifests(&root.join("apps"));
        Self::of(root, manifests)
    }

    /// The apps with these manifests, and those in one workspace with them.
    pub fn of(root: PathBuf, manifests: impl IntoIterator<Item = PathBuf>) -> anyhow::Result<Self> {
        let mut apps: Vec<App> = Vec::new();
        for manifest in manifests {
            // One call of cargo describes all members of a workspace.
            if !apps.iter().any(|app| app.manifest == manifest) {
                for app in metadata::apps(&manifest)? {
                    if !apps.iter().any(|known| known.manifest == app.manifest) {
                        apps.push(app);
                    }
                }
            }
        }
        apps.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Self::new(root, apps))
    }

    /// These apps, and the controls among them.
    pub fn new(root: PathBuf, all: Vec<App>) -> Self {
        let (controls, apps) = all.into_iter().partition(|app| app.role == Role::Control);
        Self { root, apps, controls }
    }

    /// The app with this id, or the control.
    pub fn app_or_control(&self, id: &str) -> Option<&App> {
        self.app(id).or_else(|| self.controls.iter().find(|app| app.id == id))
    }

    /// The controls in each variant.
    pub fn control_ids(&self) -> impl Iterator<Item = SubjectId> {
        let of = |app: &App| {
            app.variants
                .iter()
                .map(|variant| SubjectId::new(&app.id, &variant.name))
                .collect::<Vec<_>>()
        };
        self.controls.iter().flat_map(of)
    }

    /// The app with this id.
    pub fn app(&self, id: &str) -> Option<&App> {
        self.apps.iter().find(|app| app.id == id)
    }
}

/// The repository that holds the current directory, or `BENCH_ROOT`.
pub fn find_root() -> anyhow::Result<PathBuf> {
    let search_root = search_root();
    let mut folders = search_root.ancestors();
    let root = folders.find(|path| path.join("apps").is_dir() && path.join("Cargo.toml").is_file());
    root.map(Path::to_owned).with_context(|| {
        format!(
            "no folder `apps` in {} or above it; start `bench` inside of the repository, or set BENCH_ROOT to it",
            search_root.display()
        )
    })
}

/// Where the search for the repository begins.
pub fn search_root() -> PathBuf {
    match std::env::var_os("BENCH_ROOT") {
        Some(root) => PathBuf::from(root),
        None => std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
    }
}

/// The folder of the results: the `named` one, or `bench-results` of the repository, or where the search for that begins.
pub fn results_folder(named: Option<&Path>) -> PathBuf {
    let usual = || find_root().unwrap_or_else(|_| search_root()).join("bench-results");
    named.map_or_else(usual, Path::to_owned)
}

impl App {
    /// SHA-256 over everything in the repository that it is built from.
    pub fn source_hash(&self) -> String {
        let hashes = [&self.sources_hash, &self.profile_hash, &self.toolchain_hash];
        store::sha256([hashes.map(String::as_str).join(" ").as_bytes()])
    }

    /// Its framework, taken from where it is developed: a patch of `bench compare` that lacks the commit, as in
    /// `axum=git+https://github.com/tokio-rs/axum#`.
    pub fn upstream(&self) -> String {
        format!("{}=git+{}#", self.framework, self.link)
    }

    /// The part of the contract that it keeps.
    pub fn part(&self) -> Part {
        Part::of_app(self.stack.as_ref(), self.services.as_ref())
    }

    /// Its note, and what a newer version waits for.
    pub fn note_with_waiting(&self) -> Option<String> {
        let waiting = self.waiting.as_ref();
        let waiting = waiting.map(|waiting| format!("a newer version waits for Rust {}", waiting.rust));
        let parts: Vec<String> = self.note.clone().into_iter().chain(waiting).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Whether it does what `scenario` requires, in whatever protocol.
    pub fn does(&self, scenario: &Scenario) -> bool {
        self.part() == scenario.part() && scenario.is_offered_by(self.services.as_ref())
    }

    /// The variant of this name, or the guide's own server.
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants
            .iter()
            .chain(&self.plain)
            .find(|variant| variant.name == name)
    }
}

/// Manifests of apps: `apps/*/Cargo.toml` and `apps/*/*/Cargo.toml` (a workspace of legacy apps is one folder deeper).
fn manifests(apps: &Path) -> Vec<PathBuf> {
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        found.sort();
        found
    };
    let mut found = Vec::new();
    for folder in folders(apps) {
        found.push(folder.join("Cargo.toml"));
        found.extend(folders(&folder).iter().map(|deeper| deeper.join("Cargo.toml")));
    }
    let says_app = |text: String| text.contains("[package.metadata.bench]");
    found.retain(|manifest| fs::read_to_string(manifest).is_ok_and(says_app));
    found
}
