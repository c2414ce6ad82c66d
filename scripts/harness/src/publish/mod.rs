//! What is published: records, an index of them, a landing page, and the charts of github-action-benchmark, together on one
//! branch (gh-pages).
//!
//! ```text
//! index.html  .nojekyll  data/index.json  data/<lane>/<run id>.json  charts/<lane>/{index.html,data.js}
//! ```
//!
//! Publishing only ever adds. [`prepare`] is a pure function from a tree and what is to be added to the files that change;
//! [`write()`] puts them into a folder, and [`push()`] into a commit on another machine, again and again until nobody else was
//! quicker. A tree that cannot be read whole is refused ([`check()`]), for whatever is written over it is lost.

mod additions;
mod arrived;
mod author;
mod check;
mod commit;
mod data_js;
mod index;
mod landing;
mod local;
mod push;
mod remote;
mod tree;

use std::io;
use std::path::PathBuf;

pub use additions::{Additions, Files, Published, prepare, write};
pub use author::Author;
pub use check::{Checked, check};
pub use data_js::{DataJs, Entry, Key};
pub use index::{INDEX, Index, Machine, Run};
pub use push::{Destination, Pushed, push};
pub use tree::{Folder, Tree};

use crate::git::GitError;
use crate::report::escape::clean;
use crate::store::StoreError;

/// Longest reason for which a file is refused, in characters.
const REASON: usize = 300;

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// A file of the tree is not what it should be.
    #[error("{place} is broken: {reason}; restore it before anything is published")]
    Broken {
        /// The file.
        place: String,
        /// What is wrong in it.
        reason: String,
    },
    /// A record is there already and says something else.
    #[error("{place} is there already with other content, and is not overwritten")]
    Differs {
        /// The file.
        place: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// A record is none.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Git did not do it.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The checkout, the remote or the branch is not what publishing needs.
    #[error("{0}")]
    Unfit(String),
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

impl PublishError {
    /// A file of a tree that is not what it should be.
    fn broken(place: String, reason: &str) -> Self {
        Self::Broken {
            place,
            reason: clean(reason, REASON),
        }
    }
}
