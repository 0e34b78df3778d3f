//! An editor that follows a script: it starts `serqc lsp` in a folder and talks to it as the
//! protocol says, byte by byte where a test wants that.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any answer takes, even of a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// An editor and its server.
pub struct Editor {
    pub folder: TempDir,
    server: Child,
    input: Option<ChildStdin>,
    output: Receiver<Value>,
    next: i64,
    versions: BTreeMap<String, i64>,
    /// The texts that are open, to place marks in.
    texts: BTreeMap<String, String>,
    /// What was last said of each file, by its name.
    pub diagnostics: BTreeMap<String, Vec<Value>>,
    pub logged: Vec<String>,
    /// Answers that nobody has waited for yet.
    answers: BTreeMap<i64, Result<Value, Value>>,
}

impl Editor {
    /// Starts a server in a folder with these files, and introduces itself.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let mut editor = Self::unknown(files);
        editor.initialize();
        editor
    }

    /// Starts a server that has heard nothing yet.
    pub fn unknown(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut server = Command::new(env!("CARGO_BIN_EXE_serqc"))
            .arg("lsp")
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stream = BufReader::new(server.stdout.take().unwrap());
        let (sender, output) = channel();
        thread::spawn(move || {
            while let Some(message) = message(&mut stream) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Editor {
            folder,
            input: server.stdin.take(),
            server,
            output,
            next: 0,
            versions: BTreeMap::new(),
            texts: BTreeMap::new(),
            diagnostics: BTreeMap::new(),
            logged: Vec::new(),
            answers: BTreeMap::new(),
        }
    }

    pub fn initialize(&mut self) -> Value {
        let root = self.uri("");
        let capabilities = json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}});
        let params = json!({
            "processId": null, "rootUri": root, "capabilities": capabilities,
            "workspaceFolders": [{"uri": root, "name": "test"}],
        });
        let result = self.ask("initialize", params);
        self.tell("initialized", json!({}));
        result
    }

    /// The path of a file, without links.
    pub fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    pub fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).to_str().unwrap())
    }

    /// The name of a file by its URI.
    pub fn name(&self, uri: &Value) -> String {
        let uri = uri.as_str().unwrap();
        uri.strip_prefix(&self.uri("")).unwrap_or(uri).to_owned()
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request; its number.
    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer to a request: its result, or else its error.
    pub fn answer(&mut self, id: i64) -> Result<Value, Value> {
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            let message = self.receive();
            let Some(of) = message.get("id") else { continue };
            let answer = match message.get("error") {
                Some(error) => Err(error.clone()),
                None => Ok(message["result"].clone()),
            };
            self.answers.insert(of.as_i64().unwrap(), answer);
        }
    }

    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    #[track_caller]
    pub fn refused(&mut self, method: &str, params: Value) -> (i64, String) {
        let id = self.request(method, params);
        let error = self.answer(id).expect_err("it is refused");
        (error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().to_owned())
    }

    /// The next message, after noting what it says of files.
    pub fn receive(&mut self) -> Value {
        let message = self.output.recv_timeout(PATIENCE).expect("the server says something");
        match message["method"].as_str() {
            Some("textDocument/publishDiagnostics") => {
                let params = &message["params"];
                let name = self.name(&params["uri"]);
                self.diagnostics.insert(name, params["diagnostics"].as_array().unwrap().clone());
            }
            Some("window/logMessage") => {
                self.logged.push(message["params"]["message"].as_str().unwrap().to_owned());
            }
            _ => {}
        }
        message
    }

    /// Waits until all that was sent is worked off and what is wrong is said.
    pub fn settle(&mut self) {
        // Whatever is due is said before the server waits again, so it is said between two answers.
        for _ in 0..2 {
            self.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": "file:///-"}}));
            thread::sleep(Duration::from_millis(30));
        }
    }

    /// Opens a file with a text; `‸` marks places in it.
    pub fn open(&mut self, name: &str, text: &str) {
        let plain = text.replace('‸', "");
        let document = json!({
            "uri": self.uri(name), "languageId": "serq", "version": 1, "text": plain,
        });
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
        self.versions.insert(name.to_owned(), 1);
        self.texts.insert(name.to_owned(), text.to_owned());
    }

    /// Changes all of a text.
    pub fn change(&mut self, name: &str, text: &str) {
        self.texts.insert(name.to_owned(), text.to_owned());
        self.edit(name, json!([{"text": text.replace('‸', "")}]));
    }

    pub fn edit(&mut self, name: &str, changes: Value) {
        let version = self.versions.get_mut(name).unwrap();
        *version += 1;
        let version = *version;
        let document = json!({"uri": self.uri(name), "version": version});
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": changes}),
        );
    }

    /// Where a mark is: a line, and a column in UTF-16 units.
    pub fn place(&self, name: &str, mark: usize) -> Value {
        let text = &self.texts[name];
        let before: String = text.split('‸').take(mark + 1).collect();
        let line = before.rsplit('\n').next().unwrap();
        json!({"line": before.matches('\n').count(), "character": line.encode_utf16().count()})
    }

    /// A request's parameters for a mark.
    pub fn at(&self, name: &str, mark: usize) -> Value {
        json!({"textDocument": {"uri": self.uri(name)}, "position": self.place(name, mark)})
    }

    /// What hovering over a mark says.
    #[track_caller]
    pub fn hover(&mut self, name: &str, mark: usize) -> String {
        let at = self.at(name, mark);
        let result = self.ask("textDocument/hover", at);
        result["contents"]["value"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
    }

    /// The names that are offered at a mark.
    pub fn offered(&mut self, name: &str, mark: usize) -> Vec<String> {
        let at = self.at(name, mark);
        let result = self.ask("textDocument/completion", at);
        let label = |item: &Value| item["label"].as_str().unwrap().to_owned();
        result.as_array().unwrap().iter().map(label).collect()
    }

    /// Places as `file:line:column`, from 1.
    pub fn places(&self, locations: &Value) -> Vec<String> {
        let mut places: Vec<String> = locations
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                let start = &one["range"]["start"];
                let of = |what: &str| start[what].as_i64().unwrap() + 1;
                format!("{}:{}:{}", self.name(&one["uri"]), of("line"), of("character"))
            })
            .collect();
        places.sort();
        places
    }

    /// Code and message of what is said of a file.
    pub fn said(&self, name: &str) -> Vec<(String, String)> {
        let found = self.diagnostics.get(name).map_or(&[][..], Vec::as_slice);
        let text = |one: &Value| one.as_str().unwrap().to_owned();
        found.iter().map(|one| (text(&one["code"]), text(&one["message"]))).collect()
    }

    /// A text with the edits that a result has for a file.
    pub fn edited(&self, text: &str, edits: &Value) -> String {
        let lines: Vec<&str> = text.split('\n').collect();
        let byte = |place: &Value| {
            let line = place["line"].as_u64().unwrap() as usize;
            let mut units = place["character"].as_u64().unwrap() as usize;
            let start: usize = lines[..line].iter().map(|line| line.len() + 1).sum();
            let mut at = start;
            for c in lines[line].chars() {
                if units == 0 {
                    break;
                }
                units -= c.len_utf16();
                at += c.len_utf8();
            }
            at
        };
        let mut edits: Vec<(usize, usize, &str)> = edits
            .as_array()
            .unwrap()
            .iter()
            .map(|edit| {
                let range = &edit["range"];
                (byte(&range["start"]), byte(&range["end"]), edit["newText"].as_str().unwrap())
            })
            .collect();
        edits.sort();
        let mut out = text.to_owned();
        for (start, end, new) in edits.into_iter().rev() {
            out.replace_range(start..end, new);
        }
        out
    }

    /// Leaves as the protocol asks; how the server ended.
    pub fn leave(mut self) -> Option<i32> {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.ended()
    }

    /// Closes the server's input and waits for its end.
    pub fn ended(&mut self) -> Option<i32> {
        drop(self.input.take());
        self.server.wait().unwrap().code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.server.wait();
    }
}

fn message(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse::<usize>().ok(),
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length?];
    stream.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).expect("the server writes JSON"))
}
