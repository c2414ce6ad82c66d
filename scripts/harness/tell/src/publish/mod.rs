//! What is published: records, files derived from them (series, index, badges, feed), a page, and the charts of
//! github-action-benchmark, together on one branch (gh-pages). `docs/published.md` describes each file.
//!
//! Publishing only adds records; the derived files are a pure function of them, and [`rebuild`] restores them in any case.
//! [`prepare`] is a pure function from a tree and additions to the files that change; [`Folder::write`] writes them, all or none. An
//! inconsistent tree is refused, because overwritten files would be lost; [`check()`] examines all of it.

mod additions;
mod badge;
mod changes;
mod check;
mod data_js;
mod derive;
mod feed;
mod figure;
mod index;
mod json;
mod landing;
mod overlay;
mod period;
mod probes;
mod published;
mod rebuild;
mod run;
mod scaling;
mod series;
mod site;
mod tree;
mod words;

use std::io;
use std::path::PathBuf;

pub use additions::{Additions, Files, Prepared, prepare};
pub use check::{CheckedTree, check};
pub use derive::before;
pub use feed::SiteUrl;
pub use index::{INDEX, Index, KindIndex, LaneIndex, Partial};
pub use period::{Month, Year};
pub use published::Published;
pub use rebuild::{Rebuilt, rebuild};
pub use run::{Machine, Run};
pub use scaling::Scaling;
pub use series::{Figures, Runs};
pub use site::read as read_site;
pub use tree::{Folder, Memory, Tree};
pub use words::{Better, MetricWords, Named, VerdictWords, Words};

use record::escape::clean;
use record::store::StoreError;

/// Longest reason for which a file is refused, in characters.
const REASON: usize = 300;

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// A file of the tree is not what it should be.
    #[error("{place} is broken: {reason}; restore it before publishing")]
    Broken {
        /// The file.
        place: String,
        /// What is wrong in it.
        reason: String,
    },
    /// A derived file does not match the records.
    #[error("{place} is broken: {reason}; `bench publish --pages DIR --rebuild` restores it from the records")]
    Derived {
        /// The file.
        place: String,
        /// What is wrong in it.
        reason: String,
    },
    /// A record exists already with other content.
    #[error("{place} exists already with other content, and is not overwritten")]
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
    /// A file is not a record.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The user stopped it.
    #[error("interrupted; no file was changed")]
    Interrupted,
    /// The folder is not what publishing needs.
    #[error("{0}")]
    Unfit(String),
}

impl PublishError {
    /// A file of a tree that is not what it should be.
    fn broken(place: String, reason: &str) -> Self {
        Self::Broken {
            place,
            reason: clean(reason, REASON),
        }
    }

    /// A derived file that is not what it should be.
    fn derived(place: String, reason: &str) -> Self {
        Self::Derived {
            place,
            reason: clean(reason, REASON),
        }
    }
}
