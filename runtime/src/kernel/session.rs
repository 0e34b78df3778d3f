//! A session's life: it is created, takes turns, and ends.

use super::{Builtins, Control, Job, Kernel, NONE, whole::float};
use crate::{
    fault::FaultKind,
    hold, legs,
    pool::cache,
    uses::Uses,
    world::{Arrivals, Sid, World},
};

impl Kernel {
    /// A slot for the next session, its control fresh; `holds` says whether sessions hold anything or decode.
    #[inline]
    fn open(&mut self, holds: bool) -> Sid {
        let serial = self.arrived;
        self.arrived += 1;
        self.live += 1;
        self.mean_live.step(self.now, 1.0);
        let s = self.free_or_new_slot();
        self.sessions[s as usize].reopen(serial, holds);
        if self.first_woken == s {
            self.first_woken = NONE;
        }
        s
    }

    /// The session is over: its slot is free unless an entry `keeps` it, and what it replayed is given back.
    #[inline]
    fn close(&mut self, s: Sid, keeps: bool) {
        self.live -= 1;
        self.mean_live.step(self.now, -1.0);
        self.ended += u64::from(self.measured());
        let c = &mut self.sessions[s as usize];
        c.live = false;
        if !keeps || c.entries == 0 {
            c.next_free = self.free_session;
            self.free_session = s;
        }
        if c.recorded != NONE {
            let recorded = std::mem::replace(&mut c.recorded, NONE);
            self.replay.give_back(recorded);
        }
    }

    #[inline]
    fn free_or_new_slot(&mut self) -> Sid {
        let s = self.free_session;
        match self.sessions.get(s as usize) {
            Some(c) => {
                self.free_session = c.next_free;
                s
            }
            None => self.new_slot(),
        }
    }

    #[cold]
    fn new_slot(&mut self) -> Sid {
        self.sessions.push(Control::new());
        (self.sessions.len() - 1) as Sid
    }

    /// A slot for a leg that `parent` forks, to begin in state `at`: its built-in attributes are its parent's, save
    /// `computed`, since it is in no hold; `path` tells its draws from its session's and other legs'.
    pub(crate) fn open_leg(&mut self, parent: Sid, at: u32, path: u64) -> Sid {
        let s = self.free_or_new_slot();
        let of = self.control(parent);
        let (b, serial, recorded) = (of.b, of.serial, NONE);
        let (admission, token, decoded) = (of.admission, of.token, of.decoded);
        let rng = Some(self.leg_streams.stream(serial, path));
        let c = &mut self.sessions[s as usize];
        c.reopen(serial, true);
        (c.at, c.b, c.rng, c.recorded) = (at, b, rng, recorded);
        (c.admission, c.token, c.decoded) = (admission, token, decoded);
        c.b.computed = 0.0;
        if self.first_woken == s {
            self.first_woken = NONE;
        }
        s
    }

    /// The slot is free once no entry names it.
    #[inline]
    pub(crate) fn free_slot(&mut self, s: Sid) {
        let c = &mut self.sessions[s as usize];
        if !c.live && (!self.keep_slots || c.entries == 0) {
            c.next_free = self.free_session;
            self.free_session = s;
        }
    }

    /// An entry that names `s` is gone.
    pub(crate) fn entry_gone(&mut self, s: Sid) {
        if self.keep_slots {
            self.sessions[s as usize].entries -= 1;
            self.free_slot(s);
        }
    }
}

impl Control {
    fn new() -> Self {
        Self {
            at: 0,
            b: Default::default(),
            serial: 0,
            live: false,
            admission: f64::INFINITY,
            holds: Vec::new(),
            leases: Vec::new(),
            job: Job::None,
            queued: None,
            stalled: None,
            token: f64::NAN,
            decoded: false,
            preempted_at: f64::NAN,
            stuck: false,
            recorded: NONE,
            next_recorded: 0,
            entries: 0,
            prefixes: 0,
            next_free: NONE,
            rng: None,
            ready: false,
            wake: 0,
            woken_at: -1.0,
            wakes: 0,
        }
    }

    /// A new session in a slot whose last one has ended; what only holds and engines change is as it was
    /// in a program without them.
    #[inline]
    fn reopen(&mut self, serial: u64, holds: bool) {
        self.at = 0;
        self.b.serial = float(serial);
        self.b.turn_no = 0.0;
        self.serial = serial;
        self.live = true;
        self.woken_at = -1.0;
        self.rng = None;
        if holds {
            self.b.cached = 0.0;
            self.b.computed = 0.0;
            self.admission = f64::INFINITY;
            self.token = f64::NAN;
            self.decoded = false;
            self.preempted_at = f64::NAN;
            self.stuck = false;
        }
    }

    /// A hold of the session is over.
    #[inline]
    pub(crate) fn forget_hold(&mut self) {
        self.b.computed = 0.0;
        self.preempted_at = f64::NAN;
    }

    /// A new session of a trace, at its first turn.
    fn rewind(&mut self, recorded: u32) {
        self.recorded = recorded;
        self.next_recorded = 0;
        self.b = Builtins { new: 0.0, out: 0.0, think: 0.0, more: 0.0, forced: 0.0, ..self.b };
    }
}

/// Creates `n` sessions: all of them and their `init`s first, then they are ready.
pub(crate) fn spawn<W: World>(w: &mut W, n: u64) {
    // One at a time the common way; the slots of a batch are noted.
    if n == 1 {
        let s = create(w);
        w.kernel_mut().make_ready(s);
        return;
    }
    let all: Vec<Sid> = (0..n).map(|_| create(w)).collect();
    for s in all {
        w.kernel_mut().make_ready(s);
    }
}

/// Creates a session and runs its `init`.
#[inline]
pub(crate) fn create<W: World>(w: &mut W) -> Sid {
    let s = w.kernel_mut().open(Uses::<W>::POOLS || Uses::<W>::STEP);
    *w.attrs_mut(s) = W::Attrs::default();
    if Uses::<W>::CACHED {
        cache::disown(w, s);
    }
    let k = w.kernel_mut();
    if Uses::<W>::FAILS {
        k.outages.open(s);
    }
    if Uses::<W>::SHARES {
        k.sharing.contents.open(s, k.sessions[s as usize].serial);
    }
    if !k.replay.is_nothing() {
        assign(k, s);
    }
    k.open_turn_stream(s);
    w.init_block(s);
    s
}

/// A session of a trace gets what it replays.
#[inline(never)]
fn assign(k: &mut Kernel, s: Sid) {
    let serial = k.control(s).serial;
    match k.replay.assign(serial) {
        Ok(recorded) => {
            k.control_mut(s).rewind(recorded);
            if k.sharing.is_used() {
                for i in 0..k.replay.prefix(recorded).len() {
                    let (key, tokens) = k.replay.prefix(recorded)[i];
                    k.add_segment(s, key, tokens, None);
                }
            }
        }
        Err(why) => k.raise(FaultKind::Trace(why), None, Some(s)),
    }
}

/// `turn;`: the next turn of a session; a trace's attributes, then the workload's `turn` block.
#[inline]
pub fn next_turn<W: World>(w: &mut W, s: Sid) {
    let k = w.kernel_mut();
    if k.measured() {
        k.turns += 1;
    }
    let c = &mut k.sessions[s as usize];
    c.b.turn_no += 1.0;
    c.token = f64::NAN;
    c.decoded = false;
    if c.recorded != NONE {
        let turns = k.replay.turns(c.recorded);
        if let Some(t) = turns.get(c.next_recorded as usize) {
            (c.b.new, c.b.out, c.b.think, c.b.forced) = (t.new, t.out, t.think, t.forced);
            c.next_recorded += 1;
        }
        c.b.more = f64::from((c.next_recorded as usize) < turns.len());
    }
    k.open_turn_stream(s);
    w.turn_block(s);
}

/// What a session holds is given back.
pub(crate) fn give_holds_back<W: World>(w: &mut W, s: Sid) {
    while let Some(h) = w.kernel_mut().control_mut(s).holds.pop() {
        hold::give_back(w, &h);
        w.kernel_mut().control_mut(s).forget_hold();
    }
}

/// What a session holds, leases and has booked is given back.
pub(crate) fn give_all_back<W: World>(w: &mut W, s: Sid) {
    give_holds_back(w, s);
    if W::LEGS {
        legs::give_bookings_back(w, s);
    }
    while let Some(&lease) = w.kernel().control(s).leases.first() {
        hold::end_lease(w, lease);
    }
}

/// The session ends: its holds and leases are given back, its prefixes stay. With legs that are not over it ends when
/// they are.
#[inline]
pub fn end_session<W: World>(w: &mut W, s: Sid) {
    if W::LEGS && legs::ends_later(w, s) {
        return;
    }
    if !W::HOLDS.is_empty() {
        give_all_back(w, s);
    }
    let k = w.kernel_mut();
    if W::LEGS {
        legs::forget(k, s);
    }
    k.close(s, Uses::<W>::SPILLS);
    if matches!(w.arrivals(), Arrivals::Closed(_)) {
        let k = w.kernel_mut();
        if !k.count_replacement() {
            k.raise(FaultKind::Replaced, Some(W::ARRIVE_SITE), Some(s));
            return;
        }
        spawn(w, 1);
    }
    let k = w.kernel_mut();
    if k.live == 0 && k.settings.arrivals.is_some_and(|n| k.arrived >= n) {
        k.stop = true;
        k.end_run();
    }
}
