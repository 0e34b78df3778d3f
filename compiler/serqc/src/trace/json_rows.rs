//! Recordings in JSON: an object a line, an array of conversations, or one object of arrays.

use std::fmt;
use std::io::{self, BufRead};

use serde::Deserialize;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::sorter::{self, Sorter};
use super::{Left, Of, Request, Row, Stopped};

type Each<'e> = &'e mut dyn FnMut(usize, Row) -> Result<(), Stopped>;

/// A line may have so many bytes.
const LONGEST: u64 = 16 << 20;

/// `timestamp` (ms), `input_length`, `output_length`, and `hash_ids` if there.
pub fn mooncake(input: impl BufRead, each: Each<'_>) -> Result<(), Stopped> {
    #[derive(Deserialize)]
    struct Line {
        timestamp: f64,
        input_length: f64,
        output_length: f64,
        #[serde(default)]
        hash_ids: Vec<u64>,
    }
    lines(input, each, |line, said: Line| Request {
        line,
        time: said.timestamp / 1000.0,
        input: said.input_length,
        output: said.output_length,
        took: None,
        of: Of::Alone,
        hashes: said.hash_ids,
    })
}

/// `chat_id`, `parent_chat_id` (-1: none), `timestamp` (s), `input_length`, `output_length`, and `hash_ids` if there.
pub fn bailian(input: impl BufRead, each: Each<'_>) -> Result<(), Stopped> {
    #[derive(Deserialize)]
    struct Line {
        chat_id: i64,
        parent_chat_id: i64,
        timestamp: f64,
        input_length: f64,
        output_length: f64,
        #[serde(default)]
        hash_ids: Vec<u64>,
    }
    lines(input, each, |line, said: Line| Request {
        line,
        time: said.timestamp,
        input: said.input_length,
        output: said.output_length,
        took: None,
        of: Of::After(said.chat_id, (said.parent_chat_id >= 0).then_some(said.parent_chat_id)),
        hashes: said.hash_ids,
    })
}

/// One object a line.
fn lines<T: DeserializeOwned>(
    mut input: impl BufRead,
    each: Each<'_>,
    request: impl Fn(usize, T) -> Request,
) -> Result<(), Stopped> {
    let (mut bytes, mut number) = (Vec::new(), 0);
    loop {
        bytes.clear();
        let mut limited = io::Read::take(&mut input, LONGEST);
        if limited.read_until(b'\n', &mut bytes).map_err(Stopped::Unreadable)? == 0 {
            return Ok(());
        }
        number += 1;
        if bytes.len() as u64 == LONGEST && bytes.last() != Some(&b'\n') {
            return Err(Stopped::NotOne(format!("line {number} is longer than {LONGEST} bytes")));
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let row = serde_json::from_slice(&bytes).map(|said| request(number, said));
        each(number, row.map_err(|error| Left::Damaged(error.to_string())))?;
    }
}

/// An array of `{"conversations": [{"from": "human", "value": "…"}, {"from": "gpt", …}]}`. There are no times, so that
/// all begin at once; a text counts by its characters.
pub fn sharegpt(input: impl BufRead, chars_per_token: f64, each: Each<'_>) -> Result<(), Stopped> {
    let mut from = serde_json::Deserializer::from_reader(input);
    let mut stopped = Ok(());
    let array = Array { chars_per_token, each, stopped: &mut stopped };
    let read = from.deserialize_seq(array);
    stopped?;
    read.map_err(|error| {
        if error.is_io() {
            return Stopped::Unreadable(error.into());
        }
        Stopped::NotOne(format!("it is no array of conversations: {error}"))
    })
}

/// Reads one conversation after the other.
struct Array<'e, 's> {
    chars_per_token: f64,
    each: Each<'e>,
    stopped: &'s mut Result<(), Stopped>,
}

impl<'de> Visitor<'de> for Array<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of conversations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(item) = items.next_element::<Either>()? {
            number += 1;
            let rows = match item {
                Either::Conversation(said) => exchanges(number, &said, self.chars_per_token),
                Either::Other(_) => {
                    vec![Err(Left::Damaged(format!("item {number} is no conversation")))]
                }
            };
            for row in rows {
                if let Err(why) = (self.each)(number, row) {
                    *self.stopped = Err(why);
                    while items.next_element::<IgnoredAny>()?.is_some() {}
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Either {
    Conversation(Conversation),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
struct Conversation {
    conversations: Vec<Said>,
}

#[derive(Deserialize)]
struct Said {
    from: String,
    value: String,
}

/// A question, and everything before it that is no answer, with the answer that follows.
fn exchanges(number: usize, said: &Conversation, chars_per_token: f64) -> Vec<Row> {
    let tokens = |chars: usize| (chars as f64 / chars_per_token).ceil();
    let mut rows = Vec::new();
    let mut asked = 0;
    for part in &said.conversations {
        let chars = part.value.chars().count();
        if !["gpt", "chatgpt", "assistant", "model", "bard", "bing"].contains(&part.from.as_str()) {
            asked += chars;
            continue;
        }
        rows.push(Ok(Request {
            line: number,
            time: 0.0,
            input: tokens(std::mem::take(&mut asked)),
            output: tokens(chars),
            took: None,
            of: Of::Session(number.to_string()),
            hashes: Vec::new(),
        }));
    }
    if rows.is_empty() {
        rows.push(Err(Left::Unfit("without an answer")));
    }
    rows
}

/// One object with an array per quantity, as `--save-detailed` writes it. The arrays come one after the other, so that
/// those of interest are put aside.
pub fn vllm_bench(input: impl BufRead, each: Each<'_>) -> Result<(), Stopped> {
    let mut columns = [const { None }; COLUMNS.len()];
    let mut stopped = Ok(());
    let mut from = serde_json::Deserializer::from_reader(input);
    let read = from
        .deserialize_map(Object { columns: &mut columns, stopped: &mut stopped })
        .and_then(|()| from.end());
    stopped.map_err(Stopped::NoRoom)?;
    read.map_err(|error| {
        if error.is_io() {
            return Stopped::Unreadable(error.into());
        }
        Stopped::NotOne(format!("it is no detailed result of `vllm bench serve`: {error}"))
    })?;
    let mut found = Vec::new();
    for (name, column) in COLUMNS.iter().zip(columns) {
        let missing = || {
            let what = format!("it is no detailed result of `vllm bench serve`: no `{name}`");
            Stopped::NotOne(what)
        };
        found.push(column.ok_or_else(missing)?.sorted().map_err(Stopped::NoRoom)?);
    }
    for line in 1.. {
        let mut cells = [None; COLUMNS.len()];
        for (cell, column) in cells.iter_mut().zip(&mut found) {
            *cell = column.next().map_err(Stopped::NoRoom)?;
        }
        match cells.map(|cell| cell.map(|[_, value]| sorter::real(value))) {
            [Some(input), Some(output), Some(time)] => {
                let (took, of, hashes) = (None, Of::Alone, Vec::new());
                each(line, Ok(Request { line, time, input, output, took, of, hashes }))?;
            }
            [None, None, None] => break,
            _ => {
                let names = "`input_lens`, `output_lens` and `start_times`";
                return Err(Stopped::NotOne(format!("{names} are not of one length")));
            }
        }
    }
    Ok(())
}

/// Tokens of prompts and answers, and when requests were sent, s.
const COLUMNS: [&str; 3] = ["input_lens", "output_lens", "start_times"];

/// Place and value.
type Column = Sorter<2>;

/// Reads the arrays that are [`COLUMNS`].
struct Object<'c, 's> {
    columns: &'c mut [Option<Column>; COLUMNS.len()],
    stopped: &'s mut io::Result<()>,
}

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match COLUMNS.iter().position(|column| *column == key) {
                Some(place) => {
                    let column = self.columns[place].insert(Column::default());
                    map.next_value_seed(Numbers { column, stopped: self.stopped })?;
                }
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Reads an array of numbers; what is none becomes one that no request can have.
struct Numbers<'c, 's> {
    column: &'c mut Column,
    stopped: &'s mut io::Result<()>,
}

impl<'de> DeserializeSeed<'de> for Numbers<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Numbers<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Item {
            Number(f64),
            Other(IgnoredAny),
        }
        let mut place = 0;
        while let Some(item) = items.next_element()? {
            let value = match item {
                Item::Number(value) => value,
                Item::Other(_) => f64::NAN,
            };
            if self.stopped.is_ok() {
                *self.stopped = self.column.push([place, sorter::word(value)]);
            }
            place += 1;
        }
        Ok(())
    }
}
