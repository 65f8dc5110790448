//! The output of the commands, word for word. `TRYCMD=overwrite cargo test --test cli` records it again.

#[test]
fn commands_print_what_they_are_known_to_print() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

/// In a terminal of 80 columns.
#[test]
fn the_readme_shows_what_commands_print() {
    trycmd::TestCases::new().env("COLUMNS", "80").case("../../README.md");
}
