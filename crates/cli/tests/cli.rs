//! What the commands print, word for word. `TRYCMD=overwrite cargo test --test cli` takes over what they print now.

#[test]
fn commands_print_what_they_are_known_to_print() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").case("../../README.md");
}
