//! What the command says when it cannot do what was requested, or a check fails: the exit status, standard output and stderr of each
//! case, in a file that people can read.

use model::Record;
use model::store;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{fixtures, script};
use crate::files::command::{bench_of, root};
use crate::files::github::world::{FIRST, comparison};
use crate::files::publish::{LANE, begun, cost_times, id, of_this_checkout, value};

/// A session in one folder: each command line, followed by its output and exit status.
struct Session {
    root: PathBuf,
    folder: tempfile::TempDir,
    text: String,
}

impl Session {
    fn new() -> Self {
        Self::of(root())
    }

    /// Of another repository than this.
    fn of(root: PathBuf) -> Self {
        Self {
            root,
            folder: tempfile::tempdir().unwrap(),
            text: String::new(),
        }
    }

    fn at(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// What the command says to this line, in which no argument has a space.
    fn case(&mut self, line: &str) {
        let root = self.root.display().to_string();
        let output = bench_of(&self.root, self.at(), &line.replace("ROOT", &root));
        let said = [output.stdout, output.stderr].concat().replace(&root, "ROOT");
        let status = output.status.map_or("a signal".to_owned(), |status| status.to_string());
        writeln!(self.text, "$ bench {line}\n{said}exit status {status}\n").unwrap();
    }

    /// The same after a change of a document, which is undone.
    fn changed(&mut self, path: &str, what: &str, change: impl FnOnce(&mut Value), line: &str) {
        let good = fs::read(self.at().join(path)).unwrap();
        let mut value: Value = serde_json::from_slice(&good).unwrap();
        change(&mut value);
        self.damaged(path, what, value.to_string().as_bytes(), line);
    }

    /// The same with other content.
    fn damaged(&mut self, path: &str, what: &str, content: &[u8], line: &str) {
        let good = fs::read(self.at().join(path)).ok();
        self.write(path, content);
        writeln!(self.text, "# {what}").unwrap();
        self.case(line);
        match good {
            Some(good) => self.write(path, good),
            None => fs::remove_file(self.at().join(path)).unwrap(),
        }
    }
}

fn sensible(change: impl FnOnce(&mut Record)) -> Record {
    let mut record = samples::sensible();
    change(&mut record);
    record
}

#[test]
fn arguments() {
    let mut session = Session::new();
    for line in [
        "rnu",
        "run --app Axumm",
        "run --app actix",
        "run --profile fast",
        "run --scenario nope",
        "report --results nowhere",
        "publish --pages .",
        "publish --all latest --pages .",
        "site --pages . --out . --site-url javascript:alert(1)",
        "site --pages nowhere --out .",
        "publish latest --pages . --expect-runner ubuntu",
        "publish latest --pages nowhere",
        "history --csv figures.csv --lane local",
        "history --probes --metric goodput_rps",
        "export latest --metric grep",
        "comment --artifact . --head-sha 1111111",
        "upstream --app axun",
        "upstream --app tide",
        "upstream --read . --wait",
        "upstream --read nowhere",
    ] {
        session.case(line);
    }
    insta::assert_snapshot!(session.text);
}

/// What cannot be measured: nothing is built or begun.
#[test]
fn measuring() {
    let mut session = Session::of(fixtures());
    session.write("record.json", value(1).to_string());
    script(&session.at().join("other"), "echo other 1.0");
    for line in [
        "run --scenario plaintext --app good-services",
        "run --scenario auth --app good",
        "run --scenario auth --app good-postgres",
        "run --scenario middleware-5 --app good-services",
        "run --scenario auth --load-generator wrk --app good-services",
        "run --scenario network-kept,plaintext --app good",
        "run --scenario network-kept --load-generator wrk --app good",
        "run --scenario network-kept --load-from nobody --app good",
        "run --profile costs --duration 1s",
        "run --profile costs --connections 4",
        "run --profile costs --time-budget 1m",
        "run --scenario db --app good-postgres --postgres /nowhere",
        "run --load-generator wrk --wrk /no/such/wrk",
        "run --load-generator wrk --wrk ./other",
        "cross-check --with h2load --h2load ./other",
        "run --load-generator wrk --scenario capacity",
        "run --load-generator wrk --scenario plaintext-http2",
        "run --load-generator h2load --scenario plaintext-close",
        "cross-check --with ab",
        "cross-check --record record.json",
        "cross-check --record nothing",
        "run --load-from load-1 --load-generator wrk",
        "run --load-from load-1;id",
        "run --load-from load-1,load-1",
        "probe --case host-twic",
        "probe --case nothing-like-it",
        "probe --protocol http2-tls --group fields",
        "probe --protocol http9",
        "compare --self-test --replay /no/such/file",
    ] {
        session.case(line);
    }
    insta::assert_snapshot!(session.text);
}

#[test]
fn history() {
    let mut session = Session::new();
    for record in [
        sensible(|_| {}),
        sensible(|record| record.lane = model::Lane::HostedArm64),
    ] {
        store::write(&session.at().join("two"), &record).unwrap();
    }
    store::write(&session.at().join("one"), &sensible(|_| {})).unwrap();
    store::write(
        &session.at().join("part"),
        &sensible(|record| record.harness.whole = false),
    )
    .unwrap();
    session.write("broken.csv", "date,app\n");
    session.write(
        "comma.csv",
        "date;app;scenario;metric;value\n2026-11-01;axum;plaintext;goodput_rps;9,5\n",
    );
    for line in [
        "history --results nowhere",
        "history --results two",
        "history --results one --lane local",
        "history --results one --lane self-hosted",
        "history --results part --lane hosted-x64",
        "history --results one --profile weekli",
        "history --results one --app axun",
        "history --results one --scenario plaintex",
        "history --results one --metric goodput",
        "history --csv broken.csv",
        "history --csv comma.csv",
        "history --csv nowhere.csv",
        "history --probes --results nowhere",
    ] {
        session.case(line);
    }
    insta::assert_snapshot!(session.text);
}

#[test]
fn report() {
    const README: &str = "# Title\n\n<!-- results:begin -->\nthe block before\n<!-- results:end -->\n";
    let mut session = Session::new();
    let path = store::write(&session.at().join("results"), &sensible(|_| {})).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    session.write("record.json", &text);
    session.write("README.md", README);
    let line = "report record.json --readme README.md --results results";
    session.damaged("record.json", "half of it", &text.as_bytes()[..text.len() / 2], line);
    let nan = text.replacen("\"steal_share\":", "\"steal_share\":NaN,\"x\":", 1);
    assert_ne!(nan, text);
    session.damaged("record.json", "a figure that is none", nan.as_bytes(), line);
    session.changed(
        "record.json",
        "of a newer program",
        |all| all["schema_version"] = 99.into(),
        line,
    );
    session.case("report no-such-run --results results");
    session.case("report latest --results nowhere");
    session.case("report --results results --pair axum,rokcet");
    session.case("report latest --results results --base-url https://example.org/");
    assert_eq!(fs::read_to_string(session.at().join("README.md")).unwrap(), README);
    session.case(&format!("{line} --database record.json"));
    session.damaged("README.md", "no markers", b"no markers", line);
    assert!(!session.at().join("charts").exists(), "nothing is written");
    session.write("\u{1b}[31mforged\u{202e}.json", "{}");
    session.case("report \u{1b}[31mforged\u{202e}.json");
    insta::assert_snapshot!(session.text);
}

#[test]
fn publish() {
    type Change = fn(&mut Value);
    let mut session = Session::new();
    begun(session.at(), |_| {});
    let line = "publish record.json --pages pages";
    let changes: [(&str, Change); 6] = [
        ("of the future", |record| {
            record["id"] = "99991230T220000Z-1".into();
            record["started_at"] = "9999-12-30T22:00:00Z".into();
            record["finished_at"] = "9999-12-30T22:00:00Z".into();
        }),
        ("four times the cost of the run before", |record| {
            cost_times(record, 4.0);
        }),
        ("that was published with other content", |record| {
            *record = value(1);
            record["environment"]["load_average"] = 7.into();
        }),
        ("connections that the figures contradict", |record| {
            record["scenarios"][0]["connections"] = 8.into();
        }),
        ("without reference and ceiling", |record| {
            for trial in record["trials"].as_array_mut().unwrap() {
                if ["reference", "ceiling"].contains(&trial["app"].as_str().unwrap()) {
                    trial["verdict"] = "crashed".into();
                    trial["reasons"] = json!(["the server died: signal 11"]);
                }
            }
        }),
        ("a name that climbs", |record| {
            record["apps"][0]["id"] = "../../x".into();
        }),
    ];
    for (what, change) in changes {
        session.changed("record.json", what, change, line);
    }
    for expected in [
        "--expect-lane self-hosted",
        "--expect-profile weekly",
        "--expect-commit c0ffee",
        "--expect-runner [\"ubuntu-24.04\"]",
        "--since 2026-11-21T10:30:00Z",
    ] {
        session.case(&format!("{line} {expected}"));
    }
    let published = session.at().join(format!("pages/runs/{LANE}/{}.json.gz", id(2)));
    assert!(!published.exists(), "{}", session.text);
    let broken = format!("pages/runs/{LANE}/{}.json.gz", id(1));
    session.damaged(&broken, "a record that is broken", b"{", line);
    session.damaged(&broken, "the same", b"{", "site --pages pages --out out");
    insta::assert_snapshot!(session.text);
}

#[test]
fn a_record_of_another_checkout() {
    type Change = fn(&mut Value);
    let mut session = Session::new();
    begun(session.at(), of_this_checkout);
    let changes: [(&str, Change); 2] = [
        ("apps that are other ones", |record| {
            record["apps"][0]["link"] = "https://evil.example/".into();
            record["apps"][0]["role"] = "ceiling".into();
            record["apps"][1]["source_hash"] = "00".into();
        }),
        ("another commit", |record| record["harness"]["commit"] = "c0ffee".into()),
    ];
    for (what, change) in changes {
        let line = "publish record.json --pages pages --checkout ROOT";
        session.changed("record.json", what, change, line);
    }
    let record: Value = serde_json::from_slice(&fs::read(session.at().join("record.json")).unwrap()).unwrap();
    let text = session
        .text
        .replace(record["harness"]["commit"].as_str().unwrap(), "COMMIT");
    insta::assert_snapshot!(text);
}

#[test]
fn export() {
    let mut session = Session::new();
    let mut record = value(1);
    for trial in record["trials"].as_array_mut().unwrap() {
        trial["verdict"] = "environment_failed".into();
        trial["reasons"] = json!(["the hypervisor took 40 % of the time"]);
    }
    record["apps"].as_array_mut().unwrap().retain(|app| app["id"] == "axum");
    record["trials"]
        .as_array_mut()
        .unwrap()
        .retain(|one| one["app"] == "axum");
    session.write("record.json", record.to_string());
    session.case("export record.json --metric cpu --out out.json");
    assert!(!session.at().join("out.json").exists());
    insta::assert_snapshot!(session.text);
}

#[test]
fn comment() {
    let mut session = Session::new();
    let right = serde_json::to_value(comparison(FIRST, 0.05)).unwrap();
    session.write("artifact/comparison.json", right.to_string());
    let line = format!("comment --artifact artifact --head-sha {FIRST}");
    session.changed(
        "artifact/comparison.json",
        "a field that nobody knows",
        |all| all["pull_request"] = 8.into(),
        &line,
    );
    session.case(&line.replace("artifact artifact", "artifact nowhere"));
    insta::assert_snapshot!(session.text);
}

#[test]
fn of_probes() {
    type Change = fn(&mut Value);
    let mut session = Session::new();
    let path = store::write(session.at(), &crate::files::probes::of_two_weeks()[1]).unwrap();
    let path = path.strip_prefix(session.at()).unwrap().to_str().unwrap().to_owned();
    let line = format!("report {path}");
    let changes: [(&str, Change); 2] = [
        ("of a newer program", |probes| probes["schema_version"] = 9.into()),
        ("a field that nobody knows", |probes| probes["idea"] = 1.into()),
    ];
    for (what, change) in changes {
        session.changed(&path, what, change, &line);
    }
    session.case("report probes --results nowhere");
    session.case("report probes --results . --format pull-request");
    session.case("report probes --results . --readme README.md");
    session.case("history --probes --results . --format alarm");
    fs::create_dir(session.at().join("pages")).unwrap();
    session.case("publish probes --results . --pages pages --expect-commit c0ffee");
    insta::assert_snapshot!(session.text);
}
