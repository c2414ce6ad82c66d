//! The site: built files at the root, which replace the landing page.

use std::fs;
use std::path::Path;

use super::PublishError;
use super::additions::Files;
use super::feed::FEED;
use super::landing::LANDING;
use super::tree::FOLDERS;
use record::store;

/// Distinguishes our site from a foreign page.
const MARK: &str = r#"<meta name="generator" content="bench site">"#;
/// Names at the root that GitHub Pages, or a crawler, takes for an order: the domain, the page of errors, what may be read. Those
/// that begin with `.` (`.nojekyll`, `.well-known`) or `_` (`_config.yml`) are orders everywhere.
const MEANT_FOR_PAGES: [&str; 5] = ["cname", "404.html", "robots.txt", "security.txt", "sitemap.xml"];
/// Most files of a site.
const MOST_FILES: usize = 200;
/// Largest file of a site, in bytes.
const LARGEST: u64 = 5 << 20;
/// Deepest nesting of its folders.
const DEEPEST: usize = 8;

/// Whether a page belongs to our site.
pub fn is_ours(page: &str) -> bool {
    page.contains(MARK)
}

/// Reads a built site: plain files with plain names, and a page of ours among them.
pub fn read(folder: &Path) -> Result<Files, PublishError> {
    let mut files = Files::new();
    collect(folder, "", DEEPEST, &mut files)?;
    let page = files.get(LANDING).and_then(|page| str::from_utf8(page).ok());
    if page.is_none_or(|page| !is_ours(page)) {
        return Err(unfit(
            folder,
            &format!("its {LANDING} has no {MARK}; build scripts/dashboard and give its dist/"),
        ));
    }
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, depth: usize, files: &mut Files) -> Result<(), PublishError> {
    let failed = |error| PublishError::File {
        path: folder.to_owned(),
        error,
    };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let name = entry.file_name().into_string().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
            return Err(unfit(
                &path,
                "the name of a file of a site has only A-Z a-z 0-9 . _ - and does not begin with a dot",
            ));
        }
        if prefix.is_empty() && (FOLDERS.contains(&name.as_str()) || name == FEED) {
            return Err(unfit(
                &path,
                "that is where results are published, which a site must not use",
            ));
        }
        // With another name in capitals it is the same file on some systems.
        if prefix.is_empty() && MEANT_FOR_PAGES.contains(&name.to_ascii_lowercase().as_str()) || name.starts_with('_') {
            return Err(unfit(
                &path,
                "a file of that name decides what GitHub Pages serves and where, which is not for a site to do",
            ));
        }
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() && depth > 0 {
            collect(&path, &format!("{prefix}{name}/"), depth - 1, files)?;
        } else if kind.is_file() {
            let content = store::read_bytes(&path, LARGEST).map_err(|error| PublishError::File { path, error })?;
            files.insert(format!("{prefix}{name}"), content);
        } else {
            return Err(unfit(
                &path,
                "a site has plain files and no links, in at most 8 nested folders",
            ));
        }
        if files.len() > MOST_FILES {
            return Err(unfit(folder, &format!("a site has at most {MOST_FILES} files")));
        }
    }
    Ok(())
}

fn unfit(path: &Path, reason: &str) -> PublishError {
    PublishError::Unfit(format!("{}: {reason}", path.display()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A site on disk.
    pub fn site(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let page = format!("<!doctype html>{MARK}<p>The site</p>");
        for (path, content) in [("index.html", page.as_str())].iter().chain(files) {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        folder
    }

    #[test]
    fn a_site_is_its_files() {
        let folder = site(&[("assets/main-1a.js", "code"), ("icon.svg", "<svg/>")]);
        let files = read(folder.path()).unwrap();
        assert_eq!(
            files.keys().collect::<Vec<_>>(),
            ["assets/main-1a.js", "icon.svg", "index.html"]
        );
    }

    #[test]
    fn what_is_no_site_of_ours_is_refused() {
        for (files, told) in [
            ([("index.html", "<h1>Mine</h1>")], "bench site"),
            ([("data/index.json", "{}")], "where results are published"),
            ([("feed.xml", "")], "where results are published"),
            ([(".htaccess", "")], "does not begin with a dot"),
            ([("a b.js", "")], "has only A-Z"),
            ([("a\u{1b}[31m.js", "")], "has only A-Z"),
            ([("CNAME", "evil.example")], "decides what GitHub Pages serves"),
            ([("cname", "evil.example")], "decides what GitHub Pages serves"),
            ([(".nojekyll", "")], "does not begin with a dot"),
            ([("_config.yml", "")], "decides what GitHub Pages serves"),
            ([("assets/_headers", "")], "decides what GitHub Pages serves"),
            ([("robots.txt", "")], "decides what GitHub Pages serves"),
            ([("404.html", "")], "decides what GitHub Pages serves"),
        ] {
            let error = read(site(&files).path()).unwrap_err().to_string();
            assert!(error.contains(told), "{told}: {error}");
        }
        let folder = site(&[]);
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("assets")).unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains("no links"));
        let folder = site(&[]);
        for number in 0..MOST_FILES {
            fs::write(folder.path().join(format!("{number}.js")), "").unwrap();
        }
        assert!(
            read(folder.path())
                .unwrap_err()
                .to_string()
                .contains("at most 200 files")
        );
        let folder = site(&[]);
        fs::write(
            folder.path().join("large.js"),
            vec![b' '; usize::try_from(LARGEST).unwrap() + 1],
        )
        .unwrap();
        assert!(read(folder.path()).is_err());
    }
}
