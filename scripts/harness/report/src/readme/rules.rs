//! The rules of HTTP that servers break: over plain HTTP/1.1, where all have the same, and over TLS and HTTP/2, which not all speak.

use analyze::probes::{self, Subject};
use model::scenario::Protocol;
use model::{AppRecord, Record};

/// What was probed.
#[derive(Debug)]
pub struct Rules<'a> {
    subjects: Vec<Subject<'a>>,
    /// So many rules of HTTP/1.1 apply to a server.
    pub most: usize,
}

fn is_plain(protocol: Protocol) -> bool {
    protocol == Protocol::Http1
}

impl<'a> Rules<'a> {
    pub fn of(probes: &'a Record) -> Self {
        let mut subjects = probes::subjects(probes);
        subjects.retain(|subject| subject.app.not_probed.is_none());
        let most = subjects.iter().map(|subject| subject.must(is_plain).1).max();
        Self {
            most: most.unwrap_or(0),
            subjects,
        }
    }

    fn subject(&self, app: &AppRecord) -> Option<&Subject<'a>> {
        self.subjects.iter().find(|subject| subject.label() == app.label())
    }

    /// `4` of HTTP/1.1; `19 of 81` where fewer could be tried.
    pub fn broken(&self, app: &AppRecord) -> Option<String> {
        let (broken, of) = self.subject(app)?.must(is_plain);
        Some(if of == self.most {
            broken.to_string()
        } else {
            format!("{broken} of {of}")
        })
    }

    /// `0` over TLS and HTTP/2; `None` where it speaks neither.
    pub fn beyond(&self, app: &AppRecord) -> Option<String> {
        let (broken, of) = self.subject(app)?.must(|protocol| !is_plain(protocol));
        (of > 0).then(|| broken.to_string())
    }
}
