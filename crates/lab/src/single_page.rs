//! The page as one file that works offline: styles, modules and engine inside of it, and a policy that allows nothing else.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;

use crate::page::{CONTENT_SECURITY_POLICY, ENGINE, ENTRY, Embedded, INDEX, PAGE, text};
use crate::sha256::sha256;

/// One file that shows a run, from a folder or as an attachment, without a server and without a network.
pub fn single_page(embedded: &Embedded) -> String {
    let engine = PAGE.iter().find(|asset| asset.path == ENGINE).map(|asset| BASE64_STANDARD.encode(asset.bytes));
    let document = text(INDEX).expect("the page has a document");
    joined(document, &Embedded::element(Some(embedded), engine), &text).expect("a test joins the page's own files")
}

/// A document with all that it refers to inside of it, and this element before its script.
fn joined(document: &str, element: &str, text: &dyn Fn(&str) -> Option<&'static str>) -> Result<String, String> {
    let script = bundle(ENTRY, text)?;
    let mut page = String::new();
    for line in document.lines() {
        let part = match line.trim() {
            // The policy of files from a server becomes one for what is in the document.
            meta if meta.starts_with("<meta") && meta.contains(CONTENT_SECURITY_POLICY) => {
                meta.replace(CONTENT_SECURITY_POLICY, &policy(UNPACK))
            }
            link if link.starts_with("<link") && link.contains("\"stylesheet\"") => {
                let path = attribute(link, "href").ok_or("a stylesheet without href")?;
                let style = text(path).ok_or_else(|| format!("there is no {path}"))?;
                closes(style, "</style")?;
                format!("<style>\n{style}</style>")
            }
            link if link.starts_with("<script") && attribute(link, "src") == Some(ENTRY) => {
                let packed = BASE64_STANDARD.encode(compress_to_vec_zlib(script.as_bytes(), 9));
                format!(
                    "{element}\n<script type=\"text/plain\" id=\"lab-script\">{packed}</script>\n\
                     <script type=\"module\">{UNPACK}</script>"
                )
            }
            _ => line.to_string(),
        };
        page.push_str(&part);
        page.push('\n');
    }
    Ok(page)
}

/// Unpacks the script of a document and runs it: packed, it has a quarter of its size.
const UNPACK: &str = r#"
if (typeof DecompressionStream === "undefined") {
  document.body.textContent = "This browser cannot unpack the page. Use Chromium 80, Firefox 113, Safari 16.4 or later.";
}
const packed = Uint8Array.from(atob(document.getElementById("lab-script").textContent), (character) => character.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
const script = await new Response(unpacked).text();
await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
"#;

/// Refuses a text that would end the element around it.
fn closes(text: &str, end: &str) -> Result<(), String> {
    if text.to_ascii_lowercase().contains(end) { Err(format!("a file of the page contains {end}")) } else { Ok(()) }
}

/// Allows the script of a document, what it unpacks, its engine, the styles and pictures in it, and a worker made of it.
fn policy(script: &str) -> String {
    let digest = BASE64_STANDARD.encode(sha256(script.as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{digest}' blob: 'wasm-unsafe-eval'; style-src 'unsafe-inline'; \
         img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'"
    )
}

/// The value of an attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    element.split_once(&format!("{name}=\""))?.1.split_once('"').map(|(value, _)| value)
}

/// Modules as one script. Each is a function that returns its exports, so that their own names do not meet; the one that begins
/// comes last and is none, since it may await.
fn bundle(entry: &str, text: &dyn Fn(&str) -> Option<&'static str>) -> Result<String, String> {
    let mut bundle = Bundle { text, done: Vec::new(), open: Vec::new(), script: String::new() };
    let module = bundle.module(entry)?;
    bundle.script.push_str(&module.body);
    Ok(bundle.script)
}

struct Bundle<'a> {
    text: &'a dyn Fn(&str) -> Option<&'static str>,
    /// Modules that are in the script.
    done: Vec<String>,
    /// Modules whose imports are being joined.
    open: Vec<String>,
    script: String,
}

/// A module without its imports and exports.
struct JoinedModule {
    body: String,
    exports: Vec<String>,
}

impl Bundle<'_> {
    /// Joins what a module imports, and then translates the module itself, line by line.
    fn module(&mut self, path: &str) -> Result<JoinedModule, String> {
        let text = (self.text)(path).ok_or_else(|| format!("there is no {path}"))?;
        self.open.push(path.to_string());
        let mut module = JoinedModule { body: String::new(), exports: Vec::new() };
        let mut documented = false;
        for line in text.lines() {
            // Comments would be a fifth of the script.
            let comment = line.trim_start();
            // One with code behind it stays.
            documented |= comment.starts_with("/*") && comment.find("*/").is_none_or(|end| end + 2 == comment.len());
            if documented || comment.starts_with("//") {
                documented &= !comment.ends_with("*/");
                continue;
            }
            let wrong = || format!("{path}: cannot be joined: {line}");
            if let Some(import) = line.strip_prefix("import ") {
                let (names, from) = import_of(import).ok_or_else(wrong)?;
                self.join(from).map_err(|error| format!("{error}, which {path} imports"))?;
                if !names.is_empty() {
                    module.body.push_str(&format!("const {{ {names} }} = {};", variable(from)));
                }
            } else if let Some(export) = line.strip_prefix("export ") {
                let (names, rest) = export_of(export).ok_or_else(wrong)?;
                module.exports.extend(names);
                module.body.push_str(rest);
            } else {
                module.body.push_str(line);
            }
            module.body.push('\n');
        }
        self.open.pop();
        Ok(module)
    }

    /// Adds a module to the script, after what it imports.
    fn join(&mut self, path: &str) -> Result<(), String> {
        if self.open.iter().any(|open| open == path) {
            return Err(format!("{path} imports itself"));
        }
        if self.done.iter().any(|done| done == path) {
            return Ok(());
        }
        let JoinedModule { body, exports } = self.module(path)?;
        let (name, exports) = (variable(path), exports.join(", "));
        self.script.push_str(&format!("const {name} = (() => {{\n{body}return {{ {exports} }};\n}})();\n"));
        self.done.push(path.to_string());
        Ok(())
    }
}

/// The variable that holds the exports of a module.
fn variable(path: &str) -> String {
    format!("module_{}", path.replace(|character: char| !character.is_ascii_alphanumeric(), "_"))
}

/// The names of `{ a, b as c } from "./x.js";` as a pattern, and the module.
fn import_of(import: &str) -> Option<(String, &str)> {
    let module = |quoted: &'_ str| -> Option<usize> {
        (quoted.starts_with("\"./") && quoted.ends_with("\";")).then_some(quoted.len() - 2)
    };
    if let Some(end) = module(import) {
        return Some((String::new(), &import[3..end]));
    }
    let (names, from) = import.strip_prefix("{ ")?.split_once(" } from ")?;
    Some((names.replace(" as ", ": "), &from[3..module(from)?]))
}

/// The names that `const a = …`, `class A …`, `function a(…) …` or `{ a, b as c };` exports, and what stays of the line.
fn export_of(export: &str) -> Option<(Vec<String>, &str)> {
    if let Some(list) = export.strip_prefix("{ ") {
        let named =
            |name: &str| name.split_once(" as ").map_or(name.to_string(), |(own, name)| format!("{name}: {own}"));
        return Some((list.strip_suffix(" };")?.split(", ").map(named).collect(), ""));
    }
    let kinds = ["const ", "class ", "function ", "async function "];
    let name = kinds.iter().find_map(|kind| export.strip_prefix(kind))?;
    let end = name.find(|character: char| !character.is_ascii_alphanumeric() && character != '_')?;
    (end > 0).then(|| (vec![name[..end].to_string()], export))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Opened, is_page};

    const FILES: [(&str, &str); 5] = [
        ("lab.js", "import { A, b as c } from \"./a.js\";\nimport \"./d.js\";\nawait c(A);\n"),
        ("a.js", "import { e } from \"./e.js\";\nexport class A {}\nconst own = e;\nexport async function b() {}\n"),
        (
            "d.js",
            "/**\n * One.\n */\n/** @type {number} */ const own = 1; // 1\n// It is exported.\nexport { own as f };\n",
        ),
        ("e.js", "export const e = 1;\n"),
        ("a.css", "p { color: red }\n"),
    ];

    fn file(path: &str) -> Option<&'static str> {
        FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
    }

    #[test]
    fn modules_become_functions_in_the_order_of_their_imports() {
        let script = bundle("lab.js", &file).expect("they can be joined");
        let expected = "const module_e_js = (() => {\nconst e = 1;\nreturn { e };\n})();\n\
                        const module_a_js = (() => {\nconst { e } = module_e_js;\nclass A {}\nconst own = e;\n\
                        async function b() {}\nreturn { A, b };\n})();\n\
                        const module_d_js = (() => {\n/** @type {number} */ const own = 1; // 1\n\nreturn { f: own };\n})();\n\
                        const { A, b: c } = module_a_js;\n\nawait c(A);\n";
        assert_eq!(script, expected);
    }

    #[test]
    fn what_cannot_be_joined_is_refused() {
        let refused = |lab: &'static str| {
            let files = move |path: &str| if path == "lab.js" { Some(lab) } else { file(path) };
            bundle("lab.js", &files).expect_err(lab)
        };
        for line in [
            "import a from \"./a.js\";",
            "import * as a from \"./a.js\";",
            "import { A } from \"https://example.org/a.js\";",
            "import { A } from \"./a.js\"",
            "export default A;",
            "export * from \"./a.js\";",
            "export { A } from \"./a.js\";",
            "export let a = 1;",
            "export const { a } = b;",
        ] {
            let why = refused(line);
            assert_eq!(why, format!("lab.js: cannot be joined: {line}"));
        }
        assert_eq!(refused("import { z } from \"./z.js\";"), "there is no z.js, which lab.js imports");
        assert_eq!(refused("import { b } from \"./lab.js\";"), "lab.js imports itself, which lab.js imports");
    }

    #[test]
    fn a_document_holds_all_that_it_refers_to() {
        let document = format!(
            "<!doctype html>\n<meta http-equiv=\"Content-Security-Policy\" content=\"{CONTENT_SECURITY_POLICY}\">\n\
             <link rel=\"stylesheet\" href=\"a.css\">\n<script type=\"module\" src=\"lab.js\"></script>\n<p>text</p>\n"
        );
        let page = joined(&document, "<script id=\"data\"></script>", &file).expect("it can be joined");
        let digest = BASE64_STANDARD.encode(sha256(UNPACK.as_bytes()));
        let (before, rest) = page.split_once("id=\"lab-script\">").expect("it has a script");
        let (packed, after) = rest.split_once("</script>").expect("it ends");
        let packed = BASE64_STANDARD.decode(packed).expect("it is base64");
        let script = miniz_oxide::inflate::decompress_to_vec_zlib(&packed).expect("it is packed");
        assert_eq!(String::from_utf8(script).unwrap(), bundle("lab.js", &file).unwrap());
        let expected = format!(
            "<!doctype html>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src \
             'sha256-{digest}' blob: 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; \
             base-uri 'none'; form-action 'none'\">\n<style>\np {{ color: red }}\n</style>\n\
             <script id=\"data\"></script>\n<script type=\"text/plain\" "
        );
        assert_eq!(before, expected);
        assert_eq!(after, format!("\n<script type=\"module\">{UNPACK}</script>\n<p>text</p>\n"));
    }

    #[test]
    fn a_file_that_would_end_its_element_is_refused() {
        assert!(closes("const a = \"</SCRIPT>\";", "</script").is_err());
        assert!(closes("const a = \"<script>\";", "</script").is_ok());
    }

    /// What is left after this refers to nothing outside of the file.
    #[test]
    fn the_page_fits_into_one_file() {
        let embedded = Embedded { opened: Opened::Line("ringleader run lelann -n 3".to_string()), at_violation: false };
        let page = single_page(&embedded);
        assert!(is_page(&page));
        assert!(page.len() < 1_500_000, "{} bytes", page.len());
        assert!(!page.contains("unsafe-eval'; style-src 'self'"), "the policy is that of a server");
        for reference in ["rel=\"stylesheet\"", "src=\"lab", "src=\"./", "@import", "connect-src"] {
            assert!(!page.contains(reference), "{reference}");
        }
    }
}
