//! The end of an iteration: its tokens are applied, and jobs without any left are done, in the order
//! in which they were served.

use super::{
    Engine, Seat,
    cohort::{self, Cohort},
    leavers, order,
    runs::{self, add_ones},
    units,
};
use crate::{
    kernel::{Job, Kernel, NONE},
    pool::Pool,
    station::{self, spec},
    stats::GapHistogram,
    uses::{Uses, UsesAt},
    world::{AtStage, OnStage, Sid, World},
};

/// A job with no more tokens than this left is done.
pub(super) const DONE: f64 = 1e-9;

/// Equal gaps that follow one another, added at once.
pub(super) struct GapRun<'a> {
    gaps: &'a mut GapHistogram,
    gap: f64,
    times: u64,
}

impl<'a> GapRun<'a> {
    pub fn new(gaps: &'a mut GapHistogram) -> Self {
        Self { gaps, gap: 0.0, times: 0 }
    }

    /// `times` gaps of so many seconds.
    #[inline]
    pub fn add(&mut self, gap: f64, times: u64) {
        if gap != self.gap && self.times > 0 {
            self.gaps.add(self.gap, self.times);
            self.times = 0;
        }
        self.gap = gap;
        self.times += times;
    }

    #[inline]
    pub fn finish(self) {
        if self.times > 0 {
            self.gaps.add(self.gap, self.times);
        }
    }
}

/// [`end`], as an operation.
pub(crate) struct End;

impl<W: World> OnStage<W> for End {
    type Out = Sid;
    #[inline]
    fn run(self, w: &mut W, at: impl AtStage) -> Sid {
        end(w, at)
    }
}

/// The iteration (or the planned run of them) of this engine ends now. Returns the session that goes on first, or
/// [`NONE`].
#[inline]
fn end<W: World, S: AtStage>(w: &mut W, stage: S) -> Sid {
    let of_run = UsesAt::<W, S>::RUNS && w.engine(stage).run.active();
    if of_run && !runs::end(w, stage) {
        return NONE;
    }
    let (e, mut memory, k) = w.engine_parts(stage);
    station::changed::<W>(k, stage);
    let cohort = UsesAt::<W, S>::RUNS && e.cohort.on;
    let first = if !of_run && e.one_takes_all(cohort) {
        end_of_one::<W>(e, memory.as_deref(), k, cohort)
    } else {
        match of_run {
            true => e.note_over(k.now),
            false => e.end_iteration(k.now, k.measured(), cohort),
        }
        if cohort && e.cohort.any_due() {
            leavers::retire(e, memory.as_deref_mut(), k);
        }
        match e.served.is_empty() {
            true => NONE,
            false => {
                complete::<W>(e, memory.as_deref(), k, spec::<W>(stage).serve_keys > 0, cohort)
            }
        }
    };
    k.startable.put(station::flat::<W>(stage, e.flat), e.has_work());
    first
}

/// An iteration ends in which one resident was served that is no member of the cohort, and none of the members took
/// its last token. Returns its session if it is done, which goes on, or [`NONE`].
#[inline(always)]
fn end_of_one<W: World>(
    e: &mut Engine,
    memory: Option<&Pool<W::Attrs>>,
    k: &mut Kernel,
    cohort: bool,
) -> Sid {
    let (now, measured) = (k.now, k.measured());
    e.note_end(now, measured, cohort);
    let place = e.served.pop().unwrap_or_default() as usize;
    let others = if cohort { e.cohort.members() } else { 0 };
    let done = e.one_takes_tokens(place, others, now, measured);
    if cohort {
        e.cohort.advance(1, now);
    }
    match done {
        true => complete_alone::<W>(e, memory, k, place, cohort),
        false => NONE,
    }
}

impl Seat {
    /// Takes the tokens of the iteration: how many, and whether none are left.
    #[inline]
    fn take_tokens(&mut self) -> (f64, bool) {
        let tokens = std::mem::take(&mut self.tokens);
        self.left -= tokens;
        (tokens, self.left <= DONE)
    }

    /// It may have a token of its answer at `now`, when an iteration ends that began at `began` and lasted `lasts`
    /// seconds: a decode has, and a prefill that is done. The gap to the token before, if there is one.
    #[inline]
    fn note_token(&mut self, done: bool, now: f64, began: f64, lasts: f64) -> Option<f64> {
        if !self.decode && !done {
            return None;
        }
        let follows = !self.token.is_nan() && (self.decode || self.decoded);
        let gap = follows.then(|| super::gap(self.token, now, began, lasts));
        self.token = now;
        self.decoded |= self.decode;
        gap
    }
}

impl Engine {
    /// All that were in the iteration are members of the `cohort`, if there is one, that go on, but for one.
    #[inline]
    fn one_takes_all(&self, cohort: bool) -> bool {
        let Engine { seats, served, cohort: c, .. } = self;
        let members = if cohort { c.members() } else { 0 };
        served.len() == 1 && members + 1 == seats.len() && (!cohort || c.all_go_on_now())
    }

    /// An iteration is over.
    #[inline]
    pub(super) fn note_over(&mut self, now: f64) {
        self.iterating = false;
        self.shares.end(now);
    }

    /// As [`Engine::note_over`]; counts the gaps of members of the `cohort`, if there is one.
    #[inline]
    fn note_end(&mut self, now: f64, measured: bool, cohort: bool) {
        self.note_over(now);
        if cohort && measured {
            let add = |gap, times| self.gaps.add(gap, times);
            cohort_gaps(&self.cohort, now, self.began, self.lasts, add);
        }
    }

    /// All that were in the iteration take their tokens; `served` lists those, upwards, that have none left.
    #[inline]
    fn end_iteration(&mut self, now: f64, measured: bool, cohort: bool) {
        self.note_end(now, measured, cohort);
        if !cohort {
            self.take_tokens(now, measured);
            return;
        }
        if self.cohort.outside > 0 {
            self.take_tokens(now, measured);
        } else if measured {
            self.decode_tokens = add_ones(self.decode_tokens, self.seats.len());
        }
        self.cohort.advance(1, now);
    }

    /// The resident at `place`, which alone was served that is no member, takes its tokens; and those of the members are
    /// counted around them. Whether it has none left.
    #[inline]
    fn one_takes_tokens(&mut self, place: usize, members: usize, now: f64, measured: bool) -> bool {
        let (began, lasts) = (self.began, self.lasts);
        let Engine { seats, gaps, prefill_tokens, decode_tokens, .. } = self;
        let seat = &mut seats[place];
        let (tokens, done) = seat.take_tokens();
        if measured {
            if seat.decode {
                *decode_tokens = if members == 0 {
                    *decode_tokens + tokens
                } else {
                    let sum = add_ones(*decode_tokens, place) + tokens;
                    add_ones(sum, members - place)
                };
            } else {
                if members > 0 {
                    *decode_tokens = add_ones(*decode_tokens, members);
                }
                *prefill_tokens += tokens;
            }
        }
        if let Some(gap) = seat.note_token(done, now, began, lasts)
            && measured
        {
            gaps.add(gap, 1);
        }
        done
    }

    /// `served` has the places of all that are no members, upwards; those may be members whose neighbours are.
    fn list_served(&mut self) {
        let Engine { seats, served, cohort, .. } = self;
        if served.len() + cohort.members() != seats.len() {
            served.clear();
            served.extend(0..seats.len() as u32);
        } else if !served.is_sorted() {
            served.sort_unstable();
        }
    }

    /// All that are no members of the cohort take their tokens; and what members decode is counted, between them.
    fn take_tokens(&mut self, now: f64, measured: bool) {
        self.list_served();
        let (began, lasts) = (self.began, self.lasts);
        let Engine { seats, gaps, prefill_tokens, decode_tokens, served, cohort, .. } = self;
        let mut gaps = GapRun::new(gaps);
        // Decoders with a token each that are not counted yet, and places that were passed.
        let (mut ones, mut passed) = (0, 0);
        let mut all_done = 0;
        for i in 0..served.len() {
            let place = served[i];
            ones += place as usize - passed;
            passed = place as usize + 1;
            if cohort.has(place as usize) {
                ones += 1;
                continue;
            }
            let seat = &mut seats[place as usize];
            let (tokens, done) = seat.take_tokens();
            if tokens == 0.0 {
                continue;
            }
            if !seat.decode {
                *prefill_tokens += if measured { tokens } else { 0.0 };
            } else if tokens == 1.0 {
                ones += 1;
            } else if measured {
                *decode_tokens = add_ones(*decode_tokens, std::mem::take(&mut ones)) + tokens;
            }
            if let Some(gap) = seat.note_token(done, now, began, lasts)
                && measured
            {
                gaps.add(gap, 1);
            }
            if done {
                served[all_done] = place;
                all_done += 1;
            }
        }
        gaps.finish();
        served.truncate(all_done);
        ones += seats.len() - passed;
        if measured && ones > 0 {
            *decode_tokens = add_ones(*decode_tokens, ones);
        }
    }
}

/// Calls `add` with the token gaps (s) of a cohort's members at the end of a step, and how many there are.
#[inline]
pub(super) fn cohort_gaps(
    cohort: &Cohort,
    now: f64,
    began: f64,
    lasts: f64,
    mut add: impl FnMut(f64, u64),
) {
    let old = cohort.members() - cohort.fresh.len();
    if old > 0 {
        add(super::gap(cohort.ended, now, began, lasts), old as u64);
    }
    for &token in &cohort.fresh {
        if !token.is_nan() {
            add(super::gap(token, now, began, lasts), 1);
        }
    }
}

/// The seats listed in `served` are done; `ranked` says that they are to go in the order of service. Returns the
/// session of the first of them, which goes on before those that are ready.
#[inline]
fn complete<W: World>(
    e: &mut Engine,
    memory: Option<&Pool<W::Attrs>>,
    k: &mut Kernel,
    ranked: bool,
    cohort: bool,
) -> Sid {
    match e.served[..] {
        [place] => {
            e.served.clear();
            complete_alone::<W>(e, memory, k, place as usize, cohort)
        }
        _ => {
            let first = complete_all::<W>(e, memory, k, ranked);
            e.measures.set_jobs(k.now, e.seats.len());
            first
        }
    }
}

/// As [`complete`], of the seat at `place`.
#[inline]
fn complete_alone<W: World>(
    e: &mut Engine,
    memory: Option<&Pool<W::Attrs>>,
    k: &mut Kernel,
    place: usize,
    cohort: bool,
) -> Sid {
    let s = complete_one::<W>(e, memory, k, place);
    e.unseat(place, cohort);
    e.measures.set_jobs(k.now, e.seats.len());
    s
}

/// As [`complete`], of several.
#[inline(never)]
fn complete_all<W: World>(
    e: &mut Engine,
    memory: Option<&Pool<W::Attrs>>,
    k: &mut Kernel,
    ranked: bool,
) -> Sid {
    if Uses::<W>::SERVE_KEYS && ranked {
        order::sort_by_rank(&mut e.served, &e.seats);
    }
    let mut first = NONE;
    for i in 0..e.served.len() {
        let s = complete_one::<W>(e, memory, k, e.served[i] as usize);
        if first == NONE {
            first = s;
        } else {
            k.make_ready(s);
        }
    }
    if Uses::<W>::SERVE_KEYS {
        e.served.sort_unstable();
    }
    while let Some(place) = e.served.pop() {
        let cohort = e.cohort.on;
        e.unseat(place as usize, cohort);
    }
    first
}

/// The job of the seat at `place` is counted as done; its session, which has no job now.
#[inline]
fn complete_one<W: World>(
    e: &mut Engine,
    memory: Option<&Pool<W::Attrs>>,
    k: &mut Kernel,
    place: usize,
) -> Sid {
    let (now, measured) = (k.now, k.measured());
    let Engine { seats, measures, decoders, kv_decode, kv_prefill, .. } = e;
    let seat = &seats[place];
    station::complete::<W>(measures, now, seat.started, seat.started, measured);
    let kv = units(memory, seat.session);
    if seat.decode {
        *decoders -= 1;
        *kv_decode -= kv;
    } else {
        *kv_prefill -= kv;
    }
    let c = k.control_mut(seat.session);
    (c.token, c.decoded, c.job) = (seat.token, seat.decoded, Job::None);
    seat.session
}

impl Engine {
    /// The seat at `place`, no member of the `cohort`, if there is one, is gone.
    #[inline]
    fn unseat(&mut self, place: usize, cohort: bool) {
        cohort::take_out(&mut self.seats, place);
        self.cohort.refused = false;
        if cohort {
            self.cohort.shrink(place);
        }
    }
}
