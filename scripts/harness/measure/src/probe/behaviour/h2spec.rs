//! h2spec, a program that puts 145 cases of RFC 7540 and RFC 7541 to a server of HTTP/2. Its words are taken from its report at run time.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use model::Verdict;
use model::probe::{Group, Level, ProbeCase, ProbeOutcome};
use model::store;
use serde::Deserialize;

use crate::probe::{Attempt, Target};
use machine::process::{Unfinished, finish, one_line};
use servers::failure::Failure;

/// Id of the suite.
pub const ID: &str = "h2spec";
/// How it is installed.
pub const INSTALL: &str = "go install github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible";
/// Cases of that version, each of which is in every report, whatever became of it.
const CASES: usize = 145;
/// What it waits for an answer, in s.
const ANSWER: &str = "1";
/// Most that all its cases may take: a server that answers none of them makes it wait [`ANSWER`] in each.
const PATIENCE: Duration = Duration::from_mins(4);

/// Largest report of its that is read.
const LARGEST_REPORT: u64 = 4 << 20;

/// Where it is: in `PATH`, in `target/tools`, or where Go puts programs.
pub fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let tools = std::iter::once(PathBuf::from("target/tools"));
    let go = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("go/bin"));
    let found = std::env::split_paths(&path).chain(tools).chain(go);
    found.map(|folder| folder.join(ID)).find(|file| file.is_file())
}

/// Its version, which Go writes into every program: what it prints itself is not true of one that `go install` made.
pub fn version() -> Option<String> {
    const BEFORE: &[u8] = b"\tgithub.com/summerwind/h2spec\t";
    let bytes = std::fs::read(program()?).ok()?;
    let at = bytes.windows(BEFORE.len()).position(|window| window == BEFORE)? + BEFORE.len();
    let version = bytes[at..].iter().take(40).take_while(|byte| byte.is_ascii_graphic());
    Some(version.map(|byte| char::from(*byte)).collect())
}

/// The section with a case of this id, as h2spec names it: `http2/5.1.1` of `h2spec-http2-5-1-1-2`. `None` if it is no such id.
pub fn section(id: &str) -> Option<String> {
    let (document, place) = id.strip_prefix(ID)?.strip_prefix('-')?.split_once('-')?;
    let (section, number) = place.rsplit_once('-')?;
    let is_number = |text: &str| text.parse::<u8>().is_ok();
    let is_section = section.split('-').all(is_number) && is_number(number);
    let is_document = ["generic", "http2", "hpack"].contains(&document);
    (is_section && is_document).then(|| format!("{document}/{}", section.replace('-', ".")))
}

/// Its cases on a fresh server: those with these ids, or all where there are none.
pub fn suite(target: &Target<'_>, only: &[String]) -> Result<Vec<(ProbeCase, Attempt)>, Failure> {
    let mut server = target.start()?;
    let mut made = on(server.address, only)?;
    if let Some(reason) = server.exit_reason() {
        // Which case ended it is not known, only that all after it failed: the last one that passed came before.
        let after = made.iter().rposition(|(_, one)| one.outcome == ProbeOutcome::Passed);
        for (_, attempt) in made.iter_mut().skip(after.map_or(0, |after| after + 1)) {
            attempt.got = format!("the server died: {reason}");
        }
    }
    Ok(made)
}

fn on(address: SocketAddr, only: &[String]) -> Result<Vec<(ProbeCase, Attempt)>, Failure> {
    let trouble = |text: String| Failure::Verdict(Verdict::EnvironmentFailed, format!("h2spec: {text}"));
    let program = program().ok_or_else(|| trouble(format!("it is not installed: {INSTALL}")))?;
    let report = tempfile::NamedTempFile::new()?;
    let [host, port] = [address.ip().to_string(), address.port().to_string()];
    let mut command = Command::new(program);
    command
        .args(["--host", &host, "--port", &port, "--timeout", ANSWER, "--junit-report"])
        .arg(report.path())
        // Whole sections: it numbers the cases of a section, and its report only those that were made.
        .args(only.iter().filter_map(|id| section(id)));
    match finish(command, PATIENCE) {
        Ok(_) => {}
        Err(Unfinished::Interrupted(interrupted)) => return Err(interrupted.into()),
        Err(error) => return Err(trouble(error.to_string())),
    }
    // The server under test decides what is in it.
    let report = store::read_text(report.path(), LARGEST_REPORT)?;
    let mut made = read(&report).map_err(|error| trouble(error.to_string()))?;
    if only.is_empty() {
        whole(made.len()).map_err(trouble)?;
    }
    made.retain(|(case, _)| only.is_empty() || only.contains(&case.id));
    if made.is_empty() {
        return Err(trouble(format!("it has no case {}", only.join(", "))));
    }
    Ok(made)
}

/// Fails if a report of all cases has so many: with fewer of them, fewer would fail. A later version may have more.
fn whole(cases: usize) -> Result<(), String> {
    let reason = || format!("its report has {cases} of its {CASES} cases; this version has all: {INSTALL}");
    (cases >= CASES).then_some(()).ok_or_else(reason)
}

/// Its report in the format of `JUnit`.
#[derive(Deserialize)]
struct JUnit {
    #[serde(default)]
    testsuite: Vec<Section>,
}

#[derive(Deserialize)]
struct Section {
    #[serde(rename = "@name")]
    name: String,
    #[serde(default)]
    testcase: Vec<Tested>,
}

#[derive(Deserialize)]
struct Tested {
    #[serde(rename = "@package")]
    package: String,
    #[serde(rename = "@classname")]
    title: String,
    #[serde(alias = "failure")]
    error: Option<String>,
    skipped: Option<String>,
}

fn read(xml: &str) -> Result<Vec<(ProbeCase, Attempt)>, quick_xml::DeError> {
    let report: JUnit = quick_xml::de::from_str(xml)?;
    let made = report.testsuite.into_iter().flat_map(|section| {
        let numbered = section.testcase.into_iter().zip(1..);
        numbered.map(move |(tested, number)| {
            let case = case(&tested.package, number, &section.name, tested.title);
            let attempt = match (tested.error, tested.skipped) {
                (Some(error), _) => judged(&case, &error),
                (_, Some(_)) => Attempt::not_applicable("h2spec cannot put it to this server"),
                _ => Attempt::new(true, "as h2spec expects"),
            };
            (case, attempt)
        })
    });
    Ok(made.collect())
}

/// `package` is `http2/5.1.1`; the number counts the cases of that section.
fn case(package: &str, number: u32, section: &str, title: String) -> ProbeCase {
    let (document, place) = package.split_once('/').unwrap_or((package, ""));
    let source = match document {
        "http2" => format!("RFC 7540, section {place}"),
        "hpack" => format!("RFC 7541, section {place}"),
        _ => format!("h2spec, section {place} of its part {document}"),
    };
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    ProbeCase {
        id: format!("{ID}-{package}-{number}").replace(|c| !is_plain(c), "-"),
        group: Group::Http2,
        demand: format!("What h2spec demands in \"{section}\": {title}."),
        title,
        level: Level::Must,
        source,
        smuggles: false,
        sent: String::new(),
    }
}

/// A failed case: `text` lists what would have passed, a line each, and in its last line what came.
fn judged(case: &ProbeCase, text: &str) -> Attempt {
    // RFC 9113, section 8.1: an answer may be complete before the request is, and with it before its fault.
    const FAULT_COMES_LATE: [&str; 6] = [
        "second HEADERS",
        "as trailers",
        "\"content-length\"",
        "after sending RST_STREAM",
        "half closed (remote)",
        "is not in \"open\"",
    ];
    let mut expected: Vec<String> = text.lines().map(one_line).filter(|line| !line.is_empty()).collect();
    let got = expected.pop().unwrap_or_default();
    let may_close = expected.iter().any(|one| one == "Connection closed");
    let answered = got.starts_with("DATA Frame") && got.contains("flags:0x01");
    let comes_late = FAULT_COMES_LATE.iter().any(|part| case.title.contains(part));
    let resets = |text: &str| text.starts_with("RST_STREAM Frame");
    let allowed = [
        (
            may_close && got.contains("connection reset by peer"),
            "it closes the connection, by a reset",
        ),
        (
            may_close && case.id.contains("-http2-3-5-") && got.contains("HTTP/1.1 header"),
            "it answers in HTTP/1.1, which it speaks on this port too, and closes",
        ),
        (answered && comes_late, "it had answered in full before the fault came"),
        // A stream that has been answered in full may be reset with another code than the fault's, which h2spec does not report.
        (
            resets(&got) && expected.iter().any(|one| resets(one)),
            "it resets the stream, with another code",
        ),
    ];
    match allowed.iter().find(|(is_so, _)| *is_so) {
        Some((_, why)) => Attempt::new(true, *why),
        None => Attempt::new(false, format!("{got}; expected: {}", expected.join(", or "))),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn report(package: &str, title: &str, inner: &str) -> (ProbeCase, Attempt) {
        let xml = format!(
            "<testsuites><testsuite name=\"1. One\"><testcase package=\"{package}\" classname=\"{title}\">{inner}</testcase>\
             </testsuite></testsuites>"
        );
        read(&xml).unwrap().remove(0)
    }

    #[test]
    fn a_report_is_read() {
        let (case, attempt) = report(
            "http2/5.1.1",
            "A &#34;b&#34;",
            "<error>Connection closed\nTimeout</error>",
        );
        assert_eq!(
            (case.id.as_str(), case.title.as_str()),
            ("h2spec-http2-5-1-1-1", "A \"b\"")
        );
        assert_eq!(case.source, "RFC 7540, section 5.1.1");
        assert_eq!(attempt, Attempt::new(false, "Timeout; expected: Connection closed"));
        let skipped = report("hpack/2", "A", "<skipped></skipped>").1;
        assert_eq!(skipped.outcome, ProbeOutcome::NotApplicable);
        assert!(read("<testsuites><testsuite").is_err());
    }

    #[test]
    fn a_report_of_fewer_cases_is_no_report_of_the_suite() {
        assert_eq!(whole(CASES), Ok(()));
        assert!(whole(1).unwrap_err().starts_with("its report has 1 of its 145 cases; "));
    }

    #[test]
    fn an_id_names_its_section() {
        assert_eq!(section("h2spec-http2-5-1-1-2").as_deref(), Some("http2/5.1.1"));
        assert_eq!(section("h2spec-generic-2-5").as_deref(), Some("generic/2"));
        for id in [
            "h2spec",
            "h2spec-http2-5",
            "h2spec-http3-5-1",
            "h2spec-http2-5-x-1",
            "date-http2-5-1",
        ] {
            assert_eq!(section(id), None, "{id}");
        }
    }

    #[test]
    fn what_the_rfc_allows_is_no_fault() {
        let reset = "<error>Connection closed\nread: connection reset by peer</error>";
        assert_eq!(report("http2/4.2", "A", reset).1.outcome, ProbeOutcome::Passed);
        let answered = "<error>Connection closed\nDATA Frame (length:0, flags:0x01, stream_id:1)</error>";
        let outcome = |title| report("http2/8.1", title, answered).1.outcome;
        assert_eq!(outcome("Sends a second HEADERS frame"), ProbeOutcome::Passed);
        assert_eq!(
            outcome("closed: Sends a DATA frame after sending RST_STREAM frame"),
            ProbeOutcome::Passed
        );
        assert_eq!(outcome("Sends a name in capitals"), ProbeOutcome::Failed);
        let other_code = "<error>RST_STREAM Frame (Error Code: FLOW_CONTROL_ERROR)\nRST_STREAM Frame (length:4, stream_id:1)</error>";
        assert_eq!(report("http2/6.9.1", "A", other_code).1.outcome, ProbeOutcome::Passed);
        let no_reset = "<error>Connection closed\nRST_STREAM Frame (length:4, stream_id:1)</error>";
        assert_eq!(report("http2/6.9.1", "A", no_reset).1.outcome, ProbeOutcome::Failed);
    }

    mod slow {
        use super::*;

        #[test]
        fn a_correct_server_passes_and_one_that_closes_fails() {
            assert!(program().is_some(), "the test needs h2spec: {INSTALL}");
            assert!(version().unwrap().starts_with('v'));
            let address = crate::probe::behaviour::http2_server::start();
            let made = on(address, &[]).unwrap();
            assert_eq!(made.len(), CASES);
            let passed =
                |made: &[(ProbeCase, Attempt)]| made.iter().filter(|one| one.1.outcome == ProbeOutcome::Passed).count();
            assert!(passed(&made) + 5 >= made.len(), "{made:#?}");
            let id = "h2spec-http2-5-1-1-2";
            let one = on(address, &[id.to_owned()]).unwrap();
            let same = made.iter().find(|(case, _)| case.id == id).unwrap();
            assert_eq!(one, std::slice::from_ref(same));
            let none = on(address, &["h2spec-http2-5-1-1-99".to_owned()]).unwrap_err();
            assert!(
                format!("{none:?}").contains("it has no case h2spec-http2-5-1-1-99"),
                "{none:?}"
            );
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            thread::spawn(move || {
                for stream in listener.incoming() {
                    let _ = stream.unwrap().read(&mut [0; 64]);
                }
            });
            let made = on(address, &[]).unwrap();
            let plain = made.iter().find(|one| one.0.id == "h2spec-generic-4-1").unwrap();
            assert_eq!(plain.1.outcome, ProbeOutcome::Failed, "{plain:?}");
        }
    }
}
