//! The language server. In: an editor's messages on standard input; out: what the compiler's
//! library knows of the programs that are open there, on standard output.
//!
//! Threads read (`wire`) and write; this one owns all state (`server`) and takes one message after
//! the other. Texts as the editor has them are in `documents`, programs made of them in `programs`.
//! What the editor asks is a file each: `diagnostics`, `hover`, `navigate`, `rename`, `completion`,
//! `hints`, `symbols`, `format`. `place` turns bytes into the protocol's positions and back.
//!
//! No rule of the language is in here: names, moments, candidates and words are those of
//! `serq_compiler::index`, diagnostics those of `serqc check`, layout that of `serqc fmt`.

mod completion;
mod diagnostics;
mod documents;
mod format;
mod hints;
mod hover;
mod navigate;
mod place;
mod programs;
mod rename;
mod server;
mod symbols;
mod wire;

use std::io;
use std::sync::mpsc;
use std::thread;

use server::{Next, Server};

/// Serves one editor on standard input and output until it leaves. Whether it left as the protocol
/// asks: `shutdown`, then `exit`.
pub fn serve() -> bool {
    let (received, incoming) = mpsc::sync_channel(1024);
    let (outgoing, sent) = mpsc::channel();
    // Ends with the input, or with the process.
    thread::spawn(move || wire::receive(&mut io::stdin().lock(), &received));
    let writer = thread::spawn(move || wire::send(io::stdout().lock(), &sent));

    let mut server = Server::new(outgoing);
    let left_well = loop {
        // Whatever has come is taken first, so that answers and diagnostics are of the latest text.
        let come = if server.is_idle() {
            match incoming.recv() {
                Ok(come) => Some(come),
                Err(_) => break server.left_well(),
            }
        } else if server.is_full() {
            None
        } else {
            incoming.try_recv().ok()
        };
        match come {
            Some(come) => server.take(come),
            None if server.work() == Next::Exit => break server.left_well(),
            None => {}
        }
    };
    drop(server);
    // A writer that failed has nobody to tell.
    let _ = writer.join();
    left_well
}
