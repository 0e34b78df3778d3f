//! The server's state, and which message is whose business.
//!
//! Messages are taken in the order in which they came; only a cancellation overtakes. Texts change
//! at once, programs are made again when something is asked of them or when nothing else is to be
//! done, so a burst of changes costs one compilation.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::Sender;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CompletionOptions, Diagnostic, HoverProviderCapability, InitializeParams, InitializeResult,
    LogMessageParams, MessageType, OneOf, PositionEncodingKind, RenameOptions, SaveOptions,
    ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use serde_json::Value;

use super::documents::{Documents, file_of, path_of};
use super::programs::Programs;
use super::wire::Incoming;

/// More messages than this are not taken before some are worked off.
const MOST_WAITING: usize = 4096;

/// What to do after a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Go on.
    Go,
    /// Leave.
    Exit,
}

/// How far the talk is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Fresh,
    Ready,
    Leaving,
}

/// Why a request is not answered.
#[derive(Debug)]
pub struct Refusal {
    code: ErrorCode,
    message: String,
}

impl Refusal {
    /// The request is understood but cannot be done; why.
    pub fn because(message: impl Into<String>) -> Self {
        Refusal { code: ErrorCode::RequestFailed, message: message.into() }
    }
}

/// What a request is answered with.
pub type Answer<T> = Result<T, Refusal>;

/// One editor's server.
pub struct Server {
    outgoing: Sender<Message>,
    waiting: VecDeque<Message>,
    stage: Stage,
    /// The open texts.
    pub documents: Documents,
    /// What is known of them.
    pub programs: Programs,
    /// The folders that the editor works in.
    pub folders: Vec<PathBuf>,
    /// The editor shows what a name has inside.
    pub nests_symbols: bool,
    /// What was last said of each file.
    pub published: BTreeMap<String, Vec<Diagnostic>>,
    /// Diagnostics may be out of date.
    due: bool,
    /// They are due after an opening or a saving, not after typing.
    pub whole: bool,
}

impl Server {
    /// A server that has heard nothing yet.
    pub fn new(outgoing: Sender<Message>) -> Self {
        Server {
            outgoing,
            waiting: VecDeque::new(),
            stage: Stage::Fresh,
            documents: Documents::default(),
            programs: Programs::default(),
            folders: Vec::new(),
            nests_symbols: false,
            published: BTreeMap::new(),
            due: false,
            whole: false,
        }
    }

    /// Whether there is nothing to do until a message comes.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && !self.due
    }

    /// Whether so much waits that some of it is to be done first.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= MOST_WAITING
    }

    /// Whether `shutdown` was asked for.
    pub fn left_well(&self) -> bool {
        self.stage == Stage::Leaving
    }

    /// Takes what came, to be worked off in its turn.
    pub fn take(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Malformed(what) => self.log(&format!("not a message: {what}")),
            Incoming::Message(Message::Notification(one)) if one.method == "$/cancelRequest" => {
                self.cancel(&one.params);
            }
            Incoming::Message(message) => self.waiting.push_back(message),
        }
    }

    /// Works off one message or, if there is none, says what is wrong with the programs.
    pub fn work(&mut self) -> Next {
        match self.waiting.pop_front() {
            Some(Message::Request(request)) => self.request(request),
            Some(Message::Notification(one)) => return self.notification(one),
            // Nothing is asked of the editor that it could answer.
            Some(Message::Response(_)) => {}
            None => {
                self.due = false;
                let published = catch_unwind(AssertUnwindSafe(|| self.publish()));
                if published.is_err() {
                    self.log("internal error while checking a program");
                }
                self.whole = false;
            }
        }
        Next::Go
    }

    fn cancel(&mut self, params: &Value) {
        let id: Option<RequestId> = serde_json::from_value(params["id"].clone()).ok();
        let of = |message: &Message| match message {
            Message::Request(request) => Some(&request.id) == id.as_ref(),
            Message::Response(_) | Message::Notification(_) => false,
        };
        let Some(at) = self.waiting.iter().position(of) else { return };
        self.waiting.remove(at);
        if let Some(id) = id {
            let (code, message) = (ErrorCode::RequestCanceled as i32, "cancelled".to_owned());
            self.send(Message::Response(Response::new_err(id, code, message)));
        }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let answered = catch_unwind(AssertUnwindSafe(|| self.answer(&method, params)));
        let response = match answered {
            Ok(Ok(value)) => Response::new_ok(id, value),
            Ok(Err(Refusal { code, message })) => Response::new_err(id, code as i32, message),
            Err(_) => {
                let message = format!("internal error while answering `{method}`");
                Response::new_err(id, ErrorCode::InternalError as i32, message)
            }
        };
        self.send(Message::Response(response));
    }

    fn answer(&mut self, method: &str, params: Value) -> Answer<Value> {
        let refuse = |code, message: &str| Err(Refusal { code, message: message.to_owned() });
        match (self.stage, method) {
            (Stage::Fresh, request::Initialize::METHOD) => {}
            (Stage::Fresh, _) => {
                return refuse(ErrorCode::ServerNotInitialized, "`initialize` comes first");
            }
            (Stage::Leaving, _) => return refuse(ErrorCode::InvalidRequest, "shut down"),
            (Stage::Ready, request::Initialize::METHOD) => {
                return refuse(ErrorCode::InvalidRequest, "`initialize` comes once");
            }
            (Stage::Ready, _) => {}
        }
        match method {
            request::Initialize::METHOD => {
                self.with::<request::Initialize>(params, Self::initialize)
            }
            request::Shutdown::METHOD => {
                self.stage = Stage::Leaving;
                Ok(Value::Null)
            }
            request::HoverRequest::METHOD => {
                self.with::<request::HoverRequest>(params, Self::hover)
            }
            request::GotoDefinition::METHOD => {
                self.with::<request::GotoDefinition>(params, Self::definition)
            }
            request::References::METHOD => {
                self.with::<request::References>(params, Self::references)
            }
            request::DocumentHighlightRequest::METHOD => {
                self.with::<request::DocumentHighlightRequest>(params, Self::highlight)
            }
            request::PrepareRenameRequest::METHOD => {
                self.with::<request::PrepareRenameRequest>(params, Self::prepare_rename)
            }
            request::Rename::METHOD => self.with::<request::Rename>(params, Self::rename),
            request::Completion::METHOD => {
                self.with::<request::Completion>(params, Self::completion)
            }
            request::Formatting::METHOD => self.with::<request::Formatting>(params, Self::format),
            request::InlayHintRequest::METHOD => {
                self.with::<request::InlayHintRequest>(params, Self::hints)
            }
            request::DocumentSymbolRequest::METHOD => {
                self.with::<request::DocumentSymbolRequest>(params, Self::symbols)
            }
            _ => refuse(ErrorCode::MethodNotFound, &format!("`{method}` is not known here")),
        }
    }

    /// Answers a request of one kind.
    fn with<R: lsp_types::request::Request>(
        &mut self,
        params: Value,
        answer: impl FnOnce(&mut Self, R::Params) -> Answer<R::Result>,
    ) -> Answer<Value> {
        let params = serde_json::from_value(params)
            .map_err(|why| Refusal { code: ErrorCode::InvalidParams, message: why.to_string() })?;
        let result = answer(self, params)?;
        serde_json::to_value(result)
            .map_err(|why| Refusal { code: ErrorCode::InternalError, message: why.to_string() })
    }

    fn initialize(&mut self, params: InitializeParams) -> Answer<InitializeResult> {
        self.stage = Stage::Ready;
        let folders = params.workspace_folders.unwrap_or_default();
        let mut uris: Vec<Uri> = folders.into_iter().map(|folder| folder.uri).collect();
        #[allow(deprecated, reason = "editors without folders say it so")]
        if let (true, Some(root)) = (uris.is_empty(), params.root_uri) {
            uris.push(root);
        }
        self.folders = uris.iter().filter_map(file_of).collect();
        let document = params.capabilities.text_document;
        let symbols = document.and_then(|document| document.document_symbol);
        self.nests_symbols =
            symbols.and_then(|s| s.hierarchical_document_symbol_support) == Some(true);
        Ok(InitializeResult {
            capabilities: capabilities(),
            server_info: Some(ServerInfo {
                name: "serqc".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        })
    }

    fn notification(&mut self, one: Notification) -> Next {
        if one.method == notification::Exit::METHOD {
            return Next::Exit;
        }
        if self.stage != Stage::Ready {
            return Next::Go;
        }
        if let Err(why) = self.note(&one.method, one.params) {
            self.log(&format!("`{}`: {why}", one.method));
        }
        Next::Go
    }

    /// Something changed on the editor's side.
    fn note(&mut self, method: &str, params: Value) -> serde_json::Result<()> {
        match method {
            notification::DidOpenTextDocument::METHOD => {
                let params: lsp_types::DidOpenTextDocumentParams = serde_json::from_value(params)?;
                let document = params.text_document;
                self.documents.open(document.uri, document.text, document.version);
                self.anything_changed();
            }
            notification::DidChangeTextDocument::METHOD => {
                let params: lsp_types::DidChangeTextDocumentParams =
                    serde_json::from_value(params)?;
                let document = params.text_document;
                let changes = params.content_changes;
                if let Some(path) = self.documents.change(&document.uri, document.version, changes)
                {
                    self.programs.touch(&path);
                    self.due = true;
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                let params: lsp_types::DidCloseTextDocumentParams = serde_json::from_value(params)?;
                self.documents.close(&params.text_document.uri);
                self.anything_changed();
            }
            notification::DidSaveTextDocument::METHOD
            | notification::DidChangeWatchedFiles::METHOD => self.anything_changed(),
            notification::DidChangeWorkspaceFolders::METHOD => {
                let params: lsp_types::DidChangeWorkspaceFoldersParams =
                    serde_json::from_value(params)?;
                let removed: Vec<PathBuf> =
                    params.event.removed.iter().filter_map(|f| file_of(&f.uri)).collect();
                self.folders.retain(|folder| !removed.contains(folder));
                self.folders.extend(params.event.added.iter().filter_map(|f| file_of(&f.uri)));
            }
            _ => {}
        }
        Ok(())
    }

    fn anything_changed(&mut self) {
        self.programs.touch_all(&self.documents);
        (self.due, self.whole) = (true, true);
    }

    /// The path of a document that a request is about.
    pub fn path(&self, uri: &Uri) -> String {
        path_of(uri)
    }

    /// Sends a message; an editor that does not listen misses it.
    pub fn send(&self, message: Message) {
        let _ = self.outgoing.send(message);
    }

    /// Tells the editor something.
    pub fn notify<N: notification::Notification>(&self, params: N::Params) {
        if let Ok(params) = serde_json::to_value(params) {
            let one = Notification { method: N::METHOD.to_owned(), params };
            self.send(Message::Notification(one));
        }
    }

    fn log(&self, what: &str) {
        self.notify::<notification::LogMessage>(LogMessageParams {
            typ: MessageType::WARNING,
            message: what.to_owned(),
        });
    }
}

/// What the server can do.
fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions::default())),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".to_owned(), "~".to_owned()]),
            ..CompletionOptions::default()
        }),
        document_formatting_provider: Some(OneOf::Left(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}
