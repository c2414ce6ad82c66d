//! The published runs of a lane, known by their heads. Few are whole in memory at a time, however many there are.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use analyze::analysis::{MOST_SESSIONS, Session, Sessions, nearest, summary_among};
use analyze::forecast::{self, Forecast};
use analyze::reading::{self, Head};
use anyhow::Context;
use jiff::Timestamp;
use model::{Lane, Record, store};

use model::store::sha256;

/// Most whole records in memory: a run's sessions after it come next.
const WHOLE: usize = MOST_SESSIONS + 4;
/// Most sessions in memory: those of some machines, before a run and after it.
const SESSIONS: usize = 8 * MOST_SESSIONS;

/// One of them.
pub struct Known {
    place: usize,
    pub head: Head,
    /// The hash of its file.
    hash: String,
}

impl AsRef<Record> for Known {
    fn as_ref(&self) -> &Record {
        &self.head.record
    }
}

/// All of them, the oldest first.
pub struct LaneRuns<'a> {
    program: &'a str,
    pub runs: Vec<Known>,
    /// Records of the future, which are not among them.
    pub left_out: Vec<PathBuf>,
    whole: VecDeque<(usize, Record)>,
    sessions: BTreeMap<usize, Rc<Session>>,
}

impl<'a> LaneRuns<'a> {
    /// Those below `folder`, for the program with this hash.
    pub fn of(folder: &Path, lane: Lane, now: Timestamp, program: &'a str) -> anyhow::Result<Self> {
        let (mut runs, mut left_out) = (Vec::new(), Vec::new());
        for path in store::of_lane(folder, lane) {
            let head = Head::of(&path)?;
            if head.record.is_after(now) {
                left_out.push(path);
                continue;
            }
            let content = fs::read(&path).with_context(|| path.display().to_string())?;
            runs.push(Known {
                place: runs.len(),
                head,
                hash: sha256([&*content]),
            });
        }
        Ok(Self {
            program,
            runs,
            left_out,
            whole: VecDeque::new(),
            sessions: BTreeMap::new(),
        })
    }

    /// The sessions that say something of a run.
    pub fn around(&self, place: usize) -> Vec<usize> {
        let around = nearest(self.runs[place].as_ref(), &self.runs);
        around.into_iter().map(|run| run.place).collect()
    }

    /// The hash of what these runs are, and of the program.
    pub fn hash(&self, places: impl IntoIterator<Item = usize>) -> String {
        let hashes = places.into_iter().map(|place| self.runs[place].hash.as_bytes());
        sha256([self.program.as_bytes()].into_iter().chain(hashes))
    }

    /// A run with its trials, and with a summary that need not know other sessions. It belongs to the caller, who [puts it
    /// back](Self::put_back).
    pub fn take(&mut self, place: usize) -> anyhow::Result<Record> {
        let read = self.whole.iter().position(|(known, _)| *known == place);
        if let Some((_, record)) = read.and_then(|at| self.whole.remove(at)) {
            return Ok(record);
        }
        let mut record = reading::read_unjudged(&self.runs[place].head.path)?;
        record.summary = summary_among(&record, &Sessions::default());
        Ok(record)
    }

    pub fn put_back(&mut self, place: usize, record: Record) {
        if self.whole.len() == WHOLE {
            self.whole.pop_front();
        }
        self.whole.push_back((place, record));
    }

    pub fn sessions(&mut self, places: &[usize]) -> anyhow::Result<Sessions> {
        let session = |place: &usize| {
            if let Some(known) = self.sessions.get(place) {
                return Ok(known.clone());
            }
            let record = self.take(*place)?;
            let session = Rc::new(Session::of(&record));
            self.put_back(*place, record);
            if self.sessions.len() == SESSIONS {
                self.sessions.pop_first();
            }
            self.sessions.insert(*place, session.clone());
            Ok(session)
        };
        places.iter().map(session).collect()
    }

    /// From what a run is forecast, the best first, each with the sessions that it knew of.
    pub fn forecasters(&self, to: usize) -> Vec<(usize, Vec<usize>)> {
        let earlier = &self.runs[..to];
        let known = |from: &Known| {
            let known = forecast::known(from.as_ref(), earlier).into_iter();
            (from.place, known.map(|run| run.place).collect())
        };
        let forecasters = nearest(self.runs[to].as_ref(), earlier).into_iter().rev();
        forecasters.map(known).collect()
    }

    /// How a run was forecast by the first of these that shares figures with it.
    pub fn forecast(&mut self, to: usize, forecasters: &[(usize, Vec<usize>)]) -> anyhow::Result<Option<Forecast>> {
        for (from, known) in forecasters {
            let known = self.sessions(known)?;
            let (one, other) = (self.take(*from)?, self.take(to)?);
            let forecast = forecast::forecast(&one, &known, &other);
            self.put_back(*from, one);
            self.put_back(to, other);
            if forecast.is_some() {
                return Ok(forecast);
            }
        }
        Ok(None)
    }
}
