//! `bench releases` on a registry of this test's own, on loopback, with a release that is slower on purpose.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::spawn;

use model::Record;
use model::store::sha256;
use toml::{Table, Value};

use crate::common::{Bench, CommandOutput, copy, git, repository, words};

const RELEASES: [&str; 4] = ["1.0.0", "1.0.1", "1.0.2", "1.0.3"];
/// The first that has it; later ones keep it.
const PLANTED: usize = 2;
const COST: &str = "
#[inline(never)]
fn planted() {
    for turn in 0..20_000_u32 {
        std::hint::black_box(turn);
    }
}
";

/// A sparse registry: one crate of its own, and all others where they are.
struct Registry {
    /// With the crate's releases as archives.
    folder: tempfile::TempDir,
    /// A line of the index for each.
    index: String,
}

impl Registry {
    /// Of the crate in this folder, which is left there as it was before the first release.
    fn of(library: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifest = fs::read_to_string(library.join("Cargo.toml")).unwrap();
        let mut manifest: Table = manifest.parse().unwrap();
        for unused in ["bin", "dev-dependencies", "features", "lints"] {
            manifest.remove(unused);
        }
        let dependencies = manifest["dependencies"].as_table_mut().unwrap();
        dependencies.retain(|_, wanted| wanted.get("optional").is_none());
        let listed: Vec<_> = dependencies.iter().map(|(name, wanted)| listed(name, wanted)).collect();
        let listed = serde_json::Value::from(listed);
        let answers = fs::read_to_string(library.join("src/answers.rs")).unwrap();
        let mut index = String::new();
        for (place, version) in RELEASES.into_iter().enumerate() {
            let root = folder.path().join(format!("faulty-{version}"));
            fs::create_dir(&root).unwrap();
            copy(&library.join("src"), &root);
            let package = manifest["package"].as_table_mut().unwrap();
            package.remove("publish");
            package.insert("version".to_owned(), version.into());
            package.insert("edition".to_owned(), "2024".into());
            fs::write(root.join("Cargo.toml"), manifest.to_string()).unwrap();
            if place >= PLANTED {
                let begin = "pub fn answer(request: &Request) -> Response {\n";
                let slower = answers.replacen(begin, &format!("{begin}    planted();\n"), 1) + COST;
                assert_ne!(slower, format!("{answers}{COST}"));
                fs::write(root.join("src/answers.rs"), slower).unwrap();
            }
            let archive = folder.path().join(version);
            let mut tar = Command::new("tar");
            tar.arg("-czf").arg(&archive).arg("-C").arg(folder.path());
            assert!(tar.arg(root.file_name().unwrap()).status().unwrap().success());
            let sum = sha256([&*fs::read(&archive).unwrap()]);
            let line = serde_json::json!({
                "name": "faulty", "vers": version, "deps": listed, "features": {}, "yanked": false,
                "cksum": sum, // So that each has on its day what there is today.
                "pubtime": format!("2099-01-0{}T00:00:00Z", place + 1),
            });
            index.extend([line.to_string(), "\n".to_owned()]);
        }
        Self { folder, index }
    }

    /// Its address.
    fn serve(self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let own = address.clone();
        spawn(move || {
            for stream in listener.incoming() {
                let _ = self.answer(stream.unwrap(), &own); // whoever left needs no answer
            }
        });
        address
    }

    /// One answer for each connection.
    fn answer(&self, mut stream: TcpStream, own: &str) -> std::io::Result<()> {
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        let first = lines.next().transpose()?.unwrap_or_default();
        while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        let path = first.split(' ').nth(1).unwrap_or_default();
        let found = match path.split('/').skip(1).collect::<Vec<_>>()[..] {
            ["config.json"] => Ok(format!("{{\"dl\":\"{own}/dl\"}}").into_bytes()),
            ["fa", "ul", "faulty"] => Ok(self.index.clone().into_bytes()),
            ["dl", "faulty", version, _] => Ok(fs::read(self.folder.path().join(version))?),
            ["dl", name, version, _] => Err(format!("https://static.crates.io/crates/{name}/{version}/download")),
            _ => Err(format!("https://index.crates.io{path}")),
        };
        let (head, body) = match found {
            Ok(body) => ("200 OK".to_owned(), body),
            Err(place) => (format!("302 Found\r\nlocation: {place}"), Vec::new()),
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        )?;
        stream.write_all(&body)
    }
}

/// A dependency as the index has it.
fn listed(name: &str, wanted: &Value) -> serde_json::Value {
    let of = |key: &str| wanted.get(key);
    let features = of("features").and_then(Value::as_array).into_iter().flatten();
    serde_json::json!({
        "name": name,
        "req": of("version").unwrap_or(wanted).as_str().unwrap(),
        "features": features.map(|name| name.as_str().unwrap()).collect::<Vec<_>>(),
        "default_features": of("default-features").and_then(Value::as_bool).unwrap_or(true),
        "optional": false, "target": null, "kind": "normal",
    })
}

/// A repository whose apps take their library from the registry; the folder of the temporary home of cargo that knows it.
fn released_repository(home: &Path) -> PathBuf {
    let root = home.join("repository");
    repository(&root, &["good", "reference"]);
    let library = root.join("faulty");
    let address = Registry::of(&library).serve();
    fs::remove_dir_all(library).unwrap();
    for app in ["good", "reference"] {
        let path = root.join("apps").join(app).join("Cargo.toml");
        let manifest = fs::read_to_string(&path).unwrap();
        let (before, _) = manifest.split_once("faulty = {").unwrap();
        fs::write(path, format!("{before}faulty = \"1\"\n")).unwrap();
    }
    let config =
        format!("[source.crates-io]\nreplace-with = \"planted\"\n[source.planted]\nregistry = \"sparse+{address}/\"\n");
    fs::write(home.join("config.toml"), config).unwrap();
    let mut locking = Command::new("cargo");
    locking.args(words("update --workspace")).current_dir(&root);
    locking.env("CARGO_HOME", home);
    CommandOutput::run(locking).fine();
    git(&root, "commit -q --all -m Released");
    root
}

#[test]
fn a_regression_is_found_in_its_release_and_its_function() {
    let home = tempfile::tempdir().unwrap();
    let root = released_repository(home.path());
    let bench = Bench::with_root(&root);
    let run = |line: &str| {
        let mut command = bench.command(line);
        command.env("CARGO_HOME", home.path()).env_remove("CARGO_TARGET_DIR");
        if line.starts_with("releases") {
            command.arg("--out").arg(bench.results());
        }
        CommandOutput::run(command).fine()
    };
    run("releases good --scenario plaintext --of-its-day");
    let record: Record = bench.record();
    let counted = |app: &model::AppRecord| {
        let costs = app.costs.as_ref().unwrap();
        let version = costs.release.as_ref().unwrap().version.clone();
        (
            version,
            *costs.requests[0]
                .instructions
                .figure()
                .unwrap_or_else(|| panic!("{costs:?}")),
        )
    };
    let release = |app: &model::AppRecord| app.costs.as_ref()?.release.clone();
    let of_its_day = |app: &&model::AppRecord| release(app).is_some_and(|release| release.of_its_day);
    let (then, locked): (Vec<_>, Vec<_>) = record.apps.iter().rev().partition(of_its_day);
    for apps in [then, locked] {
        let found: Vec<(String, f64)> = apps.into_iter().map(counted).collect();
        let versions: Vec<&str> = found.iter().map(|(version, _)| version.as_str()).collect();
        assert_eq!(versions, RELEASES);
        let slower = found.windows(2).filter(|pair| pair[1].1 / pair[0].1 > 1.01);
        let slower: Vec<&str> = slower.map(|pair| &*pair[1].0).collect();
        assert_eq!(slower, [RELEASES[PLANTED]], "{found:?}");
    }
    // What an old day did to the manifest is undone for the next that is measured.
    let manifest = |root: &Path| fs::read_to_string(root.join("apps/good/Cargo.toml")).unwrap();
    let tree = root.join("target/compare/releases/tree");
    assert_ne!(manifest(&tree), manifest(&root));
    run("releases good --scenario hello --release 1.0.3");
    assert!(manifest(&tree).contains("faulty = \"1\""), "{}", manifest(&tree));
    let kept = |version: &str| root.join("target/releases/good").join(format!("faulty-{version}"));
    let programs = [PLANTED - 1, PLANTED].map(|place| kept(RELEASES[place]).display().to_string());
    let line = format!("explain {} --scenario plaintext --format json", programs.join(" "));
    let explained = run(&line).json();
    let first = &explained["functions"][0];
    assert!(first["name"].as_str().unwrap().contains("planted"), "{explained:#}");
}
