//! What can be started as a server: a program of this machine, alone, with what its part of the contract needs or under another
//! program, or an image.

use std::path::Path;
use std::sync::Arc;

use crate::container::{Image, Network};
use crate::database::Database;
use machine::program::Program;
use model::Services;
use model::scenario::Scenario;

/// What is started.
#[derive(Debug, Clone, Copy)]
pub enum Launch<'a> {
    /// A program as a process of this machine.
    Program(&'a Program, Needs<'a>),
    /// The same, with at most that many open files.
    WithFiles(&'a Program, u64),
    /// The same, with another number of `WORKERS` than one for each cpu.
    WithWorkers(&'a Program, usize),
    /// A program under another, which counts.
    Under {
        /// That other one, which becomes the server's process, and its options.
        wrapper: &'a [String],
        /// The program.
        program: &'a Program,
        /// Where they may make files.
        folder: &'a Path,
        /// What the program needs besides an address.
        needs: Needs<'a>,
    },
    /// An image in a container.
    Contained(&'a Image, Network),
}

/// What a server needs besides an address, by the part of the contract that it keeps.
#[derive(Debug, Clone, Copy, Default)]
pub enum Needs<'a> {
    /// Nothing: it answers plainly.
    #[default]
    Nothing,
    /// A database, to which the server may open so many connections for each of its workers.
    Database(&'a Arc<Database>, u32),
    /// Service features, of which it registers so many.
    Services {
        /// The kinds of work that it does.
        services: &'a Services,
        /// Routes.
        routes: u32,
        /// Layers of middleware.
        layers: u32,
    },
    /// So many steps of known work, which a control does in each request.
    Work(u32),
}

impl<'a> Needs<'a> {
    /// For a proof of all that a server answers which does these `services`, or has this `database`, or neither.
    pub fn for_proof(services: Option<&'a Services>, database: Option<&'a Arc<Database>>) -> Self {
        // Enough routes for every way to look one up.
        let (routes, layers) = (1000, 5);
        let services = services.map(|services| Self::Services {
            services,
            routes,
            layers,
        });
        let database = database.map(|database| Self::Database(database, 2));
        services.or(database).unwrap_or_default()
    }

    /// As `scenario` wants it; `None` if it wants what is not there.
    pub fn wanted_by(
        scenario: &Scenario,
        services: Option<&'a Services>,
        database: Option<&'a Arc<Database>>,
    ) -> Option<Self> {
        Some(match (scenario.service, scenario.database) {
            (Some(served), _) => Self::Services {
                services: services?,
                routes: served.routes,
                layers: served.layers,
            },
            (None, Some(wanted)) => Self::Database(database?, wanted.connections_per_worker),
            (None, None) => Self::Nothing,
        })
    }
}

impl<'a> Launch<'a> {
    /// A program that answers plainly.
    pub fn alone(program: &'a Program) -> Self {
        Self::Program(program, Needs::Nothing)
    }

    /// What the program needs besides an address.
    pub(super) fn needs(self) -> Needs<'a> {
        match self {
            Self::Program(_, needs) | Self::Under { needs, .. } => needs,
            _ => Needs::Nothing,
        }
    }

    /// `WORKERS`, if it is not one for each cpu.
    pub(super) fn workers(self) -> Option<usize> {
        match self {
            Self::WithWorkers(_, workers) => Some(workers),
            _ => None,
        }
    }
}
