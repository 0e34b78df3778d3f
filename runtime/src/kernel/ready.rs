//! Who goes on at this instant, in which order, and how often one session may.
//!
//! In: sessions that become ready, and that are taken away before their turn. Out: the next one.

use super::{Control, Kernel, NONE, STATEMENTS};
use crate::{fault::FaultKind, world::Sid};

/// Times that a session may become ready at one instant.
const WAKES: u32 = 1_000;

impl Control {
    /// It has gone on at one instant more often than it may.
    #[inline]
    pub(crate) fn wakes_too_often(&self) -> bool {
        self.wakes > WAKES
    }
}

impl Kernel {
    /// The session goes to the back of the ready queue.
    #[inline]
    pub(crate) fn make_ready(&mut self, s: Sid) {
        self.count_wake(s);
        let c = &mut self.sessions[s as usize];
        c.ready = true;
        self.ready.push((s, c.wake));
        self.ready_count += 1;
    }

    /// Counts how often a session goes on at one instant.
    #[inline]
    pub(crate) fn count_wake(&mut self, s: Sid) {
        if self.wake(s).wakes_too_often() {
            self.stay_awake(s);
        }
    }

    /// A session goes on at this instant, which is counted; that it does so too often is to be [said](Self::stay_awake).
    #[inline]
    pub(crate) fn wake(&mut self, s: Sid) -> &mut Control {
        let c = &mut self.sessions[s as usize];
        if c.woken_at == self.now {
            c.wakes += 1;
        } else {
            c.woken_at = self.now;
            c.wakes = 1 + u32::from(self.first_woken == s);
        }
        c
    }

    /// A session goes on at one instant too often.
    #[cold]
    pub(crate) fn stay_awake(&mut self, s: Sid) {
        self.raise(FaultKind::Awake, None, Some(s));
    }

    /// The first event of an instant wakes this session, if any.
    #[inline]
    pub(crate) fn wake_first(&mut self, s: Sid) {
        self.first_woken = s;
    }

    /// The session leaves the ready queue, if it is in.
    pub(crate) fn make_unready(&mut self, s: Sid) {
        let c = &mut self.sessions[s as usize];
        if c.ready {
            c.ready = false;
            c.wake = c.wake.wrapping_add(1);
            self.ready_count -= 1;
        }
    }

    /// The next ready session, if any.
    #[inline]
    pub(crate) fn next_ready(&mut self) -> Sid {
        if self.ready.is_empty() { NONE } else { self.take_ready() }
    }

    /// As [`next_ready`](Self::next_ready), where some came; they may have been taken away.
    fn take_ready(&mut self) -> Sid {
        while let Some(&(s, wake)) = self.ready.get(self.ready_from) {
            self.ready_from += 1;
            let c = &mut self.sessions[s as usize];
            if c.ready && c.wake == wake {
                c.ready = false;
                self.ready_count -= 1;
                if self.ready_from == self.ready.len() {
                    self.forget_gone();
                }
                return s;
            }
        }
        self.forget_gone();
        NONE
    }

    /// All that came have gone.
    #[inline]
    fn forget_gone(&mut self) {
        self.ready.clear();
        self.ready_from = 0;
    }

    /// Somebody is ready.
    #[inline]
    pub(crate) fn any_ready(&self) -> bool {
        self.ready_count > 0
    }

    /// A session is about to run its statements, from a first state on.
    #[inline]
    pub(crate) fn before_statements(&mut self, s: Sid) {
        self.statements = STATEMENTS - 1;
        self.ran = s;
    }

    /// Nobody goes on.
    pub(crate) fn end_statements(&mut self) {
        self.statements = 0;
    }
}
