//! Paths of crates without the folders of the machine that compiled them, which a record must not name.

/// Where cargo keeps the sources of registries and of git repositories; after it comes one folder for each of them.
const FOLDERS: [&str; 2] = ["/registry/src/", "/git/checkouts/"];

/// Paths of crates as cargo's registry knows them, `tokio-1.54.1/src/lib.rs`.
pub fn without_folders(words: &str) -> String {
    let short = |word: &str| {
        let rest = FOLDERS.iter().find_map(|folder| Some(word.split_once(folder)?.1));
        match rest {
            Some(rest) => rest.split_once('/').map_or(rest, |(_, path)| path).to_owned(),
            None => word.to_owned(),
        }
    };
    words.split_inclusive(char::is_whitespace).map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_no_folder_of_the_machine_that_compiled_them_and_lines_stay_lines() {
        for (words, short) in [
            (
                "panicked at /home/x/.cargo/registry/src/index.crates.io-1949cf/tokio-1.54.1/src/net.rs:1:2: · gone",
                "panicked at tokio-1.54.1/src/net.rs:1:2: · gone",
            ),
            (
                "no\n  --> /home/x/.cargo/git/checkouts/poem-1f/8c2a/src/lib.rs:1:2\n |",
                "no\n  --> 8c2a/src/lib.rs:1:2\n |",
            ),
            ("panicked at src/main.rs:1:2", "panicked at src/main.rs:1:2"),
        ] {
            assert_eq!(without_folders(words), short);
        }
    }
}
