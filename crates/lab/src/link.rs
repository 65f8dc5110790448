//! The fragment of an address: a short text, compressed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// The format of links.
pub const FORMAT: u32 = 1;

/// What a fragment of this format begins with.
const PREFIX: &str = "l1.";
const LEVEL: u8 = 9;
/// A text is at most this long.
const MOST_BYTES: usize = 4 << 20;

/// The fragment that holds a text.
pub fn encode(text: &str) -> String {
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(compress_to_vec(text.as_bytes(), LEVEL)))
}

/// The text that a fragment holds; an error says what is wrong with it.
pub fn decode(fragment: &str) -> Result<String, String> {
    let fragment = fragment.trim().trim_start_matches('#');
    let Some(body) = fragment.strip_prefix(PREFIX) else {
        let version = fragment.strip_prefix('l').and_then(|rest| rest.split_once('.')).map(|(version, _)| version);
        return Err(match version.and_then(|version| version.parse::<u32>().ok()) {
            Some(version) => {
                format!(
                    "the link has format {version}, and this page reads format {FORMAT}: it was made by another version"
                )
            }
            None => "this is no link of the lab".to_string(),
        });
    };
    let bytes = URL_SAFE_NO_PAD.decode(body).map_err(|error| format!("the link is damaged: {error}"))?;
    let text =
        decompress_to_vec_with_limit(&bytes, MOST_BYTES).map_err(|error| format!("the link is damaged: {error}"))?;
    String::from_utf8(text).map_err(|_| "the link is damaged: it holds no text".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back() {
        for text in ["", "{\"v\":1}", &"run peterson ".repeat(1000)] {
            let fragment = encode(text);
            assert!(fragment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)), "{fragment}");
            assert_eq!(decode(&fragment).as_deref(), Ok(text));
            assert_eq!(decode(&format!("#{fragment}")).as_deref(), Ok(text));
        }
        assert!(encode(&"run peterson ".repeat(1000)).len() < 200);
    }

    #[test]
    fn what_is_wrong_with_a_link_is_told() {
        let wrong = |fragment: &str| decode(fragment).expect_err(fragment);
        assert!(wrong("l2.abc").contains("format 2"));
        assert!(wrong("hello").contains("no link"));
        assert!(wrong("l1.a!b").contains("damaged"));
        let whole = encode("run peterson -n 8 --seed 3");
        assert!(wrong(&whole[..whole.len() / 2]).contains("damaged"));
    }
}
