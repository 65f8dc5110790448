//! The committed module behaves as the library does: it is run here, by an interpreter, without a browser.

use std::path::Path;

use miniz_oxide::inflate::decompress_to_vec;
use ringleader_lab::Lab;
use serde_json::{Value, json};
use wasmi::{Engine, Instance, Linker, Memory, Module, Store, TypedFunc};

const ADVICE: &str = "the module is stale: run `cargo xtask lab`";

/// The module in an interpreter, with its functions.
struct Interpreted {
    store: Store<()>,
    memory: Memory,
    alloc: TypedFunc<u32, u32>,
    request: TypedFunc<(u32, u32), u32>,
    frame: TypedFunc<u32, u32>,
}

/// The committed module, unpacked.
fn module() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("lab.wasm.gz");
    let packed = std::fs::read(path).expect("the module is committed");
    // The header of gzip without a name has 10 bytes, what follows the data 8.
    decompress_to_vec(&packed[10..packed.len() - 8]).expect("it is packed by gzip")
}

impl Interpreted {
    fn new() -> Self {
        let engine = Engine::default();
        let module = Module::new(&engine, module()).expect("it is a module");
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new(&engine);
        linker.func_wrap("lab", "now", || 0.0f64).expect("it is imported once");
        let instance: Instance = linker.instantiate_and_start(&mut store, &module).expect("it needs nothing else");
        let version = instance.get_typed_func::<(), u32>(&store, "lab_version").expect("it is exported");
        assert_eq!(version.call(&mut store, ()).expect("it returns"), 1);
        Self {
            memory: instance.get_memory(&store, "memory").expect("it is exported"),
            alloc: instance.get_typed_func(&store, "lab_alloc").expect("it is exported"),
            request: instance.get_typed_func(&store, "lab_request").expect("it is exported"),
            frame: instance.get_typed_func(&store, "lab_frame").expect("it is exported"),
            store,
        }
    }

    fn request(&mut self, request: &Value) -> String {
        let text = request.to_string();
        let length = text.len() as u32;
        let at = self.alloc.call(&mut self.store, length).expect("there is room");
        self.memory.write(&mut self.store, at as usize, text.as_bytes()).expect("it was allocated");
        let answer = self.request.call(&mut self.store, (at, length)).expect("nothing panics");
        String::from_utf8(self.kept(answer)).expect("an answer is text")
    }

    fn frame(&mut self, session: u32) -> Vec<u8> {
        let at = self.frame.call(&mut self.store, session).expect("nothing panics");
        self.kept(at)
    }

    /// What lies at an address, behind its length.
    fn kept(&self, at: u32) -> Vec<u8> {
        let data = &self.memory.data(&self.store)[at as usize..];
        let length = u32::from_le_bytes(data[..4].try_into().expect("four bytes"));
        data[4..4 + length as usize].to_vec()
    }
}

/// The parts of both answers to a request, which must be equal; all of it if no parts are named. What only explains (rules,
/// help, notes) may be older in the module.
#[track_caller]
fn same(module: &mut Interpreted, native: &mut Lab, request: &Value, parts: &[&str]) -> Value {
    let texts = [module.request(request), native.request(&request.to_string())];
    let [module, native] = texts.map(|text| serde_json::from_str::<Value>(&text).expect("an answer is JSON"));
    for part in if parts.is_empty() { &[""] } else { parts } {
        let (one, other) = (module.pointer(part), native.pointer(part));
        assert!(one == other, "{request}: {part}\n{}\n{ADVICE}", difference(one, other));
    }
    native
}

/// Where two values differ, with what is around.
fn difference(one: Option<&Value>, other: Option<&Value>) -> String {
    let [one, other] = [one, other].map(|value| value.map_or(String::new(), ToString::to_string));
    let at = one.bytes().zip(other.bytes()).position(|(one, other)| one != other).unwrap_or(one.len().min(other.len()));
    let around = |text: &str| {
        let bytes = &text.as_bytes()[at.saturating_sub(80)..(at + 80).min(text.len())];
        String::from_utf8_lossy(bytes).into_owned()
    };
    format!("module: …{}…\nnative: …{}…", around(&one), around(&other))
}

#[test]
fn every_protocol_runs_as_in_the_library() {
    let (mut module, mut native) = (Interpreted::new(), Lab::default());
    let lines = ringleader::catalogue().iter().flat_map(|entry| {
        let load = if entry.implied(&[]).expect("there are no settings").visited { " --entries 2" } else { "" };
        ["", " --seed 7 --set rules=printed"].map(|more| format!("run {} -n 5{load}{more}", entry.name()))
    });
    // The table by phase counts the identities in messages, here of the only delay.
    for line in lines.chain(["run franklin --ids 3,1,4,2,7,5 --intervene 1:delay:2".to_string()]) {
        let open = json!({ "op": "open", "line": line });
        let opened = same(&mut module, &mut native, &open, &["/ok/position", "/ok/session", "/ok/run/line"]);
        let Some(session) = opened["ok"]["session"].as_u64() else { continue };
        let ahead = json!({ "op": "ahead", "session": session, "budget": 100_000 });
        let ahead = same(&mut module, &mut native, &ahead, &[]);
        let moves = ahead["ok"]["moves"].as_u64().unwrap_or_else(|| panic!("{line}: {ahead}"));
        for to in [moves / 2, moves / 2 + 9, moves / 2, moves] {
            let parts = ["/ok/digest", "/ok/messages", "/ok/step/text", "/ok/violations"];
            let go = json!({ "op": "go", "session": session, "to": { "move": to } });
            same(&mut module, &mut native, &go, &parts);
            assert!(module.frame(session as u32) == native.frame(session as u32), "{line}\n{ADVICE}");
        }
        same(&mut module, &mut native, &json!({ "op": "messages", "session": session }), &[]);
        same(&mut module, &mut native, &json!({ "op": "trace", "session": session }), &[]);
        let report = ["/ok/outcome", "/ok/cost", "/ok/scenario", "/ok/trace", "/ok/rerun"];
        same(&mut module, &mut native, &json!({ "op": "report", "session": session }), &report);
        let rail = ["/ok/measured", "/ok/lamps", "/ok/phases"];
        same(&mut module, &mut native, &json!({ "op": "rail", "session": session }), &rail);
        same(&mut module, &mut native, &json!({ "op": "close", "session": session }), &[]);
    }
}

/// The names of all protocols, of their parameters, and of all options.
fn names(catalogue: &Value) -> Vec<&str> {
    let protocols = catalogue["ok"]["protocols"].as_array().expect("a list");
    let parameters = protocols.iter().flat_map(|protocol| protocol["parameters"].as_array()).flatten();
    let options = catalogue["ok"]["options"].as_array().expect("a list");
    let named = protocols.iter().chain(parameters).chain(options);
    named.map(|one| one["name"].as_str().expect("a name")).collect()
}

#[test]
fn what_there_is_to_open_and_to_check_is_the_same() {
    let (mut module, mut native) = (Interpreted::new(), Lab::default());
    let request = json!({ "op": "catalogue" });
    let texts = [module.request(&request), native.request(&request.to_string())];
    let [one, other] = texts.map(|text| serde_json::from_str::<Value>(&text).expect("an answer is JSON"));
    assert_eq!(names(&one), names(&other), "{ADVICE}");
    same(&mut module, &mut native, &json!({ "op": "open", "line": "run petersen" }), &["/error/message"]);
    for line in ["check peterson -n 2", "check spirakis-tampakas-mutex -n 2 --r 1 --d 1 --set c1=1 --set printed=sleep"]
    {
        let check = same(&mut module, &mut native, &json!({ "op": "check", "line": line }), &[])["ok"]["check"].take();
        let request = json!({ "op": "check-step", "check": check, "seconds": 9 });
        // How many states are met before a violation depends on the width of a word.
        let step = same(&mut module, &mut native, &request, &["/ok/verdict", "/ok/text", "/ok/counterexample"]);
        assert_eq!(step["ok"]["done"], true, "{step}");
    }
}

#[test]
fn the_module_names_no_path_of_its_builder() {
    let text = String::from_utf8_lossy(&module()).into_owned();
    let home = std::env::var("HOME").ok().filter(|home| home.len() > 1).map(|home| home + "/");
    for path in home.as_deref().into_iter().chain([env!("CARGO_MANIFEST_DIR"), ".cargo/registry"]) {
        assert!(!text.contains(path), "{path}");
    }
}
