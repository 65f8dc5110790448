//! What a reader would notice about a page: texts on top of each other, and glyphs that are missing.

use conformance::chromium::Chromium;

/// Every text that is shown, with the boxes that it fills.
const TEXTS: &str = "(() => {
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest('title, desc, style, head, details:not([open]) > :not(summary)')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = parent.tagName === 'text' ? [parent.getBoundingClientRect()] : [...range.getClientRects()];
    for (const box of boxes) {
      if (box.width > 0 && box.height > 0) found.push({ text: node.data.trim(), left: box.left, top: box.top,
        right: box.right, bottom: box.bottom, font: getComputedStyle(parent).fontFamily });
    }
  }
  return found;
})()";

/// Whether the page, or the paper of a figure that is alone, is dark.
pub const BACKGROUND_IS_DARK: &str = "(() => {
  const paper = document.querySelector('svg > rect') ?? document.body;
  const style = getComputedStyle(document.body ?? paper);
  const colour = document.body ? style.backgroundColor : getComputedStyle(paper).fill;
  const parts = colour.match(/[0-9.]+/g).map(Number);
  return parts.length < 4 && parts[0] + parts[1] + parts[2] < 3 * 128;
})()";

/// The number of texts that are shown.
pub fn texts(browser: &mut Chromium) -> usize {
    browser.evaluate(&format!("{TEXTS}.length")).as_u64().unwrap_or_default() as usize
}

fn strings(browser: &mut Chromium, expression: &str) -> Vec<String> {
    serde_json::from_value(browser.evaluate(expression)).expect("it is a list of texts")
}

/// Pairs of texts whose boxes overlap by more than a pixel in both directions.
pub fn overlapping_texts(browser: &mut Chromium) -> Vec<String> {
    let expression = format!(
        "(() => {{
          const texts = {TEXTS}.sort((a, b) => a.top - b.top);
          const found = [];
          for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {{
            const a = texts[i], b = texts[j];
            if (b.top > a.bottom) break;
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (wide > 1 && high > 1.5) found.push(a.text + ' / ' + b.text);
          }}
          return found;
        }})()"
    );
    strings(browser, &expression)
}

/// Characters that are drawn as a character that no font has.
pub fn missing_glyphs(browser: &mut Chromium) -> Vec<String> {
    let expression = format!(
        "(() => {{
          const texts = {TEXTS};
          const canvas = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas');
          [canvas.width, canvas.height] = [64, 64];
          const context = canvas.getContext('2d', {{ willReadFrequently: true }});
          const drawn = (character, font) => {{
            context.clearRect(0, 0, 64, 64);
            context.font = '32px ' + font;
            context.fillText(character, 8, 44);
            return context.getImageData(0, 0, 64, 64).data.join();
          }};
          const found = new Set(), known = new Set(), nothing = new Map();
          for (const {{ text, font }} of texts) {{
            if (!nothing.has(font)) nothing.set(font, [drawn('\\u{{10fffc}}', font), drawn('\\uffff', font)]);
            for (const character of text) {{
              if (/\\s/.test(character) || known.has(font + character)) continue;
              known.add(font + character);
              if (nothing.get(font).includes(drawn(character, font))) found.add(character);
            }}
          }}
          return [...found];
        }})()"
    );
    strings(browser, &expression)
}
