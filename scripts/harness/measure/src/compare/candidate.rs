//! Who is compared.

use analyze::compare::outcome::{App, Series};
use machine::program::Program;
use model::{Role, Services};

/// An app in a variant, built on both sides.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Name of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// What it is for.
    pub role: Role,
    /// The kinds of service work that both sides do, if they keep that part of the contract.
    pub services: Option<Services>,
    /// Programs of base, one for each order of sections; the linker's first.
    pub base: Vec<Program>,
    /// Head's programs, as many.
    pub head: Vec<Program>,
}

impl Candidate {
    /// Whether it is the series' app.
    pub fn has(&self, series: &Series) -> bool {
        (&self.app, &self.variant) == (&series.app, &series.variant)
    }

    /// Whether it is this app.
    pub fn is(&self, app: &App) -> bool {
        (&self.app, &self.variant) == (&app.id, &app.variant)
    }
}
