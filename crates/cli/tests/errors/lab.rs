//! The lab: what it does not show, ports that it cannot have, and traces that cannot be exported.

use super::*;

#[test]
fn what_the_lab_cannot_show_is_refused() {
    all_refused_by(
        "lab",
        "nonsense                     | 'nonsense' is no run and no file | run chang-roberts -n 8
         run                          | names no protocol
         run nobody                   | unknown protocol 'nobody'
         run lelann -n 3 --picture x  | --picture is no option of a run
         run lelann -n 0              | -n
         run lelann -n 2000001        | n is 2,000,001, too many for a browser | up to 2,000,000
         check peterson -n 3          | the lab shows runs, and a check is many | check … --open
         worst peterson -n 3          | --open
         run lelann -n 3 --port 70000 | --port is 70000 | 0 to 65535
         run lelann --port            | --port has no value
         --port 70000                 | --port is 70000 | 0 to 65535
         --port -1                    | --port is -1
         --port x                     | --port is x",
    );
    let place = Workplace::new();
    place.write("notes.txt", "my notes");
    for (line, code, said) in [
        ("lab missing.json", ENVIRONMENT, "missing.json: cannot be read: "),
        ("lab replay missing.json", ENVIRONMENT, "missing.json: cannot be read: "),
        ("lab .", ENVIRONMENT, ".: cannot be read: "),
        ("lab notes.txt", USAGE, "notes.txt: "),
        ("export notes.txt --html page.html", USAGE, "notes.txt: "),
        ("export run lelann", USAGE, "it is not said what is to be written"),
        ("export missing.json --html page.html", ENVIRONMENT, "missing.json: cannot be read: "),
    ] {
        expect(&place.call(&words(line)), &words(line), code, &["error: ", said, "\nallowed: "]);
    }
    let quoted = ["lab", "run lelann 'n"];
    expect(&place.call(&quoted), &quoted, USAGE, &["error: a quotation mark ' is not closed", "\nallowed: "]);
    assert_eq!(place.listing(), ["notes.txt"]);
}

#[test]
fn a_port_that_is_taken_is_the_machines_fault() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let said = format!("error: --port is {port}, which another program uses");
    refused(
        &["lab", "--no-open", "--port", &port],
        ENVIRONMENT,
        &[&said, "\nallowed: a free port above 1023, or no --port"],
    );
}

/// A trace that says something else than what happens is not exported.
#[test]
fn a_trace_that_cannot_be_followed_is_not_exported() {
    let place = Workplace::new();
    assert_eq!(place.call(&words("run chang-roberts -n 4 --d 1..9 --trace run.json")).code, 0);
    let text = place.read("run.json");
    let (head, digest) = text.split_once("\"trace\":\"").expect("a digest");
    place.write("other.json", format!("{head}\"trace\":\"{:x<16}{}", "0", &digest[16..]));
    for name in ["other.json", "cut.json"] {
        place.write("cut.json", &text[..text.len() / 2]);
        let line = format!("export {name} --html page.html");
        expect(&place.call(&words(&line)), &words(&line), USAGE, &["error: ", name, "\nallowed: "]);
    }
    assert_eq!(place.listing(), ["cut.json", "other.json", "run.json"]);
}

/// What the lab cannot do is found out before anything is run.
#[test]
fn open_is_refused_where_there_is_no_run() {
    refused(&words("run lelann -n 3000000 --open"), USAGE, &["n is 3,000,000, too many for a browser", "\nallowed: "]);
    refused(&words("check itai-rodeh -n 2 --probability --open"), USAGE, &["--open", "cannot be used with"]);
}
