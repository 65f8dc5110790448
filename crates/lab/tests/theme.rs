//! The page has the colours of the pictures: `cargo xtask lab` writes them.

use std::path::Path;

use ringleader::picture::theme::style_sheet;

#[test]
fn the_page_has_the_colours_of_the_pictures() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/theme.css");
    if std::env::var_os("WRITE_THEME").is_some() {
        std::fs::write(&path, style_sheet()).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).expect("the page has a style sheet for its colours");
    assert_eq!(written, style_sheet(), "run `cargo xtask lab`");
}
