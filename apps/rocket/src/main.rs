//! Server under test: Rocket, set up as its guide does it.

use contract::Supports;

fn main() -> std::io::Result<()> {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let rocket = rocket::custom(rocket_app::config(&settings));
    rocket_app::launch(&settings, rocket)
}
