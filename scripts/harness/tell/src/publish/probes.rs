//! Probes as they are published: each document under its id, and what they say together in `data/probes/index.json`.

use std::path::Path;

use super::PublishError;
use super::derive::Given;
use super::json;
use super::overlay::Overlay;
use super::tree::Tree;
use judge::probes::{STORY_VERSION, story, what_breaks};
use record::id_is_after;
use record::probe::{Probes, store};
use record::store::StoreError;

/// The path of what follows from all documents.
pub const STORY: &str = "data/probes/index.json";
/// The path of what the newest whole document says, judged.
pub const BREAKS: &str = "data/probes/breaks.json";

/// Where a document is published.
fn path_of(id: &str) -> String {
    format!("data/probes/{id}.json")
}

/// The id of the document that a path holds. They begin with a digit.
fn id_of(path: &str) -> Option<&str> {
    let id = path.strip_prefix("data/probes/")?.strip_suffix(".json")?;
    (id.starts_with(|c: char| c.is_ascii_digit()) && !id.contains('/')).then_some(id)
}

/// Writes documents; one that is there already must be the same.
pub fn put(tree: &mut Overlay, probes: &[Probes]) -> Result<(), PublishError> {
    for document in probes {
        let (path, text) = (path_of(&document.id), json::text(document));
        match tree.text(&path)? {
            Some(there) if there == text => {}
            Some(_) => {
                return Err(PublishError::Differs {
                    place: tree.place(&path),
                });
            }
            None => tree.put(&path, text.into_bytes())?,
        }
    }
    Ok(())
}

/// Writes what follows from all documents; gives their number. Those of the future are left out, and what is `broken` may end it.
/// Without lockfiles what is there is only read, because the causes of changes follow from these.
pub fn derive(
    tree: &mut Overlay,
    given: Given<'_>,
    left_out: &mut Vec<String>,
    broken: &mut dyn FnMut(PublishError) -> Result<(), PublishError>,
) -> Result<usize, PublishError> {
    let paths: Vec<String> = tree
        .known()
        .iter()
        .filter(|path| id_of(path).is_some())
        .cloned()
        .collect();
    let mut documents = Vec::new();
    for path in &paths {
        match read(tree, path) {
            Ok(document) if id_is_after(&document.id, given.now) => left_out.push(tree.place(path)),
            Ok(document) => documents.push(document),
            Err(error @ PublishError::File { .. }) => return Err(error),
            Err(error) => broken(error)?,
        }
    }
    let count = documents.len();
    documents.retain(|document| document.origin.whole);
    if let Some(newest) = documents.iter().max_by_key(|one| (one.started_at, &one.id)) {
        tree.put(BREAKS, json::text(&what_breaks(newest)).into_bytes())?;
    }
    match (given.lockfiles, tree.text(STORY)?) {
        (Some(lockfiles), _) if !documents.is_empty() => {
            let story = story(&documents, lockfiles);
            tree.put(STORY, json::text(&story).into_bytes())?;
        }
        (None, Some(text)) => {
            let read = json::read::<judge::probes::ProbeStory>(&text, STORY_VERSION);
            if let Err(reason) = read {
                broken(PublishError::derived(tree.place(STORY), &reason))?;
            }
        }
        _ => {}
    }
    Ok(count)
}

fn read(tree: &dyn Tree, path: &str) -> Result<Probes, PublishError> {
    let broken = |reason: &str| PublishError::broken(tree.place(path), reason);
    let text = tree.text(path)?.unwrap_or_default();
    let document = store::parse(Path::new(path), &text).map_err(|error| match error {
        StoreError::Invalid { reason, .. } => broken(&reason),
        other => other.into(),
    })?;
    if Some(document.id.as_str()) == id_of(path) {
        Ok(document)
    } else {
        Err(broken("its name is not its id"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::additions::tests::nothing;
    use super::super::tree::Memory;
    use super::super::{Additions, PublishError, check, prepare, rebuild};
    use super::*;
    use judge::history::NoLockfiles;
    use record::sample;

    fn published() -> Memory {
        let additions = Additions {
            probes: vec![sample::probes()],
            ..nothing()
        };
        Memory(prepare(&Memory::default(), &additions).unwrap().files)
    }

    #[test]
    fn probes_are_published_with_what_follows_and_never_overwritten() {
        let tree = published();
        let text = tree.text(STORY).unwrap().unwrap();
        assert!(
            text.contains("\"20261121T110000Z-2a\"") && text.contains("\"changes\":[]"),
            "{text}"
        );
        check(&tree, nothing().now).unwrap();
        let mut other = sample::probes();
        other.results.pop();
        let additions = Additions {
            probes: vec![other],
            ..nothing()
        };
        let error = prepare(&tree, &additions).unwrap_err();
        assert!(matches!(error, PublishError::Differs { .. }), "{error}");
        let same = Additions {
            probes: vec![sample::probes()],
            ..nothing()
        };
        assert!(prepare(&tree, &same).unwrap().files.is_empty());
    }

    #[test]
    fn what_follows_is_made_again_and_what_is_broken_is_named() {
        let mut tree = published();
        let story = tree.0.remove(STORY).unwrap();
        let rebuilt = rebuild(&tree, None, Some(&NoLockfiles), nothing().now).unwrap();
        assert_eq!(rebuilt.files[STORY], story);
        tree.0.insert(STORY.into(), b"{}".to_vec());
        let error = check(&tree, nothing().now).unwrap_err().to_string();
        assert!(error.contains("data/probes/index.json is broken"), "{error}");
        tree.0
            .insert("data/probes/20261121T110000Z-2b.json".into(), b"{".to_vec());
        let rebuilt = rebuild(&tree, None, Some(&NoLockfiles), nothing().now).unwrap();
        assert_eq!(rebuilt.broken.len(), 1, "{:?}", rebuilt.broken);
        // Of the future: it would be the newest for ever.
        let early = rebuild(&tree, None, Some(&NoLockfiles), "2026-11-20T00:00:00Z".parse().unwrap()).unwrap();
        assert_eq!(early.left_out.len(), 1, "{:?}", early.left_out);
    }
}
