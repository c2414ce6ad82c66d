//! Lines that GitHub Actions takes for commands.

/// Whether this runs under GitHub Actions.
pub fn under_actions() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Text as the data of a workflow command, which must not contain line ends.
pub fn command_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
