//! What can be started as a server: a program of this machine, alone, with a database or under another program, or an image.

use std::path::Path;
use std::sync::Arc;

use crate::container::{Image, Network};
use crate::database::Database;
use crate::program::Program;
use record::scenario::Scenario;

/// What is started.
#[derive(Debug, Clone, Copy)]
pub enum Launch<'a> {
    /// A program as a process of this machine.
    Program(&'a Program),
    /// The same, with at most that many open files.
    WithFiles(&'a Program, u64),
    /// A program with a database behind it.
    Backed(&'a Program, Backing<'a>),
    /// A program under another, which counts.
    Under {
        /// That other one, which becomes the server's process, and its options.
        wrapper: &'a [String],
        /// The program.
        program: &'a Program,
        /// Where they may make files.
        folder: &'a Path,
        /// The database behind it.
        backing: Option<Backing<'a>>,
    },
    /// An image in a container.
    Contained(&'a Image, Network),
}

/// The database behind a server.
#[derive(Debug, Clone, Copy)]
pub struct Backing<'a> {
    /// The database.
    pub database: &'a Arc<Database>,
    /// Connections that the server may open to it for each of its workers.
    pub connections_per_worker: u32,
}

impl<'a> Backing<'a> {
    /// For a proof, which needs few connections.
    pub fn few(database: &'a Arc<Database>) -> Self {
        Self {
            database,
            connections_per_worker: 2,
        }
    }

    /// As `scenario` wants it; `None` if it needs none, or there is none.
    pub fn wanted_by(scenario: &Scenario, database: Option<&'a Arc<Database>>) -> Option<Self> {
        let (wanted, database) = scenario.database.zip(database)?;
        Some(Self {
            database,
            connections_per_worker: wanted.connections_per_worker,
        })
    }
}

impl<'a> Launch<'a> {
    /// A process of this machine, alone or with a database.
    pub fn native(program: &'a Program, backing: Option<Backing<'a>>) -> Self {
        backing.map_or(Self::Program(program), |backing| Self::Backed(program, backing))
    }

    /// The database behind the server, if it has one.
    pub(super) fn backing(self) -> Option<Backing<'a>> {
        match self {
            Self::Backed(_, backing) => Some(backing),
            Self::Under { backing, .. } => backing,
            Self::Program(_) | Self::WithFiles(..) | Self::Contained(..) => None,
        }
    }
}
