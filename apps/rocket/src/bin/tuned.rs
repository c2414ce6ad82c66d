//! Server under test: Rocket, with the little that its documentation says of speed. `README.md` has the sources.

use contract::Supports;
use rocket::{Config, config::Ident, shield::Shield};
use rocket_app::{launch, routes, with_protocols};

fn main() {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let config = Config {
        ident: Ident::none(),
        ..with_protocols(&settings)
    };
    // An empty shield takes the place of the one that adds three headers to each answer.
    let rocket = rocket::custom(config).attach(Shield::new()).mount("/", routes());
    launch(&settings, rocket);
}
