//! No feature of what a framework depends on comes from this crate alone. Cargo unites the features that a program's crates enable in one,
//! so that such a feature would make a framework another one than its users have: uuid's `fast-rng`, from here, once saved Gotham a system
//! call for each request.

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    process::Command,
};

use serde::Deserialize;

const LINUX: &str = "x86_64-unknown-linux-gnu";

/// Features by which no request costs a framework more or less, and why.
const ALLOWED: [(&str, &[&str]); 3] = [
    (
        "adds functions, implementations or macros, which the framework does not use",
        &[
            "aws-lc-rs/alloc",
            "aws-lc-rs/default",
            "aws-lc-rs/ring-io",
            "aws-lc-rs/ring-sig-verify",
            "base64/alloc",
            "base64/default",
            "base64/std",
            "getrandom/default",
            "getrandom/std",
            "getrandom/sys_rng",
            "idna/default",
            "rand/thread_rng",
            "serde/alloc",
            "serde/derive",
            "serde/rc",
            "serde/serde_derive",
            "serde_core/alloc",
            "serde_core/rc",
            "smallvec/const_generics",
            "thiserror/default",
            "typenum/const-generics",
            "url/default",
            "zeroize/derive",
            "zeroize/zeroize_derive",
        ],
    ),
    (
        "the cryptography that all have, named in their configuration",
        &["rustls-webpki/ring", "rustls/ring"],
    ),
    (
        "not on a request's path: the filter of a log that is off, the texts of a form",
        &[
            "regex-automata/meta",
            "regex-automata/nfa-pikevm",
            "simdutf8/default",
            "simdutf8/std",
        ],
    ),
];

#[test]
fn of_frameworks() {
    assert_eq!(forced("../..", &["contract"]), BTreeMap::new());
}

#[test]
fn of_frameworks_with_service_features() {
    assert_eq!(
        forced("../services", &["contract", "services-contract", "services-codecs"]),
        BTreeMap::new()
    );
}

/// `postgres-contract` stands for the driver and the pool, which a user adds as well.
#[test]
fn of_frameworks_with_postgres() {
    assert_eq!(forced("../postgres", &["contract"]), BTreeMap::new());
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    dependencies: Vec<Declared>,
    features: HashMap<String, Vec<String>>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Declared {
    name: String,
    rename: Option<String>,
    kind: Option<String>,
    optional: bool,
    uses_default_features: bool,
    features: Vec<String>,
    target: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Resolved>,
}

#[derive(Deserialize)]
struct Resolved {
    name: String,
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
    target: Option<String>,
}

/// Features that programs of a workspace have by `ours` alone, each with these programs.
fn forced(folder: &str, ours: &[&str]) -> BTreeMap<String, Vec<String>> {
    let manifest = format!("{}/{folder}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    let arguments = [
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform",
        LINUX,
        "--manifest-path",
    ];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .arg(manifest)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Metadata = serde_json::from_slice(&output.stdout).unwrap();
    let graph = Graph::new(&metadata);

    let mut forced: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for app in metadata.workspace_members.iter().map(|id| graph.packages[id.as_str()]) {
        if !app.name.ends_with("-app") {
            continue;
        }
        let (as_built, without) = (graph.features(app, &[]), graph.features(app, ours));
        let of_the_framework: HashSet<&str> = without.iter().map(|(package, _)| *package).collect();
        for (package, feature) in as_built.difference(&without) {
            if of_the_framework.contains(package) && !feature.starts_with("dep:") {
                let name = format!("{}/{feature}", graph.packages[package].name);
                if !ALLOWED.iter().any(|(_, names)| names.contains(&name.as_str())) {
                    forced.entry(name).or_default().push(app.name.clone());
                }
            }
        }
    }
    forced
}

struct Graph<'a> {
    packages: HashMap<&'a str, &'a Package>,
    nodes: HashMap<&'a str, &'a Node>,
}

/// A package's id, and a feature of it. The empty one is the package itself, `dep:` one of its optional dependencies.
type Feature<'a> = (&'a str, String);

impl<'a> Graph<'a> {
    fn new(metadata: &'a Metadata) -> Self {
        let packages = metadata.packages.iter().map(|package| (package.id.as_str(), package));
        let nodes = metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node));
        Self {
            packages: packages.collect(),
            nodes: nodes.collect(),
        }
    }

    /// What a program of `app` is built of, as if those in `without` were not there: what cargo resolves, without build scripts and macros,
    /// which have features of their own.
    fn features(&self, app: &'a Package, without: &[&str]) -> BTreeSet<Feature<'a>> {
        let mut on: BTreeSet<Feature<'a>> = BTreeSet::new();
        // `dependency?/feature` waits for its dependency.
        let mut weak: Vec<(&'a Package, &str, &str)> = Vec::new();
        let mut todo = vec![(app, String::new()), (app, "default".into())];
        loop {
            let Some((package, feature)) = todo.pop() else {
                weak.retain(|(package, dependency, feature)| {
                    let enabled = on.contains(&(&package.id, format!("dep:{dependency}")));
                    if enabled {
                        todo.extend(self.named(package, dependency).map(|(to, _)| (to, (*feature).into())));
                    }
                    !enabled
                });
                if todo.is_empty() {
                    return on;
                }
                continue;
            };
            if without.contains(&package.name.as_str()) || !on.insert((&package.id, feature.clone())) {
                continue;
            }
            if feature.is_empty() {
                let always = self.dependencies(package).filter(|(_, declared)| !declared.optional);
                todo.extend(always.flat_map(requested));
            } else if let Some(dependency) = feature.strip_prefix("dep:") {
                todo.extend(self.named(package, dependency).flat_map(requested));
            }
            for implied in package.features.get(&feature).into_iter().flatten() {
                match implied.split_once('/') {
                    None => todo.push((package, implied.clone())),
                    Some((dependency, feature)) => {
                        let optional = dependency.strip_suffix('?');
                        let dependency = optional.unwrap_or(dependency);
                        weak.push((package, dependency, feature));
                        if optional.is_none() {
                            todo.push((package, format!("dep:{dependency}")));
                        }
                    }
                }
            }
        }
    }

    fn named(&self, package: &'a Package, name: &str) -> impl Iterator<Item = (&'a Package, &'a Declared)> {
        self.dependencies(package)
            .filter(move |(_, declared)| declared.rename.as_ref().unwrap_or(&declared.name) == name)
    }

    /// Those that the program holds, with their declarations.
    fn dependencies(&self, package: &'a Package) -> impl Iterator<Item = (&'a Package, &'a Declared)> {
        let resolved = &self.nodes[package.id.as_str()].deps;
        let declared = package.dependencies.iter().filter(|declared| declared.kind.is_none());
        declared.filter_map(move |declared| {
            let to = resolved.iter().find(|resolved| {
                let same = match &declared.rename {
                    Some(rename) => resolved.name == rename.replace('-', "_"),
                    None => self.packages[resolved.pkg.as_str()].name == declared.name,
                };
                let mut kinds = resolved.dep_kinds.iter();
                same && kinds.any(|kind| kind.kind.is_none() && kind.target == declared.target)
            })?;
            let to = self.packages[to.pkg.as_str()];
            let is_macro = to.targets.iter().any(|target| target.kind == ["proc-macro"]);
            (!is_macro).then_some((to, declared))
        })
    }
}

fn requested<'a>((to, declared): (&'a Package, &'a Declared)) -> impl Iterator<Item = (&'a Package, String)> {
    let default = declared.uses_default_features.then(|| "default".into());
    let named = declared.features.iter().cloned();
    let all = [String::new()].into_iter().chain(default).chain(named);
    all.map(move |feature| (to, feature))
}
