//! The decoding residents of an engine as one cohort that advances together.
//!
//! While every decoding resident gets a token in every iteration, it is what it was when it joined and
//! the step at which it did: in which step it takes its last token, and in which it takes a block, are
//! known then. A step costs what completes and what is admitted, not what is resident, and whole runs
//! of steps are planned from the same numbers (`runs`). Whoever prefills is outside the cohort and handled one by one, and
//! so are those who take their last tokens in the present step, where some last tokens are fractions. The additions are those of one
//! resident after the other, in the same order. A step short of budget or memory, a preemption, an
//! amount too close to a tolerance: the cohort dissolves into its residents.

use super::{Seat, phases::Phases};
use crate::{
    engine::runs::add_ones,
    hold::Alloc,
    kernel::{NONE, whole},
    world::{AtStage, World},
};

/// Of a seat outside the cohort.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// Numbers that are compared at once.
const PART: usize = 8;

/// The cohort; `last` is by place in [`Engine::seats`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Cohort {
    /// Residents are in it; off: every seat says itself what it has.
    pub on: bool,
    /// Nothing has changed since it could not be formed.
    pub refused: bool,
    /// Steps that ended.
    pub step: u32,
    /// The step of each one's last token; [`OUTSIDE`] for those not in it.
    pub last: Vec<u32>,
    pub outside: usize,
    /// The least of `last`.
    pub next: u32,
    /// The last token of each member is a whole one, and it is a member as it takes it.
    pub whole: bool,
    /// A step at which somebody begins to take blocks who had some in hand.
    pub until: u32,
    /// Who takes a block in which step.
    pub phases: Phases,
    /// When the last step ended.
    pub ended: f64,
    /// Times of the last tokens of those in their first step, where it was not when the last step ended.
    pub fresh: Vec<f64>,
    /// The step being planned has taken what it needs.
    pub committed: bool,
    /// Of [`Engine::served`], those that were resident before the step's admissions.
    pub residents: usize,
    /// Those that are served one by one in the step that is planned.
    pub single: Vec<Single>,
}

/// A seat that is served one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    pub place: u32,
    /// Members that are served before it.
    pub before: u32,
    /// What it takes.
    pub tokens: f64,
}

impl Cohort {
    /// Members.
    #[inline]
    pub fn members(&self) -> usize {
        self.last.len() - self.outside
    }

    /// Steps from the present one on in which nothing changes but positions and blocks.
    #[inline]
    pub fn quiet_steps(&self) -> u32 {
        self.next.min(self.until) - self.step
    }

    /// Members take their last tokens in the present step, and not all members' last tokens are whole.
    #[inline]
    pub fn parts(&self) -> bool {
        self.next == self.step && !self.whole
    }

    /// After `steps` steps members take their last tokens, whole ones, and nobody takes a block.
    #[inline]
    pub fn last_alike(&self, steps: u32) -> bool {
        let step = self.step + steps;
        self.whole && self.next == step && step < self.until && self.phases.takers(step) == 0
    }

    /// No member takes its last token in the next `steps` steps or the present one.
    #[inline]
    pub fn all_go_on(&self, steps: u32) -> bool {
        self.on && self.next > self.step + steps
    }

    /// Of a cohort that there is: no member takes its last token in the present step.
    #[inline]
    pub fn all_go_on_now(&self) -> bool {
        self.next > self.step
    }

    /// A seat was added after all others, for which there is room.
    #[inline]
    pub fn seated_last(&mut self) {
        self.refused = false;
        if self.on {
            assert!(self.last.len() < self.last.capacity(), "room was made");
            self.last.push(OUTSIDE);
            self.outside += 1;
        }
    }

    /// A seat was added at `place`.
    pub fn seated(&mut self, place: usize) {
        self.refused = false;
        if self.on {
            self.last.insert(place, OUTSIDE);
            self.outside += 1;
        }
    }

    /// The seat at `place`, not a member, was taken away.
    #[inline]
    pub fn unseated(&mut self, place: usize) {
        self.refused = false;
        if self.on {
            self.shrink(place);
        }
    }

    /// As [`Cohort::unseated`], when there is a cohort.
    #[inline]
    pub fn shrink(&mut self, place: usize) {
        take_out(&mut self.last, place);
        self.outside -= 1;
    }

    /// Whether the seat at `place` is in it.
    #[inline]
    pub fn has(&self, place: usize) -> bool {
        self.on && self.last[place] != OUTSIDE
    }

    /// Steps that the seat at `place` has behind it that it does not know of.
    #[inline]
    pub fn behind(&self, place: usize, seat: &Seat) -> u32 {
        if self.has(place) { self.step - seat.base } else { 0 }
    }

    /// Fills `single` with those outside and, where some are `due`, with members that take their last tokens in the
    /// present step, by place.
    pub fn list_singles(&mut self, due: bool) {
        let (from, step) = if due { (0, self.step) } else { (self.first_outside(), OUTSIDE) };
        let Self { last, single, .. } = self;
        single.clear();
        each_place(
            last,
            from,
            |x| (x == step) | (x == OUTSIDE),
            |place| {
                let before = place - single.len() as u32;
                single.push(Single { place, before, tokens: 0.0 });
            },
        );
    }

    /// Finds the next step in which a member takes its last token.
    pub fn find_next(&mut self) {
        self.next = self.last.iter().fold(OUTSIDE, |least, &x| least.min(x));
    }

    /// Adds the places of members that take their last tokens next, upwards, and finds the step in which others do.
    #[inline]
    pub fn list_due(&mut self, places: &mut Vec<u32>) {
        match self.last.len() < PART {
            true => self.list_due_of_few(places),
            false => self.list_due_of_many(places),
        }
    }

    /// As [`Cohort::list_due`], of a part or more.
    fn list_due_of_many(&mut self, places: &mut Vec<u32>) {
        // Mostly it is one, and there is room: the rest is apart, so that this needs no frame of its own.
        match only_due(&self.last, self.next) {
            Some((place, next)) if places.len() < places.capacity() => {
                places.push(place);
                self.next = next;
            }
            _ => self.list_several_due(places),
        }
    }

    /// As [`Cohort::list_due`], however many.
    #[inline(never)]
    fn list_several_due(&mut self, places: &mut Vec<u32>) {
        let due = self.next;
        each_place(&self.last, 0, |x| x == due, |place| places.push(place));
        let others = self.last.iter().map(|&x| if x == due { OUTSIDE } else { x });
        self.next = others.fold(OUTSIDE, |least, x| least.min(x));
    }

    /// As [`Cohort::list_due`], of fewer than a part.
    fn list_due_of_few(&mut self, places: &mut Vec<u32>) {
        let due = self.next;
        self.next = OUTSIDE;
        for (place, &x) in (0..).zip(&self.last) {
            if x == due {
                places.push(place);
            } else {
                self.next = self.next.min(x);
            }
        }
    }

    /// The place of the first of those outside, who are mostly the newest.
    #[inline]
    pub fn first_outside(&self) -> usize {
        if self.outside == 1 && self.last.last() == Some(&OUTSIDE) {
            return self.last.len() - 1;
        }
        let (mut place, mut outside) = (self.last.len(), self.outside);
        while outside > 0 && place > 0 {
            place -= 1;
            outside -= usize::from(self.last[place] == OUTSIDE);
        }
        place
    }

    /// Of a cohort that there is: some member took its last token in a step that is over.
    #[inline]
    pub fn any_due(&self) -> bool {
        self.next < self.step
    }

    /// A step of the cohort is over.
    #[inline]
    pub fn advance(&mut self, steps: u32, now: f64) {
        self.step += steps;
        self.ended = now;
        self.fresh.clear();
    }
}

/// Takes one element out of a list, which has it.
#[inline]
pub(super) fn take_out<T: Copy>(list: &mut Vec<T>, at: usize) {
    debug_assert!(at < list.len(), "{at} of {}", list.len());
    let rest = list.len().saturating_sub(1);
    // Mostly there is nothing to be moved.
    if at < rest {
        list.copy_within(at + 1.., at);
    }
    list.truncate(rest);
}

/// The place of the one number that is `due`, and the least of the others; `None` if there are several, or too many numbers
/// to tell. There is no branch on which it is, as it may be any.
#[inline]
fn only_due(numbers: &[u32], due: u32) -> Option<(u32, u32)> {
    let (parts, rest) = numbers.as_chunks::<PART>();
    // What is left after whole parts is among the last ones.
    let last = numbers.last_chunk::<PART>().filter(|_| parts.len() < u32::BITS as usize)?;
    let mut tail = *NOT_LAST[rest.len()..].first_chunk::<PART>()?;
    for i in 0..PART {
        tail[i] |= last[i];
    }
    let mut found = Found { least: [OUTSIDE; PART], hits: [0; PART], which: [0; PART] };
    let mut bits = [1; PART];
    for part in parts {
        found.note(part, due, &bits);
        for bit in &mut bits {
            *bit <<= 1;
        }
    }
    found.note(&tail, due, &bits);
    let Found { least, hits, which } = found;
    let mut lanes = [0; PART];
    for i in 0..PART {
        lanes[i] = hits[i] & 1 << i;
    }
    let lanes = lanes.iter().fold(0, |any, x| any | x);
    let which = which.iter().fold(0, |any, x| any | x);
    if !(u32::is_power_of_two(lanes) && u32::is_power_of_two(which)) {
        return None;
    }
    let part = which.trailing_zeros() as usize;
    let first = if part == parts.len() { numbers.len() - PART } else { part * PART };
    let next = least.iter().fold(OUTSIDE, |least, &x| least.min(x));
    Some((first as u32 + lanes.trailing_zeros(), next))
}

/// All bits for as many numbers as are in parts before the last ones.
const NOT_LAST: [u32; 2 * PART] = {
    let (mut bits, mut i) = ([0; 2 * PART], 0);
    while i < PART {
        bits[i] = OUTSIDE;
        i += 1;
    }
    bits
};

/// What is found in parts of numbers, by place in the part.
struct Found {
    /// The least that are not due.
    least: [u32; PART],
    /// All bits where some are due.
    hits: [u32; PART],
    /// A bit for each part where they are.
    which: [u32; PART],
}

impl Found {
    /// Looks for numbers that are `due` in a part, which has these bits.
    #[inline]
    fn note(&mut self, part: &[u32; PART], due: u32, bits: &[u32; PART]) {
        let mut hit = [0; PART];
        for i in 0..PART {
            // All bits, which is nobody's step.
            hit[i] = if part[i] == due { OUTSIDE } else { 0 };
        }
        for i in 0..PART {
            self.least[i] = self.least[i].min(part[i] | hit[i]);
        }
        for i in 0..PART {
            self.hits[i] |= hit[i];
            self.which[i] |= hit[i] & bits[i];
        }
    }
}

/// Calls `f` with the places, from `from` on, of the numbers that are such ones.
#[inline]
fn each_place(numbers: &[u32], from: usize, such: impl Fn(u32) -> bool, mut f: impl FnMut(u32)) {
    let (parts, rest) = numbers[from..].as_chunks::<PART>();
    let any = |part: &[u32; PART]| part.iter().fold(false, |any, &x| any | such(x));
    let mut look = |part: &[u32], from: usize| {
        let hits = part.iter().enumerate().filter(|(_, x)| such(**x));
        hits.for_each(|(i, _)| f((from + i) as u32));
    };
    let mut place = from;
    for part in parts {
        if any(part) {
            look(part, place);
        }
        place += PART;
    }
    // The rest is among the last ones.
    if numbers.last_chunk().is_none_or(any) {
        look(rest, place);
    }
}

/// What grows with a resident: its position and units before step `step`.
pub(super) struct Growing {
    pub position: f64,
    pub units: f64,
}

/// What a member that grows by blocks of `block` has after `n` steps that it does not know of.
#[inline]
pub(super) fn growing(a: &Alloc, block: f64, n: u32) -> Growing {
    let position = add_ones(a.position, n as usize);
    let mut units = a.units;
    let short = position - units;
    // A prefix may be longer than the units: nothing is taken for it before its next step.
    if n > 0 && short > 1e-12 {
        units += whole::ceil((short - 1e-12) / block) * block;
    }
    Growing { position, units }
}

/// Units of the memory pool that a member took since it joined.
#[inline]
pub(super) fn taken<W: World>(w: &W, stage: impl AtStage, place: usize) -> f64 {
    let e = w.engine(stage);
    let seat = &e.seats[place];
    match (e.cohort.has(place), seat.growing) {
        (false, _) | (_, NONE) => 0.0,
        (true, alloc) => {
            // A step under way has taken its block already.
            let begun = u32::from(e.iterating || e.cohort.committed);
            let ended = e.run.ended_before(w.kernel().now);
            let n = e.cohort.behind(place, seat) + ended + begun;
            let a = &w.kernel().allocs[alloc];
            growing(a, w.pool(a.pool).block, n).units - a.units
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cohort, OUTSIDE};
    use crate::rng::{Stream, StreamKind};

    #[test]
    fn those_due_next_are_listed_wherever_they_are() {
        let mut draws = Stream::new(3, StreamKind::Machine, 0, 0);
        for len in (1..70).chain([247, 248, 255, 256, 257, 300]) {
            for (round, steps) in [3, 10, 100, 1000, 10_000].into_iter().enumerate() {
                let mut step = || match draws.below(steps) {
                    0 => OUTSIDE,
                    x => x as u32 + 7,
                };
                let last: Vec<u32> = (0..len).map(|_| step()).collect();
                let next = last.iter().copied().min().unwrap_or(OUTSIDE);
                if next == OUTSIDE {
                    continue;
                }
                let later = last.iter().copied().filter(|x| *x != next).min();
                let due = (0..len as u32).filter(|place| last[*place as usize] == next);
                let mut cohort = Cohort { last: last.clone(), next, ..Cohort::default() };
                let mut places = Vec::with_capacity(round);
                cohort.list_due(&mut places);
                assert_eq!(places, due.collect::<Vec<_>>(), "of {last:?}");
                assert_eq!(cohort.next, later.unwrap_or(OUTSIDE), "of {last:?}");
            }
        }
    }
}
