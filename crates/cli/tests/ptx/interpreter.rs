//! Runs PTX, one thread after another: the instructions that occur in the committed kernels, and no others.
//!
//! It is stricter than a GPU. An access outside of a thread's frame, of the constants or of the tallies is a panic, and so is
//! one that is not aligned; registers and frames begin with garbage.

use std::collections::BTreeMap;

/// Where constants, tallies and frames are.
const CONSTANTS: u64 = 1 << 40;
const TALLIES: u64 = 2 << 40;
const FRAMES: u64 = 3 << 40;
/// Bytes for the frames of a thread.
const STACK: usize = 1 << 14;
const GARBAGE: u8 = 0xa5;
/// More instructions of a thread than this mean that it does not end.
const MOST_STEPS: u64 = 1 << 33;

/// A module: functions by name, and constants.
pub(crate) struct PtxModule {
    functions: Vec<PtxFunction>,
    names: BTreeMap<String, usize>,
    constants: Vec<u8>,
}

struct PtxFunction {
    /// Registers in which the arguments come.
    parameters: Vec<u32>,
    frame: usize,
    registers: usize,
    result: Option<u32>,
    code: Vec<PtxInstruction>,
}

#[derive(Clone, Copy, Debug)]
enum PtxOperand {
    Register(u32),
    Constant(u64),
    /// The address of this thread's frame.
    Frame,
    Special(usize),
}

/// The registers %tid.x, %ntid.x, %ctaid.x and %nctaid.x.
const SPECIAL: [&str; 4] = ["%tid.x", "%ntid.x", "%ctaid.x", "%nctaid.x"];

#[derive(Debug)]
struct PtxInstruction {
    /// A predicate, and whether it must be false.
    guard: Option<(u32, bool)>,
    operation: Operation,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Binary {
    Add,
    Sub,
    Mul,
    MulHigh,
    MulWide,
    Div,
    Rem,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Of 32 bits with a sign.
    SignedLt,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unary {
    Move,
    Not,
    Negate,
    LeadingZeros,
    Ones,
    UpperHalf,
}

#[derive(Debug)]
enum Operation {
    Unary(Unary, u32, u32, PtxOperand),
    Binary(Binary, u32, u32, [PtxOperand; 2]),
    /// Multiplies and adds.
    Multiply(u32, u32, [PtxOperand; 3]),
    Select(u32, [PtxOperand; 3]),
    Extract(u32, [PtxOperand; 3]),
    Permute(u32, [PtxOperand; 3]),
    Pack(u32, [PtxOperand; 2]),
    /// Bytes of each, destinations, address.
    Load(u32, Vec<u32>, PtxOperand, u64),
    Store(u32, Vec<PtxOperand>, PtxOperand, u64),
    /// Adds, or raises; 64 bits.
    Atomic(Binary, u32, PtxOperand, u64, PtxOperand),
    Jump(usize),
    JumpTable(PtxOperand, Vec<usize>),
    Call(usize, Vec<u32>, Option<u32>),
    Return,
    Trap,
}

/// Statements with their labels, as they stand in a function.
struct Body<'a> {
    statements: Vec<&'a str>,
    labels: BTreeMap<&'a str, usize>,
    tables: BTreeMap<&'a str, Vec<&'a str>>,
    frame: usize,
}

impl PtxModule {
    pub(crate) fn parse(text: &str) -> Self {
        let mut module = Self { functions: Vec::new(), names: BTreeMap::new(), constants: Vec::new() };
        let mut constants = BTreeMap::new();
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect();
        let mut bodies = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at];
            at += 1;
            if line.starts_with(".global") {
                let (name, values) = constant(line);
                module.constants.resize(module.constants.len().next_multiple_of(16), 0);
                constants.insert(name, CONSTANTS + module.constants.len() as u64);
                module.constants.extend(values);
            } else if line.starts_with(".func") || line.starts_with(".visible .entry") {
                let from = at - 1;
                while !lines[at - 1].ends_with(';') && lines[at - 1] != "{" {
                    at += 1;
                }
                let head = lines[from..at - 1].join(" ");
                if lines[at - 1] != "{" {
                    // A declaration: the definition follows.
                    continue;
                }
                let end = at + lines[at..].iter().position(|line| *line == "}" && !line.contains("callseq")).unwrap();
                let end = matching(&lines, at, end);
                bodies.push((head, at..end));
                at = end + 1;
            }
        }
        for (head, _) in &bodies {
            let number = module.names.len();
            module.names.insert(name_of(head).to_string(), number);
        }
        for (head, range) in bodies {
            let function = FunctionParser::new(&module.names, &constants).parse(&head, &lines[range]);
            module.functions.push(function);
        }
        module
    }

    /// The names of all functions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Runs one thread of a kernel. `position` is its number in its block, the size of a block, the number of the block and how
    /// many there are. Arguments of the value `None` are the address of the tallies.
    pub(crate) fn run(&self, entry: &str, position: [u64; 4], arguments: &[Option<u64>], tallies: &mut [u64]) {
        let arguments: Vec<u64> = arguments.iter().map(|argument| argument.unwrap_or(TALLIES)).collect();
        let mut thread =
            PtxThread { module: self, position, tallies, stack: vec![GARBAGE; STACK], top: 0, steps: MOST_STEPS };
        thread.call(self.names[entry], &arguments);
    }
}

/// Blocks inside of a function surround calls: the end of the function is the brace after all of them.
fn matching(lines: &[&str], from: usize, mut end: usize) -> usize {
    loop {
        let opened = lines[from..end].iter().filter(|line| **line == "{").count();
        let closed = lines[from..end].iter().filter(|line| **line == "}").count();
        if opened == closed {
            return end;
        }
        end += 1 + lines[end + 1..].iter().position(|line| *line == "}").expect("every brace is closed");
    }
}

/// The name of a function, after its result if it has one.
fn name_of(head: &str) -> &str {
    let rest = head.trim_start_matches(".visible .entry").trim_start_matches(".func").trim();
    let rest = if rest.starts_with('(') { rest.split_once(')').unwrap().1.trim() } else { rest };
    rest.split(['(', ' ']).next().unwrap()
}

/// `.global .align 4 .b8 name[512] = {0, 1};`
fn constant(line: &str) -> (&str, Vec<u8>) {
    let (declared, values) = line.split_once('=').unwrap_or((line, ""));
    let declared = declared.trim().trim_end_matches(';');
    assert!(declared.contains(" .b8 "), "constants are bytes: {line}");
    let (name, size) = declared.rsplit(' ').next().unwrap().split_once('[').unwrap();
    let size: usize = size.trim_end_matches(']').parse().unwrap();
    let values = values.trim().trim_matches(['{', '}', ';']);
    let mut bytes: Vec<u8> =
        values.split(',').filter(|value| !value.trim().is_empty()).map(|value| value.trim().parse().unwrap()).collect();
    bytes.resize(size, 0);
    (name, bytes)
}

struct FunctionParser<'a> {
    functions: &'a BTreeMap<String, usize>,
    constants: &'a BTreeMap<&'a str, u64>,
    registers: BTreeMap<String, u32>,
}

impl<'a> FunctionParser<'a> {
    fn new(functions: &'a BTreeMap<String, usize>, constants: &'a BTreeMap<&'a str, u64>) -> Self {
        Self { functions, constants, registers: BTreeMap::new() }
    }

    fn parse(mut self, head: &str, lines: &[&str]) -> PtxFunction {
        let words: Vec<&str> = head.split(|c: char| !c.is_alphanumeric() && !"_$.%".contains(c)).collect();
        let name = name_of(head);
        let prefix = format!("{name}_param_");
        let parameters =
            words.iter().filter(|word| word.starts_with(&prefix)).map(|word| self.register(word)).collect();
        let body = Body::new(lines);
        let code = body.statements.iter().map(|statement| self.instruction(statement, &body)).collect();
        let result = self.registers.get("func_retval0").copied();
        PtxFunction { parameters, frame: body.frame, registers: self.registers.len(), result, code }
    }

    fn register(&mut self, name: &str) -> u32 {
        let next = self.registers.len() as u32;
        *self.registers.entry(name.to_string()).or_insert(next)
    }

    fn operand(&mut self, text: &str) -> PtxOperand {
        let text = text.trim();
        if let Some(special) = SPECIAL.iter().position(|name| *name == text) {
            return PtxOperand::Special(special);
        }
        if text.starts_with("__local_depot") {
            return PtxOperand::Frame;
        }
        if let Some(&address) = self.constants.get(text) {
            return PtxOperand::Constant(address);
        }
        if text.starts_with('%') || text.starts_with("param") || text.starts_with("retval") || text.contains("_param_")
        {
            return PtxOperand::Register(self.register(text));
        }
        if let Some(hexadecimal) = text.strip_prefix("0x") {
            return PtxOperand::Constant(u64::from_str_radix(hexadecimal.trim_end_matches('U'), 16).unwrap());
        }
        let number: i128 = text.parse().unwrap_or_else(|_| panic!("no operand: {text}"));
        PtxOperand::Constant(number as u64)
    }

    /// `[%rd1+8]`
    fn address(&mut self, text: &str) -> (PtxOperand, u64) {
        let inside = text.trim().trim_start_matches('[').trim_end_matches(']');
        let (base, offset) = inside.split_once('+').unwrap_or((inside, "0"));
        (self.operand(base), offset.parse::<i64>().unwrap() as u64)
    }

    fn instruction(&mut self, statement: &str, body: &Body<'_>) -> PtxInstruction {
        let (guard, rest) = match statement.strip_prefix('@') {
            None => (None, statement),
            Some(guarded) => {
                let (predicate, rest) = guarded.split_once(char::is_whitespace).unwrap();
                let name = predicate.trim_start_matches('!');
                (Some((self.register(name), predicate.starts_with('!'))), rest.trim())
            }
        };
        let (opcode, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        PtxInstruction { guard, operation: self.operation(opcode, &arguments(rest), body) }
    }

    fn operation(&mut self, opcode: &str, given: &[&str], body: &Body<'_>) -> Operation {
        let mut parts: Vec<&str> = opcode.split('.').collect();
        let name = parts.remove(0);
        let bits = match parts.last() {
            Some(&"pred") => 1,
            Some(kind) => kind.trim_start_matches(char::is_alphabetic).parse().unwrap_or(0),
            None => 0,
        };
        let signed = parts.iter().any(|part| ["s16", "s32", "s64"].contains(part));
        let wide = parts.first() == Some(&"wide");
        let unary = |own: &mut Self, what| Operation::Unary(what, bits, own.register(given[0]), own.operand(given[1]));
        let three = |own: &mut Self| [1, 2, 3].map(|at| own.operand(given[at]));
        match name {
            "mov" if given[0].starts_with('{') => {
                // Of two halves only the upper one is used.
                let (_, upper) = given[0].trim_matches(['{', '}']).split_once(',').unwrap();
                Operation::Unary(Unary::UpperHalf, 64, self.register(upper.trim()), self.operand(given[1]))
            }
            "mov" if given[1].starts_with('{') => {
                let (lower, upper) = given[1].trim_matches(['{', '}']).split_once(',').unwrap();
                Operation::Pack(self.register(given[0]), [self.operand(lower), self.operand(upper)])
            }
            "mov" | "cvta" => unary(self, Unary::Move),
            "cvt" => {
                let width = |kind: &str| kind[1..].parse::<u32>().unwrap();
                assert!(!signed, "{opcode}: only unsigned numbers are converted");
                let narrow = width(parts[0]).min(width(parts[1]));
                Operation::Unary(Unary::Move, narrow, self.register(given[0]), self.operand(given[1]))
            }
            "not" => unary(self, Unary::Not),
            "neg" => unary(self, Unary::Negate),
            "clz" => unary(self, Unary::LeadingZeros),
            "popc" => unary(self, Unary::Ones),
            "selp" => Operation::Select(self.register(given[0]), three(self)),
            "bfe" if parts == ["u32"] => Operation::Extract(self.register(given[0]), three(self)),
            "prmt" if parts == ["b32"] => Operation::Permute(self.register(given[0]), three(self)),
            "mad" if parts[0] == "lo" => Operation::Multiply(bits, self.register(given[0]), three(self)),
            "ld" | "st" => self.access(name == "ld", bits, &parts, given),
            "atom" => {
                let (base, offset) = self.address(given[1]);
                let what = if parts.contains(&"add") { Binary::Add } else { Binary::Max };
                assert!(bits == 64 && !signed && (what == Binary::Add || parts.contains(&"max")), "{opcode}");
                Operation::Atomic(what, self.register(given[0]), base, offset, self.operand(given[2]))
            }
            "bra" => Operation::Jump(body.labels[given[0]]),
            "brx" => {
                let labels = body.tables[given[1]].iter().map(|label| body.labels[label]).collect();
                Operation::JumpTable(self.operand(given[0]), labels)
            }
            "call" => self.call(given),
            "ret" | "exit" => Operation::Return,
            "trap" => Operation::Trap,
            _ => {
                let what = binary(name, &parts, signed).unwrap_or_else(|| panic!("no instruction: {opcode}"));
                let bits = if wide { 32 } else { bits };
                Operation::Binary(what, bits, self.register(given[0]), [1, 2].map(|at| self.operand(given[at])))
            }
        }
    }

    /// `ld.local.v2.b32 {%r1, %r2}, [%rd1+8]`, and stores likewise. Parameters are registers.
    fn access(&mut self, load: bool, bits: u32, parts: &[&str], given: &[&str]) -> Operation {
        let (values, address) = if load { (given[0], given[1]) } else { (given[1], given[0]) };
        if parts[0] == "param" {
            let parameter = address.trim_matches(['[', ']']);
            let (to, from) = if load { (values, parameter) } else { (parameter, values) };
            let to = self.register(to);
            let from = if load { PtxOperand::Register(self.register(from)) } else { self.operand(from) };
            return Operation::Unary(Unary::Move, bits, to, from);
        }
        let kind = parts.last().unwrap();
        assert!(kind.starts_with(['b', 'u']) || bits == 64, "a {kind} would need its sign");
        let values: Vec<&str> = values.trim_matches(['{', '}']).split(',').map(str::trim).collect();
        let (base, offset) = self.address(address);
        match load {
            true => Operation::Load(bits / 8, values.iter().map(|name| self.register(name)).collect(), base, offset),
            false => Operation::Store(bits / 8, values.iter().map(|value| self.operand(value)).collect(), base, offset),
        }
    }

    /// `call.uni (retval0), name, (param0, param1)`
    fn call(&mut self, given: &[&str]) -> Operation {
        let list = |text: &str| -> Vec<String> {
            let names = text.trim_matches(['(', ')']).split(',').map(|name| name.trim().to_string());
            names.filter(|name| !name.is_empty()).collect()
        };
        let (result, rest) = match given[0].starts_with('(') {
            true => (list(given[0]).pop(), &given[1..]),
            false => (None, given),
        };
        let names = rest.get(1).map_or(Vec::new(), |text| list(text));
        let arguments = names.iter().map(|name| self.register(name)).collect();
        Operation::Call(self.functions[rest[0]], arguments, result.map(|name| self.register(&name)))
    }
}

fn binary(name: &str, parts: &[&str], signed: bool) -> Option<Binary> {
    Some(match (name, parts[0]) {
        ("add", _) => Binary::Add,
        ("sub", _) => Binary::Sub,
        ("mul", "lo") => Binary::Mul,
        ("mul", "hi") if !signed => Binary::MulHigh,
        ("mul", "wide") if !signed => Binary::MulWide,
        ("and", _) => Binary::And,
        ("or", _) => Binary::Or,
        ("xor", _) => Binary::Xor,
        ("shl", _) => Binary::ShiftLeft,
        ("setp", "eq") if parts.len() == 2 => Binary::Eq,
        ("setp", "ne") if parts.len() == 2 => Binary::Ne,
        ("setp", "lt") if parts == ["lt", "s32"] => Binary::SignedLt,
        // The rest depends on signs.
        _ if signed => return None,
        ("shr", _) => Binary::ShiftRight,
        ("div", _) => Binary::Div,
        ("rem", _) => Binary::Rem,
        ("min", _) => Binary::Min,
        ("max", _) => Binary::Max,
        ("setp", "lt") if parts.len() == 2 => Binary::Lt,
        ("setp", "le") if parts.len() == 2 => Binary::Le,
        ("setp", "gt") if parts.len() == 2 => Binary::Gt,
        ("setp", "ge") if parts.len() == 2 => Binary::Ge,
        _ => return None,
    })
}

/// Arguments, separated by commas outside of brackets.
fn arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

impl<'a> Body<'a> {
    fn new(lines: &[&'a str]) -> Self {
        let mut body = Self { statements: Vec::new(), labels: BTreeMap::new(), tables: BTreeMap::new(), frame: 0 };
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at];
            at += 1;
            if let Some((name, _)) = line.split_once(": .branchtargets") {
                let mut targets = Vec::new();
                while !lines[at - 1].ends_with(';') {
                    targets.push(lines[at].trim_end_matches([',', ';']));
                    at += 1;
                }
                body.tables.insert(name, targets);
            } else if let Some(label) = line.strip_suffix(':') {
                body.labels.insert(label, body.statements.len());
            } else if line.starts_with(".local") {
                let size = line.rsplit('[').next().unwrap().trim_end_matches(['\u{5d}', ';']);
                body.frame = size.parse::<usize>().unwrap().next_multiple_of(16);
            } else if let Some(inside) = line.strip_prefix("{ .reg .b32 tmp;") {
                body.statements.push(inside.trim().trim_end_matches('}').trim().trim_end_matches(';'));
            } else if !line.starts_with('.') && line != "{" && line != "}" {
                assert!(line.ends_with(';'), "a statement on several lines: {line}");
                body.statements.extend(line.split(';').map(str::trim).filter(|statement| !statement.is_empty()));
            }
        }
        body
    }
}

struct PtxThread<'a> {
    module: &'a PtxModule,
    position: [u64; 4],
    tallies: &'a mut [u64],
    stack: Vec<u8>,
    top: usize,
    steps: u64,
}

fn masked(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

impl PtxThread<'_> {
    fn call(&mut self, function: usize, arguments: &[u64]) -> Option<u64> {
        let function = &self.module.functions[function];
        let mut registers = vec![u64::from_ne_bytes([GARBAGE; 8]); function.registers];
        for (&parameter, &argument) in function.parameters.iter().zip(arguments) {
            registers[parameter as usize] = argument;
        }
        let frame = self.top;
        self.top += function.frame;
        assert!(self.top <= STACK, "the frames are larger than {STACK} bytes");
        let mut next = 0;
        loop {
            let PtxInstruction { guard, operation } = &function.code[next];
            next += 1;
            self.steps = self.steps.checked_sub(1).expect("a thread that ends");
            if guard.is_some_and(|(predicate, negated)| (registers[predicate as usize] & 1 == 1) == negated) {
                continue;
            }
            let get = |operand: PtxOperand| match operand {
                PtxOperand::Register(register) => registers[register as usize],
                PtxOperand::Constant(value) => value,
                PtxOperand::Frame => FRAMES + frame as u64,
                PtxOperand::Special(special) => self.position[special],
            };
            match operation {
                Operation::Unary(what, bits, to, of) => registers[*to as usize] = unary(*what, *bits, get(*of)),
                Operation::Binary(what, bits, to, [one, other]) => {
                    registers[*to as usize] = compute(*what, *bits, get(*one), get(*other));
                }
                Operation::Multiply(bits, to, of) => {
                    let [one, other, sum] = of.map(get);
                    registers[*to as usize] = masked(one.wrapping_mul(other).wrapping_add(sum), *bits);
                }
                Operation::Select(to, of) => {
                    let [one, other, predicate] = of.map(get);
                    registers[*to as usize] = if predicate & 1 == 1 { one } else { other };
                }
                Operation::Extract(to, of) => {
                    let [value, from, length] = of.map(get);
                    registers[*to as usize] = masked(masked(value, 32) >> from.min(63), length as u32);
                }
                Operation::Permute(to, of) => registers[*to as usize] = permute(of.map(get)),
                Operation::Pack(to, of) => {
                    let [lower, upper] = of.map(get);
                    registers[*to as usize] = masked(lower, 32) | upper << 32;
                }
                Operation::Load(size, to, base, offset) => {
                    let address = get(*base).wrapping_add(*offset);
                    self.align(address, *size as usize * to.len());
                    for (&to, position) in to.iter().zip(0..) {
                        registers[to as usize] = self.load(address + position * u64::from(*size), *size as usize);
                    }
                }
                Operation::Store(size, of, base, offset) => {
                    let address = get(*base).wrapping_add(*offset);
                    let values: Vec<u64> = of.iter().map(|operand| get(*operand)).collect();
                    self.align(address, *size as usize * of.len());
                    for (&value, position) in values.iter().zip(0..) {
                        self.store(address + position * u64::from(*size), *size as usize, value);
                    }
                }
                Operation::Atomic(what, to, base, offset, of) => {
                    let (address, value) = (get(*base).wrapping_add(*offset), get(*of));
                    self.align(address, 8);
                    let old = self.load(address, 8);
                    self.store(address, 8, compute(*what, 64, old, value));
                    registers[*to as usize] = old;
                }
                Operation::Jump(to) => next = *to,
                Operation::JumpTable(index, targets) => next = targets[get(*index) as usize],
                Operation::Call(called, arguments, result) => {
                    let arguments: Vec<u64> = arguments.iter().map(|&register| registers[register as usize]).collect();
                    let answer = self.call(*called, &arguments);
                    if let (Some(to), Some(answer)) = (result, answer) {
                        registers[*to as usize] = answer;
                    }
                }
                Operation::Return => {
                    self.top = frame;
                    return function.result.map(|register| registers[register as usize]);
                }
                Operation::Trap => panic!("the kernel traps"),
            }
        }
    }

    fn align(&self, address: u64, size: usize) {
        assert!(address.is_multiple_of(size as u64), "{size} bytes at {address:x} are not aligned");
    }

    fn load(&self, address: u64, size: usize) -> u64 {
        let offset = (address & ((1 << 40) - 1)) as usize;
        let bytes = match address >> 40 {
            1 => &self.module.constants[offset..offset + size],
            2 => {
                assert_eq!(size, 8, "tallies are words");
                return self.tallies[offset / 8];
            }
            3 => &self.stack[..self.top][offset..offset + size],
            _ => panic!("nothing is at {address:x}"),
        };
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    fn store(&mut self, address: u64, size: usize, value: u64) {
        let offset = (address & ((1 << 40) - 1)) as usize;
        match address >> 40 {
            2 => {
                assert_eq!(size, 8, "tallies are words");
                self.tallies[offset / 8] = value;
            }
            3 => self.stack[..self.top][offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]),
            _ => panic!("nothing can be stored at {address:x}"),
        }
    }
}

fn unary(what: Unary, bits: u32, of: u64) -> u64 {
    match what {
        Unary::Move => masked(of, bits),
        Unary::Not => masked(!of, bits),
        Unary::Negate => masked(of.wrapping_neg(), bits),
        Unary::LeadingZeros => u64::from(masked(of, bits).leading_zeros() + bits - 64),
        Unary::Ones => masked(of, bits).count_ones().into(),
        Unary::UpperHalf => of >> 32,
    }
}

fn compute(what: Binary, bits: u32, one: u64, other: u64) -> u64 {
    // How far is shifted has 32 bits, whatever is shifted.
    let by = masked(other, 32);
    let (one, other) = (masked(one, bits), masked(other, bits));
    let value = match what {
        Binary::Add => one.wrapping_add(other),
        Binary::Sub => one.wrapping_sub(other),
        Binary::Mul => one.wrapping_mul(other),
        Binary::MulHigh => ((u128::from(one) * u128::from(other)) >> bits) as u64,
        Binary::MulWide => return one * other,
        Binary::Div => one / other,
        Binary::Rem => one % other,
        Binary::And => one & other,
        Binary::Or => one | other,
        Binary::Xor => one ^ other,
        Binary::ShiftLeft if by >= u64::from(bits) => 0,
        Binary::ShiftLeft => one << by,
        Binary::ShiftRight if by >= u64::from(bits) => 0,
        Binary::ShiftRight => one >> by,
        Binary::Min => one.min(other),
        Binary::Max => one.max(other),
        Binary::Eq => (one == other).into(),
        Binary::Ne => (one != other).into(),
        Binary::Lt => (one < other).into(),
        Binary::Le => (one <= other).into(),
        Binary::Gt => (one > other).into(),
        Binary::Ge => (one >= other).into(),
        Binary::SignedLt => ((one as u32).cast_signed() < (other as u32).cast_signed()).into(),
    };
    masked(value, bits)
}

/// Four bytes of eight, chosen by the nibbles of a selector; the upper bit of a nibble repeats the sign instead.
fn permute([lower, upper, selector]: [u64; 3]) -> u64 {
    let bytes = masked(lower, 32) | upper << 32;
    (0..4).fold(0, |value, position| {
        let nibble = selector >> (4 * position) & 0xf;
        let byte = bytes >> (8 * (nibble & 7)) & 0xff;
        let byte = if nibble & 8 == 0 { byte } else { (byte >> 7) * 0xff };
        value | byte << (8 * position)
    })
}
