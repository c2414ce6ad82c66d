//! Who commits what is published.

use measure::git::{Git, GitError};

/// Who commits where git knows nobody: the runner itself.
const RUNNER: (&str, &str) = (
    "github-actions[bot]",
    "41898282+github-actions[bot]@users.noreply.github.com",
);

/// Who commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// Name.
    pub name: String,
    /// Address.
    pub email: String,
}

impl std::str::FromStr for Author {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('<').and_then(|(name, rest)| {
            let email = rest.strip_suffix('>')?;
            let plain = |part: &str| !part.is_empty() && !part.contains(['<', '>', '\n', '\0']);
            let name = name.trim();
            (plain(name) && plain(email)).then(|| Self {
                name: name.to_owned(),
                email: email.to_owned(),
            })
        });
        parts.ok_or_else(|| "write it as `Name <address>`".to_owned())
    }
}

/// Git with somebody to commit as.
pub fn identified(git: Git, author: Option<&Author>) -> Result<Git, GitError> {
    let (name, email) = if let Some(author) = author {
        (author.name.as_str(), author.email.as_str())
    } else {
        // Without this setting git makes up a name from that of the machine.
        let known = |which| git.call(&["-c", "user.useConfigOnly=true", "var", which]);
        if known("GIT_AUTHOR_IDENT")?.success && known("GIT_COMMITTER_IDENT")?.success {
            return Ok(git);
        }
        RUNNER
    };
    Ok(git
        .with("GIT_AUTHOR_NAME", name)
        .with("GIT_AUTHOR_EMAIL", email)
        .with("GIT_COMMITTER_NAME", name)
        .with("GIT_COMMITTER_EMAIL", email))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_is_a_name_and_an_address() {
        let author: Author = "Ann Example <ann@example.org>".parse().unwrap();
        assert_eq!(
            (author.name.as_str(), author.email.as_str()),
            ("Ann Example", "ann@example.org")
        );
        for bad in ["", "Ann", "<ann@example.org>", "Ann <>", "Ann <a> b", "Ann <a\n>"] {
            assert!(bad.parse::<Author>().is_err(), "{bad}");
        }
    }
}
