//! What is probably not meant: warnings about a program that is right so far.
//!
//! In: the resolved program. Out: diagnostics of severity warning, without those that the source
//! silences, and the program's list of notes that its reports leave out. A file for each warning.

mod frozen;
mod silence;
mod unheld;
mod unread;

use super::context::Resolver;

impl Resolver<'_> {
    /// Adds every warning that the program deserves and does not silence.
    pub fn warn(&mut self) {
        if self.failed() {
            return;
        }
        self.warn_of_unread();
        self.warn_of_unheld();
        self.warn_of_frozen();
        self.warn_of_unshared();
        self.silence();
    }
}
