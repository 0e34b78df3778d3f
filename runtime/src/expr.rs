//! Expressions of `--set` and of the run options: the language's arithmetic over numbers and `let`s.
//!
//! Text in, a tree of [`Expr`] out, names already resolved to numbers of `let`s; [`Expr::value`]
//! evaluates it. Precedence and meaning are the language's (`^` right associative and tighter than
//! unary minus, comparisons do not chain, NaN is true, x/0 is infinite, min and max ignore a NaN).

/// Deepest nesting: a person does not write more, and the parser recurses.
const DEEPEST: usize = 200;

/// A constant expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Number(f64),
    /// A `let`, by its number.
    Let(usize),
    /// An operator or function of one.
    Unary(Unary, Box<Expr>),
    /// An operator or function of two.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `a ? b : c`.
    If(Box<[Expr; 3]>),
}

/// Operators and functions of one argument.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unary {
    Negate,
    Not,
    Abs,
    Floor,
    Ceil,
    Sqrt,
    Exp,
    Ln,
}

/// Operators and functions of two arguments.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binary {
    Or,
    And,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
}

fn truth(x: f64) -> bool {
    x != 0.0
}

impl Expr {
    /// The value, given those of `let`s.
    pub fn value(&self, lets: &mut dyn FnMut(usize) -> f64) -> f64 {
        match self {
            Self::Number(x) => *x,
            Self::Let(i) => lets(*i),
            Self::Unary(op, x) => unary(*op, x.value(lets)),
            Self::Binary(Binary::Or, x, y) => {
                f64::from(truth(x.value(lets)) || truth(y.value(lets)))
            }
            Self::Binary(Binary::And, x, y) => {
                f64::from(truth(x.value(lets)) && truth(y.value(lets)))
            }
            Self::Binary(op, x, y) => binary(*op, x.value(lets), y.value(lets)),
            Self::If(parts) => {
                let [condition, yes, no] = &**parts;
                if truth(condition.value(lets)) { yes.value(lets) } else { no.value(lets) }
            }
        }
    }
}

fn unary(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Negate => -x,
        Unary::Not => f64::from(!truth(x)),
        Unary::Abs => x.abs(),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Sqrt => x.sqrt(),
        Unary::Exp => x.exp(),
        Unary::Ln => x.ln(),
    }
}

fn binary(op: Binary, x: f64, y: f64) -> f64 {
    match op {
        Binary::Or => f64::from(truth(x) || truth(y)),
        Binary::And => f64::from(truth(x) && truth(y)),
        Binary::Less => f64::from(x < y),
        Binary::LessEqual => f64::from(x <= y),
        Binary::Greater => f64::from(x > y),
        Binary::GreaterEqual => f64::from(x >= y),
        Binary::Equal => f64::from(x == y),
        Binary::NotEqual => f64::from(x != y),
        Binary::Add => x + y,
        Binary::Subtract => x - y,
        Binary::Multiply => x * y,
        Binary::Divide => x / y,
        Binary::Power => x.powf(y),
        Binary::Min => x.min(y),
        Binary::Max => x.max(y),
    }
}

/// What is wrong with the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Wrong {
    /// Not an expression: says what was found or missing.
    Syntax(String),
    /// A name that is no `let`.
    Unknown(String),
}

/// Parses an expression; `find` gives a `let`'s number by its name.
///
/// # Errors
/// Says what is wrong.
pub fn parse(text: &str, find: &dyn Fn(&str) -> Option<usize>) -> Result<Expr, Wrong> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, find };
    let expr = parser.condition()?;
    match parser.peek() {
        None => Ok(expr),
        Some(token) => Err(Wrong::Syntax(format!("`{}` is not expected here", token.text()))),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64, String),
    Name(String),
    Symbol(&'static str),
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Number(_, text) | Self::Name(text) => text,
            Self::Symbol(text) => text,
        }
    }
}

/// Longer ones first.
const SYMBOLS: [&str; 18] = [
    "<=", ">=", "==", "!=", "&&", "||", "<", ">", "!", "+", "-", "*", "/", "^", "?", ":", "(", ")",
];

fn tokens(text: &str) -> Result<Vec<Token>, Wrong> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = if c.is_ascii_digit() || c == '.' {
            let length = number_length(rest);
            let digits = rest[..length].replace('_', "");
            let value = digits
                .parse()
                .map_err(|_| Wrong::Syntax(format!("`{}` is not a number", &rest[..length])))?;
            if value == f64::INFINITY {
                let what = format!("`{}` is too large for a number", &rest[..length]);
                return Err(Wrong::Syntax(what));
            }
            tokens.push(Token::Number(value, rest[..length].to_owned()));
            length
        } else if c.is_alphabetic() || c == '_' {
            let length =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..length].to_owned()));
            length
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            tokens.push(Token::Symbol(symbol));
            symbol.len()
        } else if c == ',' {
            tokens.push(Token::Symbol(","));
            1
        } else {
            return Err(Wrong::Syntax(format!("`{c}` is not expected here")));
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Length of the number that a text starts with: digits and `_`, a fraction, an exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut i: usize| {
        while i < bytes.len() && (bytes[i].is_ascii_digit() || bytes[i] == b'_') {
            i += 1;
        }
        i
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    end
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    find: &'a dyn Fn(&str) -> Option<usize>,
}

type Parsed = Result<Expr, Wrong>;

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn accept(&mut self, symbols: &[(&'static str, Binary)]) -> Option<Binary> {
        let found = match self.peek() {
            Some(Token::Symbol(s)) => symbols.iter().find(|(text, _)| text == s).map(|(_, op)| *op),
            _ => None,
        };
        self.at += usize::from(found.is_some());
        found
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Symbol(s)) if *s == symbol);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), Wrong> {
        if self.take(symbol) {
            return Ok(());
        }
        Err(Wrong::Syntax(match self.peek() {
            Some(token) => format!("`{symbol}` is expected before `{}`", token.text()),
            None => format!("`{symbol}` is missing at the end"),
        }))
    }

    /// Parses one level down.
    fn deeper(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Wrong::Syntax(format!("it is nested more than {DEEPEST} deep")));
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn condition(&mut self) -> Parsed {
        self.deeper(|p| {
            let condition = p.or()?;
            if !p.take("?") {
                return Ok(condition);
            }
            let yes = p.condition()?;
            p.expect(":")?;
            Ok(Expr::If(Box::new([condition, yes, p.condition()?])))
        })
    }

    /// A left-associative level.
    fn level(
        &mut self,
        symbols: &[(&'static str, Binary)],
        next: fn(&mut Self) -> Parsed,
    ) -> Parsed {
        let mut left = next(self)?;
        let mut operators = 0;
        while let Some(op) = self.accept(symbols) {
            operators += 1;
            if operators > 1000 {
                return Err(Wrong::Syntax("it has too many operators in a row".into()));
            }
            left = Expr::Binary(op, Box::new(left), Box::new(next(self)?));
        }
        Ok(left)
    }

    fn or(&mut self) -> Parsed {
        self.level(&[("||", Binary::Or)], Self::and)
    }

    fn and(&mut self) -> Parsed {
        self.level(&[("&&", Binary::And)], Self::comparison)
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum()?;
        let symbols = [
            ("<=", Binary::LessEqual),
            (">=", Binary::GreaterEqual),
            ("==", Binary::Equal),
            ("!=", Binary::NotEqual),
            ("<", Binary::Less),
            (">", Binary::Greater),
        ];
        match self.accept(&symbols) {
            Some(op) => Ok(Expr::Binary(op, Box::new(left), Box::new(self.sum()?))),
            None => Ok(left),
        }
    }

    fn sum(&mut self) -> Parsed {
        self.level(&[("+", Binary::Add), ("-", Binary::Subtract)], Self::product)
    }

    fn product(&mut self) -> Parsed {
        self.level(&[("*", Binary::Multiply), ("/", Binary::Divide)], Self::unary)
    }

    fn unary(&mut self) -> Parsed {
        for (symbol, op) in [("-", Unary::Negate), ("!", Unary::Not)] {
            if self.take(symbol) {
                return Ok(Expr::Unary(op, Box::new(self.deeper(Self::unary)?)));
            }
        }
        let base = self.primary()?;
        if self.take("^") {
            return Ok(Expr::Binary(
                Binary::Power,
                Box::new(base),
                Box::new(self.deeper(Self::unary)?),
            ));
        }
        Ok(base)
    }

    fn primary(&mut self) -> Parsed {
        let token = self
            .peek()
            .cloned()
            .ok_or_else(|| Wrong::Syntax("a value is missing at the end".into()))?;
        self.at += 1;
        match token {
            Token::Number(x, _) => Ok(Expr::Number(x)),
            Token::Symbol("(") => {
                let inner = self.condition()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Name(name) if self.take("(") => self.call(&name),
            Token::Name(name) => match (self.find)(&name) {
                Some(i) => Ok(Expr::Let(i)),
                None if name == "inf" => Ok(Expr::Number(f64::INFINITY)),
                None if name.eq_ignore_ascii_case("nan") => {
                    Err(Wrong::Syntax(format!("`{name}` is no number; write a number or `inf`")))
                }
                None => Err(Wrong::Unknown(name)),
            },
            Token::Symbol(s) => Err(Wrong::Syntax(format!("a value is expected before `{s}`"))),
        }
    }

    fn call(&mut self, name: &str) -> Parsed {
        let first = self.condition()?;
        let op = match name {
            "min" => Binary::Min,
            "max" => Binary::Max,
            "pow" => Binary::Power,
            _ => {
                self.expect(")")?;
                return one_argument(name).map(|op| Expr::Unary(op, Box::new(first)));
            }
        };
        self.expect(",")?;
        let second = self.condition()?;
        self.expect(")")?;
        Ok(Expr::Binary(op, Box::new(first), Box::new(second)))
    }
}

fn one_argument(name: &str) -> Result<Unary, Wrong> {
    Ok(match name {
        "abs" => Unary::Abs,
        "floor" => Unary::Floor,
        "ceil" => Unary::Ceil,
        "sqrt" => Unary::Sqrt,
        "exp" => Unary::Exp,
        "ln" => Unary::Ln,
        _ => {
            return Err(Wrong::Syntax(format!(
                "there is no function `{name}` (there are min max abs floor ceil sqrt exp ln pow)"
            )));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        let find = |name: &str| ["a", "b"].iter().position(|n| *n == name);
        parse(text, &find).unwrap_or_else(|e| panic!("{text}: {e:?}")).value(&mut |i| [3.0, 0.5][i])
    }

    #[test]
    fn the_languages_arithmetic() {
        let cases = [
            ("1 + 2 * 3", 7.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("10 - 4 - 3", 3.0),
            ("a * b", 1.5),
            ("a > 2 ? 10 : 20", 10.0),
            ("0 ? 1 : 0 ? 2 : 3", 3.0),
            ("1 && 0 || 1", 1.0),
            ("!0 + 1", 2.0),
            ("!a == 0", 1.0),
            ("min(a, 1) + max(b, 2)", 3.0),
            ("pow(2, 10)", 1024.0),
            ("ceil(b) + floor(b) + abs(-1) + sqrt(4)", 4.0),
            ("1_000", 1000.0),
            (".5e1", 5.0),
            ("5.", 5.0),
            ("2e-5", 2e-5),
            ("inf", f64::INFINITY),
            ("1 / 0", f64::INFINITY),
            ("(0/0) ? 1 : 2", 1.0),
            ("min(0/0, 4)", 4.0),
            ("1 <= 1", 1.0),
            ("exp(0) + ln(1)", 1.0),
        ];
        for (text, want) in cases {
            assert_eq!(value(text), want, "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let find = |_: &str| None;
        for text in [
            "",
            "1 +",
            "(1",
            "1)",
            "1 2",
            "1 < 2 < 3",
            "foo(1)",
            "min(1)",
            "1,2",
            "$",
            "1..2",
            "a b",
            "?:",
            "é$",
            "sqrt()",
        ] {
            assert!(parse(text, &find).is_err(), "{text}");
        }
        for text in ["nan", "1 + NaN", "1e999", "1e-3 + 9e308"] {
            assert!(matches!(parse(text, &find), Err(Wrong::Syntax(_))), "{text}");
        }
        assert_eq!(parse("1 + thrr", &find), Err(Wrong::Unknown("thrr".into())));
        let deep = "(".repeat(10_000) + "1" + &")".repeat(10_000);
        assert!(matches!(parse(&deep, &find), Err(Wrong::Syntax(_))));
        assert!(matches!(parse(&"-".repeat(100_000), &find), Err(Wrong::Syntax(_))));
        assert!(matches!(
            parse(&("1".to_owned() + &"+1".repeat(100_000)), &find),
            Err(Wrong::Syntax(_))
        ));
    }
}
