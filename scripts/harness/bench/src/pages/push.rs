//! Publishing to another machine: a commit on the newest tip, again and again until nobody else was quicker, and a look at
//! what has arrived.
//!
//! Nothing in the checkout moves before all of it has arrived: what is added is read from the local branch and from records,
//! put on the remote's tip in a commit that no branch knows, and pushed. Whatever goes wrong, the local commits are where
//! they were. A push is never forced.

use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::author::{Author, identified};
use super::commit::Commit;
use super::local;
use super::remote::{is_name, is_race, refusal};
use measure::git::{Git, GitError};
use measure::interrupt;
use record::escape::{SENTENCE, clean};
use tell::publish::PublishError;
use tell::publish::additions::{Additions, prepare};
use tell::publish::arrived::missing;
use tell::publish::check::fit;
use tell::report::words::count;

/// How often it is tried. Every round of pushes lets one publisher through, so this is how many there may be at once.
const TRIES: u32 = 12;
/// Longest wait before the second try; before the third it is twice as long, and so on.
const WAIT: Duration = Duration::from_millis(400);
/// How often a wait looks whether the user has asked to stop.
const GLANCE: Duration = Duration::from_millis(20);

/// Why nothing was pushed.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// What is added does not fit, or the checkout, the remote or the branch is not what publishing needs.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// Git did not do it.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The remote does not take it.
    #[error(
        "{remote} refused the push to {branch}: {reason}; nothing was published, and the local branch is as it was"
    )]
    Refused {
        /// Name of the remote.
        remote: String,
        /// Name of the branch.
        branch: String,
        /// What it said.
        reason: String,
    },
    /// Others were quicker each time.
    #[error(
        "others pushed to {branch} of {remote} before each of {tries} tries; nothing was published, and the local branch \
         is as it was: try again"
    )]
    Overtaken {
        /// Name of the remote.
        remote: String,
        /// Name of the branch.
        branch: String,
        /// How often it was tried.
        tries: u32,
    },
}

/// Where it is published.
#[derive(Debug, Clone)]
pub struct Destination {
    /// Name of the remote.
    pub remote: String,
    /// Name of the branch.
    pub branch: String,
    /// Who commits; `None` for whom git is configured to, or the runner.
    pub author: Option<Author>,
}

/// How it went.
#[derive(Debug)]
pub struct Pushed {
    /// The remote's tip, which holds everything unless something is `missing`.
    pub tip: String,
    /// How often it was pushed; 0 if everything was there already.
    pub tries: u32,
    /// Records that are published now or were before.
    pub records: usize,
    /// Entries of charts that are.
    pub entries: usize,
    /// What has not arrived, each with its place.
    pub missing: Vec<String>,
}

/// Publishes `more`, and what the checkout `pages` has that the remote has not.
pub fn push(pages: &Path, destination: &Destination, more: Additions) -> Result<Pushed, PushError> {
    let publisher = Publisher::at(pages, destination)?;
    let first = publisher.tip()?;
    let tree = publisher.published(first.as_deref())?;
    fit(&tree)?;
    let mut additions = publisher.additions(first.as_deref())?;
    additions.extend(more);

    let (mut tip, tries) = publisher.publish(first, &additions)?;
    if tries > 0 {
        // Others may have gone on; nothing of ours may be gone.
        tip = publisher.tip()?.unwrap_or(tip);
    }
    let missing = missing(&publisher.published(Some(&tip))?, &additions)?;
    if missing.is_empty() {
        publisher.follow(&tip)?;
    }
    Ok(Pushed {
        tip,
        tries,
        records: additions.records.len(),
        entries: additions.charts.values().map(|data| data.entries().count()).sum(),
        missing,
    })
}

struct Publisher<'a> {
    git: Git,
    to: &'a Destination,
    /// Tip of the local branch; `None` while it has no commit.
    local: Option<String>,
}

enum Answer {
    Taken,
    Overtaken,
}

impl<'a> Publisher<'a> {
    /// Refuses whatever is no clean checkout of the branch.
    fn at(pages: &Path, to: &'a Destination) -> Result<Self, PushError> {
        let unfit = |told: String| Err(PushError::Publish(PublishError::Unfit(told)));
        for (what, name) in [("remote", &to.remote), ("branch", &to.branch)] {
            if !is_name(name) {
                return unfit(format!("`{}` is no name of a {what}", clean(name, SENTENCE)));
            }
        }
        let (place, branch) = (pages.display(), &to.branch);
        let git = Git::at(pages);
        if !pages.is_dir() || !git.call(&["rev-parse", "--git-dir"])?.success {
            return unfit(format!("{place} is no git checkout; --push needs one of {branch}"));
        }
        let head = git.call(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        let head = String::from_utf8_lossy(&head.stdout).trim().to_owned();
        if head != *branch {
            let head = if head.is_empty() { "no branch" } else { &head };
            return unfit(format!(
                "{place} has {head} checked out, not {branch}; switch it to {branch}"
            ));
        }
        if !git.call(&["remote", "get-url", &to.remote])?.success {
            return unfit(format!("the checkout {place} knows no remote `{}`", to.remote));
        }
        let tracked = git.text(&["status", "--porcelain", "--untracked-files=no"])?;
        let ours = ["data", "charts", "assets", "index.html", "feed.xml", ".nojekyll"];
        let status = [&["status", "--porcelain", "--untracked-files=all", "--"], &ours[..]].concat();
        if !tracked.is_empty() || !git.text(&status)?.is_empty() {
            return unfit(format!(
                "{place} has changes that are not committed; commit or drop them"
            ));
        }
        let local = git.call(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        let local = local
            .success
            .then(|| String::from_utf8_lossy(&local.stdout).trim().to_owned());
        let git = identified(git, to.author.as_ref())?;
        Ok(Self { git, to, local })
    }

    /// The remote's tip, fetched; `None` if it has no such branch.
    fn tip(&self) -> Result<Option<String>, PushError> {
        let branch = format!("refs/heads/{}", self.to.branch);
        if self
            .git
            .text(&["ls-remote", "--", &self.to.remote, &branch])?
            .is_empty()
        {
            return Ok(None);
        }
        // Without a refmap no reference is written but FETCH_HEAD, which is this checkout's own.
        self.git.bytes(&[
            "fetch",
            "--quiet",
            "--no-tags",
            "--refmap=",
            "--",
            &self.to.remote,
            &branch,
        ])?;
        Ok(Some(self.git.text(&[
            "rev-parse",
            "--verify",
            "FETCH_HEAD^{commit}",
        ])?))
    }

    /// The tree of a tip of the remote.
    fn published(&self, tip: Option<&str>) -> Result<Commit<'_>, PushError> {
        let name = format!("{}/{}", self.to.remote, self.to.branch);
        Ok(Commit::read(&self.git, tip, &name)?)
    }

    /// What the local branch has that the remote's has not.
    fn additions(&self, tip: Option<&str>) -> Result<Additions, PushError> {
        let base = self.base(tip)?;
        let local = Commit::read(&self.git, self.local.as_deref(), "the local branch")?;
        let base = Commit::read(&self.git, base.as_deref(), "the branch before")?;
        Ok(local::additions(&local, &base)?)
    }

    /// What both come from. A branch that was begun here and elsewhere at once has nothing of that kind: then all of ours is
    /// an addition. One that was rewritten meanwhile is still known as it was.
    fn base(&self, tip: Option<&str>) -> Result<Option<String>, PushError> {
        let Some(local) = &self.local else {
            return Ok(None);
        };
        let known = format!("refs/remotes/{}/{}", self.to.remote, self.to.branch);
        for other in tip.into_iter().chain([known.as_str()]) {
            let found = self.git.call(&["merge-base", local, other])?;
            if found.success {
                return Ok(Some(String::from_utf8_lossy(&found.stdout).trim().to_owned()));
            }
        }
        Ok(None)
    }

    /// Pushes until it is taken; gives the tip that has everything, and how often it was tried.
    fn publish(&self, mut tip: Option<String>, additions: &Additions) -> Result<(String, u32), PushError> {
        let mut chance = ChaCha8Rng::seed_from_u64(seed());
        for tries in 0..TRIES {
            if tries > 0 {
                rest(chance.random_range(0.2..1.0) * f64::from(tries))?;
                tip = self.tip()?;
            }
            let tree = self.published(tip.as_deref())?;
            let files = prepare(&tree, additions)?;
            if let (true, Some(tip)) = (files.is_empty(), tip.as_ref()) {
                return Ok((tip.clone(), tries));
            }
            let commit = tree.with(&self.git, &files, &message(additions))?;
            match self.push_once(&commit, tip.as_deref())? {
                Answer::Taken => return Ok((commit, tries + 1)),
                Answer::Overtaken => {}
            }
        }
        Err(PushError::Overtaken {
            remote: self.to.remote.clone(),
            branch: self.to.branch.clone(),
            tries: TRIES,
        })
    }

    fn push_once(&self, commit: &str, tip: Option<&str>) -> Result<Answer, PushError> {
        let refspec = format!("{commit}:refs/heads/{}", self.to.branch);
        let told = self
            .git
            .call(&["push", "--quiet", "--porcelain", "--", &self.to.remote, &refspec])?;
        if told.success {
            return Ok(Answer::Taken);
        }
        let refused = refusal(&String::from_utf8_lossy(&told.stdout));
        let Some(reason) = refused else {
            return Err(PushError::Git(GitError::Failed {
                command: "push".into(),
                reason: clean(&told.stderr, SENTENCE),
            }));
        };
        // A race is told in many words, and not all servers have the same; that the tip has moved says it in any of them.
        if is_race(&reason) || self.tip()?.as_deref() != tip {
            return Ok(Answer::Overtaken);
        }
        let said: Vec<&str> = told
            .stderr
            .lines()
            .filter_map(|line| line.strip_prefix("remote:"))
            .collect();
        let said = clean(&said.join(" "), SENTENCE);
        let reason = if said.is_empty() {
            reason
        } else {
            format!("{reason}: {said}")
        };
        Err(PushError::Refused {
            remote: self.to.remote.clone(),
            branch: self.to.branch.clone(),
            reason,
        })
    }

    /// Moves the checkout to what is published. Its own commits are in there.
    fn follow(&self, tip: &str) -> Result<(), PushError> {
        let told = self.git.call(&["reset", "--quiet", "--hard", tip])?;
        if told.success {
            return Ok(());
        }
        Err(PushError::Publish(PublishError::Unfit(format!(
            "everything is published, but the checkout could not be moved to it: {}",
            clean(&told.stderr, SENTENCE)
        ))))
    }
}

fn message(additions: &Additions) -> String {
    let runs: Vec<String> = additions
        .records
        .iter()
        .map(|record| format!("{} ({})", record.record.id, record.lane.name()))
        .collect();
    let entries: Vec<String> = additions
        .charts
        .iter()
        .flat_map(|(path, data)| {
            data.entries()
                .map(move |(suite, entry)| format!("{path}: {suite}, {}", entry.key()))
        })
        .collect();
    let title = match runs.as_slice() {
        [] if entries.is_empty() && !additions.site.is_empty() => "Publish the site".to_owned(),
        [] => format!(
            "Publish {}",
            count(entries.len(), "chart entry").replace("entrys", "entries")
        ),
        [only] => format!("Publish {only}"),
        some => format!("Publish {} runs", some.len()),
    };
    let lines: Vec<String> = runs
        .into_iter()
        .chain(entries)
        .map(|line| format!("- {line}"))
        .collect();
    format!("{title}\n\n{}", lines.join("\n")).trim_end().to_owned()
}

/// Two publishers that began together must not go on together.
fn seed() -> u64 {
    let nanoseconds = Timestamp::now().subsec_nanosecond().unsigned_abs();
    u64::from(nanoseconds) << 32 | u64::from(std::process::id())
}

fn rest(waits: f64) -> Result<(), PushError> {
    let until = Instant::now() + WAIT.mul_f64(waits);
    while Instant::now() < until {
        interrupt::check().map_err(GitError::from)?;
        std::thread::sleep(GLANCE);
    }
    Ok(())
}
