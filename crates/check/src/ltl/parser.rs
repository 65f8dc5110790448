//! Formulas as text: a recursive descent parser.
//!
//! Operators from the one that binds most tightly: `!` `G` `F`, then `U` `R` `W`, `&`, `|`, `->`, `<->`. Also `[]` and `<>`
//! for G and F, `&&` and `||`, and letters without blanks between them, as in `GF p`.

use ringleader_model::{BadText, Proposition};

use super::{BinaryOperator, Formula, FormulaNode, NodeIndex};

/// The greatest number of operators and propositions of a formula.
const MAX_NODES: usize = 200;
/// The greatest depth of parentheses and operators with one operand.
const MAX_DEPTH: usize = 50;

const OPERATORS: &str = "!, &, |, ->, <->, G, F, U, R, W, parentheses, true, false";

#[derive(Clone, PartialEq, Eq, Debug)]
enum FormulaToken {
    Open,
    Close,
    Not,
    Always,
    Eventually,
    Next,
    Binary(BinaryOperator),
    Word(String),
    Number(u64),
}

/// A formula from its text.
pub(super) fn parse(text: &str) -> Result<Formula, BadText> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens, next: 0, depth: 0, nodes: Vec::new() };
    parser.binary(BinaryOperator::Iff.precedence())?;
    match parser.tokens.get(parser.next) {
        None => Ok(Formula { nodes: parser.nodes }),
        Some((FormulaToken::Close, at)) => {
            Err(error(text, *at, "has a ')' that nothing opens", "parentheses in pairs"))
        }
        Some(_) => Err(parser.unexpected("an operator with two operands: &, |, ->, <->, U, R, W")),
    }
}

/// An error at a character, with the text and a caret below it.
fn error(text: &str, at: usize, wrong: &str, allowed: &str) -> BadText {
    let line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let (wrong, hint) = wrong.split_once("; ").map_or((wrong, String::new()), |(one, two)| (one, format!("; {two}")));
    BadText::new(format!("{wrong} at column {}{hint}\n  {line}\n  {}^", at + 1, " ".repeat(at)), allowed)
}

/// The tokens, each with the index of its first character.
fn tokens(text: &str) -> Result<Vec<(FormulaToken, usize)>, BadText> {
    let letters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let starts = |symbol: &str| symbol.chars().enumerate().all(|(index, c)| letters.get(at + index) == Some(&c));
        let end = |is_part: fn(char) -> bool| (at..letters.len()).find(|&end| !is_part(letters[end]));
        let letter = letters[at];
        if letter.is_whitespace() {
            at += 1;
        } else if let Some((symbol, token)) = symbols().into_iter().find(|(symbol, _)| starts(symbol)) {
            tokens.push((token, at));
            at += symbol.len();
        } else if letter.is_ascii_digit() {
            let end = end(|letter| letter.is_ascii_digit()).unwrap_or(letters.len());
            let digits: String = letters[at..end].iter().collect();
            let number = digits.parse().map_err(|_| error(text, at, "has a number that is too large", "64 bits"))?;
            tokens.push((FormulaToken::Number(number), at));
            at = end;
        } else if letter.is_ascii_alphabetic() {
            let end = end(|letter| letter.is_ascii_alphanumeric() || letter == '_').unwrap_or(letters.len());
            let word: String = letters[at..end].iter().collect();
            add_word(&word, at, &mut tokens);
            at = end;
        } else {
            let wrong = format!("has '{}'", letter.escape_debug());
            return Err(error(text, at, &wrong, &allowed()));
        }
    }
    Ok(tokens)
}

/// The tokens that are no words; those that others begin with come after these.
fn symbols() -> [(&'static str, FormulaToken); 11] {
    [
        ("<->", FormulaToken::Binary(BinaryOperator::Iff)),
        ("->", FormulaToken::Binary(BinaryOperator::Implies)),
        ("&&", FormulaToken::Binary(BinaryOperator::And)),
        ("||", FormulaToken::Binary(BinaryOperator::Or)),
        ("[]", FormulaToken::Always),
        ("<>", FormulaToken::Eventually),
        ("&", FormulaToken::Binary(BinaryOperator::And)),
        ("|", FormulaToken::Binary(BinaryOperator::Or)),
        ("!", FormulaToken::Not),
        ("(", FormulaToken::Open),
        (")", FormulaToken::Close),
    ]
}

/// A word, or the operators that it consists of.
fn add_word(word: &str, at: usize, tokens: &mut Vec<(FormulaToken, usize)>) {
    let operator = |letter: char| match letter {
        'G' => Some(FormulaToken::Always),
        'F' => Some(FormulaToken::Eventually),
        'X' => Some(FormulaToken::Next),
        'U' => Some(FormulaToken::Binary(BinaryOperator::Until)),
        'R' => Some(FormulaToken::Binary(BinaryOperator::Release)),
        'W' => Some(FormulaToken::Binary(BinaryOperator::WeakUntil)),
        _ => None,
    };
    if word.chars().all(|letter| operator(letter).is_some()) {
        tokens.extend(word.chars().enumerate().filter_map(|(index, letter)| Some((operator(letter)?, at + index))));
    } else {
        tokens.push((FormulaToken::Word(word.to_string()), at));
    }
}

fn allowed() -> String {
    format!("{}, with {OPERATORS}", Proposition::NAMES.join(", "))
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(FormulaToken, usize)>,
    next: usize,
    depth: usize,
    nodes: Vec<FormulaNode>,
}

impl Parser<'_> {
    fn add(&mut self, node: FormulaNode) -> Result<NodeIndex, BadText> {
        if self.nodes.len() == MAX_NODES {
            return Err(BadText::new("is too long", format!("up to {MAX_NODES} operators and observations")));
        }
        self.nodes.push(node);
        Ok((self.nodes.len() - 1) as NodeIndex)
    }

    /// The error that the next token is not what it must be.
    fn unexpected(&self, allowed: &str) -> BadText {
        match self.tokens.get(self.next) {
            Some((_, at)) => error(self.text, *at, "has something else", allowed),
            None => error(self.text, self.text.chars().count(), "ends too early", allowed),
        }
    }

    /// A formula whose operators bind at least this tightly.
    fn binary(&mut self, precedence: u8) -> Result<NodeIndex, BadText> {
        let tighter = |parser: &mut Self| match precedence {
            0 => parser.unary(),
            _ => parser.binary(precedence - 1),
        };
        let mut left = tighter(self)?;
        while let Some(&(FormulaToken::Binary(operator), at)) = self.tokens.get(self.next)
            && operator.precedence() == precedence
        {
            self.next += 1;
            self.deeper(at)?;
            let right = if operator.is_right_associative() { self.binary(precedence)? } else { tighter(self)? };
            self.depth -= 1;
            left = self.add(FormulaNode::Binary(operator, left, right))?;
        }
        Ok(left)
    }

    fn deeper(&mut self, at: usize) -> Result<(), BadText> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(error(self.text, at, "is nested too deeply", &format!("up to {MAX_DEPTH} levels")));
        }
        Ok(())
    }

    /// A formula without an operator with two operands outside parentheses.
    fn unary(&mut self) -> Result<NodeIndex, BadText> {
        let Some((token, at)) = self.tokens.get(self.next).cloned() else {
            return Err(self.unexpected(&allowed()));
        };
        self.deeper(at)?;
        self.next += 1;
        let operator: fn(NodeIndex) -> FormulaNode = match token {
            FormulaToken::Not => FormulaNode::Not,
            FormulaToken::Always => FormulaNode::Always,
            FormulaToken::Eventually => FormulaNode::Eventually,
            FormulaToken::Next => {
                let why =
                    "has the next operator X; it depends on the order of independent steps of different processors";
                return Err(error(self.text, at, why, OPERATORS));
            }
            FormulaToken::Open => {
                let inside = self.binary(BinaryOperator::Iff.precedence())?;
                self.close("a ')', or an operator with two operands")?;
                self.depth -= 1;
                return Ok(inside);
            }
            FormulaToken::Word(word) => {
                let node = self.word(&word, at)?;
                self.depth -= 1;
                return self.add(node);
            }
            FormulaToken::Close | FormulaToken::Binary(_) | FormulaToken::Number(_) => {
                self.next -= 1;
                return Err(self.unexpected(&allowed()));
            }
        };
        let of = self.unary()?;
        self.depth -= 1;
        self.add(operator(of))
    }

    fn close(&mut self, allowed: &str) -> Result<(), BadText> {
        match self.tokens.get(self.next) {
            Some((FormulaToken::Close, _)) => {
                self.next += 1;
                Ok(())
            }
            _ => Err(self.unexpected(allowed)),
        }
    }

    /// A constant or a proposition.
    fn word(&mut self, word: &str, at: usize) -> Result<FormulaNode, BadText> {
        if let Ok(value) = word.parse() {
            return Ok(FormulaNode::Constant(value));
        }
        let names = || Proposition::NAMES.into_iter().map(|form| (form, form.split('(').next().unwrap_or(form)));
        let Some((form, _)) = names().find(|(_, name)| *name == word) else {
            let near = names().map(|(_, name)| name).filter(|name| distance(name, word) <= 2);
            let near = near.min_by_key(|name| distance(name, word));
            let hint = near.map_or(String::new(), |name| format!("; did you mean '{name}'?"));
            return Err(error(self.text, at, &format!("has no observation '{word}'{hint}"), &allowed()));
        };
        let argument = match &self.tokens[self.next..] {
            [(FormulaToken::Open, _), (FormulaToken::Number(number), _), (FormulaToken::Close, _), ..]
                if form != word =>
            {
                Some(*number)
            }
            _ => None,
        };
        self.next += if argument.is_some() { 3 } else { 0 };
        let wrong = || error(self.text, at, &format!("has '{word}' in another form"), form);
        Proposition::new(word, argument).map(FormulaNode::Proposition).ok_or_else(wrong)
    }
}

/// The edit distance of two words.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, against) in other.bytes().enumerate() {
            let changed = diagonal + usize::from(letter != against);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}
