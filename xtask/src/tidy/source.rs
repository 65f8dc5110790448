//! Rust sources without comments and literals.

/// The kind of text to keep of a source; the rest becomes blanks, so that lines and columns stay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// No comments, and strings and characters are empty.
    Code,
    /// No comments.
    CodeAndStrings,
}

/// A source without comments, and without the contents of strings unless they are kept.
pub(super) fn strip(text: &str, keep: Keep) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < characters.len() {
        let (end, shown) = match &characters[at..] {
            ['/', '/', ..] => (end_of_line(&characters, at), false),
            ['/', '*', ..] => (end_of_comment(&characters, at), false),
            ['"', ..] => (end_of_string(&characters, at), keep == Keep::CodeAndStrings),
            ['r', '"' | '#', ..] if starts_raw(&characters, at) => {
                (end_of_raw(&characters, at), keep == Keep::CodeAndStrings)
            }
            ['\'', '\\', ..] => (end_of_escape(&characters, at), keep == Keep::CodeAndStrings),
            ['\'', _, '\'', ..] => (at + 3, keep == Keep::CodeAndStrings),
            _ => (at + 1, true),
        };
        let piece = &characters[at..end.min(characters.len())];
        out.extend(piece.iter().map(|&c| if shown || c == '\n' { c } else { ' ' }));
        at = end;
    }
    out
}

fn end_of_line(text: &[char], at: usize) -> usize {
    text[at..].iter().position(|&c| c == '\n').map_or(text.len(), |length| at + length)
}

/// Comments nest.
fn end_of_comment(text: &[char], at: usize) -> usize {
    let (mut depth, mut at) = (0, at);
    while at < text.len() {
        match &text[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn end_of_string(text: &[char], at: usize) -> usize {
    let mut at = at + 1;
    while at < text.len() {
        match text[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// `r"` or `r#"`, but not the end of a name nor a raw name like `r#type`.
fn starts_raw(text: &[char], at: usize) -> bool {
    let inside_name = at > 0 && is_name(text[at - 1]) && !(text[at - 1] == 'b' && (at < 2 || !is_name(text[at - 2])));
    !inside_name && text[at + 1..].iter().find(|&&c| c != '#') == Some(&'"')
}

fn end_of_raw(text: &[char], at: usize) -> usize {
    let hashes = text[at + 1..].iter().take_while(|&&c| c == '#').count();
    let begin = at + hashes + 2;
    let closes =
        |&quote: &usize| text[quote] == '"' && text[quote + 1..].iter().take_while(|&&c| c == '#').count() >= hashes;
    (begin..text.len()).find(closes).map_or(text.len(), |quote| quote + hashes + 1)
}

fn end_of_escape(text: &[char], at: usize) -> usize {
    // What follows the backslash may be a quote.
    text.iter().skip(at + 3).position(|&c| c == '\'').map_or(text.len(), |length| at + 3 + length + 1)
}

pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The position of a whole word in a text.
pub(super) fn find_word(text: &str, word: &str) -> Option<usize> {
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}

/// The functions of a stripped source: name, first line from 1, number of lines.
pub(super) fn functions(code: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = find_word(&code[from..], "fn").map(|at| at + from) {
        from = at + 2;
        let name: String = code[from..].trim_start().chars().take_while(|&c| is_name(c)).collect();
        let Some(body) = code[from..].find(['{', ';']).map(|body| body + from) else { break };
        if name.is_empty() || code[body..].starts_with(';') {
            continue;
        }
        let mut depth = 0;
        let end = code[body..].char_indices().find(|&(_, c)| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        });
        let end = end.map_or(code.len(), |(length, _)| body + length);
        let first = code[..at].matches('\n').count() + 1;
        found.push((name, first, code[at..end].matches('\n').count() + 1));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_become_blanks() {
        assert_eq!(strip("a // b\nc", Keep::Code), "a     \nc");
        assert_eq!(strip("a /* b /* c */ d */ e", Keep::Code), "a                   e");
        assert_eq!(
            strip(r#"f("x \" y", 'z', '\'', '\u{7f}') // g"#, Keep::Code).trim_end(),
            "f(        ,    ,     ,         )"
        );
        assert_eq!(strip(r#"f("x") // g"#, Keep::CodeAndStrings).trim_end(), r#"f("x")"#);
        let raw = ["r#", "\"a \" b\"", "# + c"].concat();
        assert_eq!(strip(&raw, Keep::Code), "           + c");
    }

    #[test]
    fn lifetimes_and_names_that_end_in_r_are_code() {
        assert_eq!(strip("fn f<'a>(x: &'a str)", Keep::Code), "fn f<'a>(x: &'a str)");
        assert_eq!(strip("for r in x {}", Keep::Code), "for r in x {}");
        assert_eq!(strip("r#type + 1", Keep::Code), "r#type + 1");
    }

    #[test]
    fn words_stand_by_themselves() {
        assert_eq!(find_word("of64 f64x f64", "f64"), Some(10));
        assert_eq!(find_word("of64", "f64"), None);
    }

    #[test]
    fn functions_are_measured() {
        let code = "trait T { fn a(); }\nfn b() {\n  if c { d }\n}\nfn e() {}\n";
        assert_eq!(functions(code), [("b".to_string(), 2, 3), ("e".to_string(), 5, 1)]);
    }
}
