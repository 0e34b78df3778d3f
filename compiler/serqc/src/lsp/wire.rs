//! Messages on a stream: a head with the length, an empty line, JSON. In: bytes of an editor that
//! may be broken in any way. Out: messages, or what was wrong with the bytes instead of one; only
//! the end of the stream ends the reading.

use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender};

use lsp_server::Message;

/// The largest message that is read, in bytes.
const LARGEST: u64 = 128 << 20;
/// The longest line of a head.
const LONGEST_LINE: u64 = 4096;

/// What came.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Message),
    /// Something that is none; what is wrong with it.
    Malformed(String),
}

/// Reads messages until the stream ends or nobody wants them.
pub fn receive(stream: &mut dyn BufRead, to: &SyncSender<Incoming>) {
    while let Ok(Some(incoming)) = read(stream) {
        if to.send(incoming).is_err() {
            break;
        }
    }
}

/// Writes messages until there are no more or nobody reads them.
pub fn send(mut stream: impl Write, from: &Receiver<Message>) {
    while let Ok(message) = from.recv() {
        if message.write(&mut stream).is_err() {
            break;
        }
    }
}

/// The next message; `None` at the end of the stream.
fn read(stream: &mut dyn BufRead) -> io::Result<Option<Incoming>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        (&mut *stream).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            match length {
                Some(length) => return body(stream, length).map(Some),
                // A blank line before any head says nothing.
                None => continue,
            }
        }
        match line.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                match value.trim().parse::<u64>() {
                    Ok(value) => length = Some(value),
                    Err(_) => return Ok(Some(malformed(&format!("no length: `{value}`")))),
                }
            }
            Some(_) => {}
            None => return Ok(Some(malformed("a line of a message's head has no `:`"))),
        }
    }
}

fn body(stream: &mut dyn BufRead, length: u64) -> io::Result<Incoming> {
    if length > LARGEST {
        io::copy(&mut stream.take(length), &mut io::sink())?;
        return Ok(malformed(&format!("a message of {length} bytes")));
    }
    let mut bytes = Vec::new();
    stream.take(length).read_to_end(&mut bytes)?;
    Ok(match serde_json::from_slice(&bytes) {
        Ok(message) => Incoming::Message(message),
        Err(why) => malformed(&why.to_string()),
    })
}

fn malformed(what: &str) -> Incoming {
    Incoming::Malformed(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read, each as its method or as what is wrong.
    fn all(bytes: &[u8]) -> Vec<String> {
        let mut stream = bytes;
        let mut found = Vec::new();
        while let Some(incoming) = read(&mut stream).unwrap() {
            found.push(match incoming {
                Incoming::Message(Message::Notification(one)) => one.method,
                Incoming::Message(other) => format!("{other:?}"),
                Incoming::Malformed(what) => format!("malformed: {what}"),
            });
        }
        found
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

    #[test]
    fn what_is_broken_does_not_end_the_reading() {
        let bodies = ["{", "[]", "\"\u{e9}\"", "null", r#"{"id":{}}"#, ""];
        for body in bodies {
            let found = all(format!("{}{}", framed(body), framed(EXIT)).as_bytes());
            assert_eq!(found.len(), 2, "{body}: {found:?}");
            assert!(found[0].starts_with("malformed: "), "{body}: {found:?}");
            assert_eq!(found[1], "exit");
        }
        for head in ["Content-Length: -1\r\n\r\n", "Content-Length: x\r\n", "what\r\n\r\n", "\r\n"]
        {
            let found = all(format!("{head}{}", framed(EXIT)).as_bytes());
            assert_eq!(found.last().map(String::as_str), Some("exit"), "{head}: {found:?}");
        }
    }

    #[test]
    fn heads_may_have_more_lines_and_other_cases() {
        let text = format!(
            "content-length: {}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{EXIT}",
            EXIT.len()
        );
        assert_eq!(all(text.as_bytes()), ["exit"]);
    }

    #[test]
    fn a_stream_that_stops_short_ends() {
        let whole = framed(EXIT);
        for end in 0..whole.len() {
            let found = all(&whole.as_bytes()[..end]);
            assert!(found.iter().all(|one| one.starts_with("malformed: ")), "{end}: {found:?}");
        }
    }

    #[test]
    fn a_length_is_no_promise_of_memory() {
        let found = all(b"Content-Length: 99999999999999\r\n\r\nshort");
        assert_eq!(found, ["malformed: a message of 99999999999999 bytes"]);
    }
}
