//! Every input of the corpus, through its target. `./scripts/fuzz` finds new ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Longest time for one input, which takes milliseconds: what is shown by exceeding it is a hang.
const PATIENCE: Duration = Duration::from_mins(1);
/// Largest input: one that is larger is to be made smaller before it is kept.
const LARGEST: u64 = 64 << 10;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_target_has_a_binary_and_a_corpus() {
    let targets: BTreeSet<String> = crate::TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&folder("fuzz_targets")), targets);
    assert_eq!(names(&folder("corpus")), targets);
}

#[test]
fn no_input_of_the_corpus_breaks_its_target() {
    for (name, target) in crate::TARGETS {
        let mut inputs = 0;
        for entry in fs::read_dir(folder("corpus").join(name)).unwrap() {
            let path = entry.unwrap().path();
            let data = fs::read(&path).unwrap();
            assert!(data.len() as u64 <= LARGEST, "{} is too large", path.display());
            inputs += 1;
            let (done, is_done) = mpsc::channel();
            let running = thread::spawn(move || {
                target(&data);
                done.send(()).unwrap();
            });
            let in_time = is_done.recv_timeout(PATIENCE) != Err(mpsc::RecvTimeoutError::Timeout);
            assert!(in_time, "{} takes too long", path.display());
            running
                .join()
                .unwrap_or_else(|_| panic!("{} breaks {name}", path.display()));
        }
        assert!(inputs > 0, "{name} has no corpus");
    }
}

/// Instructions mean another document as soon as the good one changes: what they once found would be found no more.
#[test]
fn the_corpus_holds_documents_and_no_instructions() {
    for (name, _) in crate::TARGETS {
        for entry in fs::read_dir(folder("corpus").join(name)).unwrap() {
            let path = entry.unwrap().path();
            let data = fs::read(&path).unwrap();
            let document = match (name, data.as_slice()) {
                ("generator", [b'w' | b'h', ..]) => continue,
                ("generator", [_, document @ ..]) => document,
                (_, [_]) => continue, // the good document as it is
                (_, document) => document,
            };
            let is_one = document.is_empty() || matches!(document[0], b'{' | b'[');
            assert!(
                is_one,
                "{0}: keep the document that it makes: FUZZ_DOCUMENT={0}.json TARGET {0}, with TARGET as ./scripts/fuzz built it",
                path.display()
            );
        }
    }
}
