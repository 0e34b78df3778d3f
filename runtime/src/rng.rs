//! Random streams: one generator per (seed, kind, session, turn), and the distributions of the language.
//!
//! The generator is xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number
//! generators", ACM TOMS 47(4), 2021). Its state comes from SplitMix64 (Steele, Lea and Flood,
//! "Fast splittable pseudorandom number generators", OOPSLA 2014) over all four numbers, so that two
//! seeds, sessions or turns share nothing. Draws use IEEE operations only: a seed gives the same
//! bytes on every machine.

use crate::stats::ln_of_normal;

/// What a stream is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamKind {
    /// Gaps between arrivals.
    Arrival,
    /// Which session of a trace is replayed.
    Trace,
    /// A session's statements.
    Session,
    /// A workload's `init` (turn 0) and `turn` blocks: the same under every deployment.
    Turn,
    /// Draws of the machine, as in eviction keys.
    Machine,
    /// A leg's statements; in the place of a turn which leg of its session it is.
    Leg,
}

/// A stream of draws: the state of its generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream([u64; 4]);

/// SplitMix64's step between states.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's output function, a bijection.
#[inline]
pub(crate) fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Takes in one of a stream's numbers.
#[inline]
fn absorb(state: u64, word: u64) -> u64 {
    mix((state ^ word).wrapping_add(GOLDEN))
}

/// A number for part `i` of what has the number `whole`.
#[inline]
pub(crate) fn part(whole: u64, i: u64) -> u64 {
    absorb(whole, i)
}

/// All streams of one seed and kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streams(u64);

impl Streams {
    #[inline]
    pub fn new(seed: u64, kind: StreamKind) -> Self {
        Self(absorb(mix(seed.wrapping_add(GOLDEN)), kind as u64))
    }

    /// The stream of this session and turn.
    #[inline]
    pub fn stream(self, session: u64, turn: u64) -> Stream {
        let state = absorb(absorb(self.0, session), turn);
        // Word by word: a program may draw once from each of millions of streams.
        let word = |i: u64| mix(state.wrapping_add(GOLDEN.wrapping_mul(i)));
        Stream([word(1), word(2), word(3), word(4)])
    }
}

impl Stream {
    /// The stream of these four; `session` and `turn` are 0 where they mean nothing.
    #[inline]
    pub fn new(seed: u64, kind: StreamKind, session: u64, turn: u64) -> Self {
        Streams::new(seed, kind).stream(session, turn)
    }

    /// The generator's next number.
    #[inline]
    fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let (x, y) = (c ^ a, d ^ b);
        self.0 = [a ^ y, b ^ x, x ^ b << 17, y.rotate_left(45)];
        a.wrapping_add(d).rotate_left(23).wrapping_add(a)
    }

    /// Uniform on [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn u01(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Exponential with this mean: -mean ln(1 - U); 0 when the mean is 0.
    #[inline]
    pub fn exp(&mut self, mean: f64) -> f64 {
        // Not `-mean * …`: U = 0 must give 0 and not -0.
        0.0 - mean * ln_of_normal(1.0 - self.u01())
    }

    /// Uniform on [lo, hi): lo + (hi - lo) U; `lo` when both are equal.
    #[inline]
    pub fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        let u = self.u01();
        if lo == hi { lo } else { lo + (hi - lo) * u }
    }

    /// Sum of `k` exponentials, its mean `mean`; `k` is taken as a whole number of at least 1.
    pub fn erlang(&mut self, k: f64, mean: f64) -> f64 {
        let stages = k.round().clamp(1.0, 1e9) as u64;
        let mut sum = 0.0;
        let mut left = stages;
        while left > 0 {
            // One logarithm for up to 16 factors: each is at least 2^-53, so the product is a normal number.
            let some = left.min(16);
            let product: f64 = (0..some).map(|_| 1.0 - self.u01()).product();
            sum -= ln_of_normal(product);
            left -= some;
        }
        mean / stages as f64 * sum
    }

    /// Hyperexponential of two phases with balanced means and this squared coefficient of variation
    /// (at least 1; W. Whitt, "Approximating a point process by a renewal process", Operations
    /// Research 30(1), 1982). The first draw chooses the phase.
    pub fn h2(&mut self, mean: f64, cv2: f64) -> f64 {
        let p = 0.5 * (1.0 + ((cv2 - 1.0) / (cv2 + 1.0)).max(0.0).sqrt());
        let weight = if self.u01() < p { p } else { 1.0 - p };
        self.exp(0.5 * mean / weight)
    }

    /// 1 with probability `p` (U < p), else 0.
    #[inline]
    pub fn bernoulli(&mut self, p: f64) -> f64 {
        f64::from(self.u01() < p)
    }

    /// Uniform on 0, 1, …, n-1 (0 for n = 0), off by less than n 2^-64 in probability
    /// (D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019, without its rejection).
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::{
        SplitMix64, Xoshiro256PlusPlus,
        rand_core::{RngCore, SeedableRng},
    };

    #[test]
    fn streams_are_the_librarys() {
        for session in 0..100 {
            let mut ours = Stream::new(1, StreamKind::Session, session, 3);
            let bytes: Vec<u8> = ours.0.iter().flat_map(|word| word.to_le_bytes()).collect();
            let seed = bytes.try_into().unwrap_or_default();
            let mut library = Xoshiro256PlusPlus::from_seed(seed);
            for _ in 0..100 {
                assert_eq!(ours.next_u64(), library.next_u64());
            }
        }
    }

    #[test]
    fn states_are_numbers_of_splitmix64() {
        let of = absorb(absorb(Streams::new(1, StreamKind::Turn).0, 7), 2);
        let mut library = SplitMix64::seed_from_u64(of);
        let words = std::array::from_fn(|_| library.next_u64());
        assert_eq!(Stream::new(1, StreamKind::Turn, 7, 2).0, words);
    }

    /// Correlation of two series that are uniform on [0, 1).
    fn correlation(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
        let (mut n, mut sum) = (0.0, 0.0);
        for (a, b) in pairs {
            n += 1.0;
            sum += (a - 0.5) * (b - 0.5);
        }
        12.0 * sum / n
    }

    fn first(seed: u64, session: u64, turn: u64) -> f64 {
        Stream::new(seed, StreamKind::Turn, session, turn).u01()
    }

    /// Five standard deviations of a correlation of 20,000 independent pairs.
    const BOUND: f64 = 0.036;
    const PAIRS: u64 = 20_000;

    #[test]
    fn neighbouring_seeds_sessions_and_turns_are_uncorrelated() {
        let corr = |next: &dyn Fn(u64) -> (f64, f64)| correlation((0..PAIRS).map(next)).abs();
        assert!(corr(&|i| (first(i, 0, 1), first(i + 1, 0, 1))) < BOUND, "seeds");
        assert!(corr(&|i| (first(1, i, 1), first(1, i + 1, 1))) < BOUND, "sessions");
        assert!(corr(&|i| (first(1, 7, i), first(1, 7, i + 1))) < BOUND, "turns");
        assert!(corr(&|i| (first(1, i, 1), first(2, i, 1))) < BOUND, "one session under two seeds");
        assert!(
            corr(&|i| (first(1, i + 1, 1), first(2, i, 1))) < BOUND,
            "session + seed is no common stream"
        );
        assert!(corr(&|i| (first(1, i, 1), first(1, i, 2))) < BOUND, "a session's turns");
    }

    #[test]
    fn draws_in_one_stream_are_uncorrelated_and_uniform() {
        let mut s = Stream::new(5, StreamKind::Arrival, 0, 0);
        let draws: Vec<f64> = (0..PAIRS).map(|_| s.u01()).collect();
        assert!(correlation(draws.windows(2).map(|w| (w[0], w[1]))).abs() < BOUND);
        let mean = draws.iter().sum::<f64>() / PAIRS as f64;
        assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0 / PAIRS as f64).sqrt());
        assert!(draws.iter().all(|u| (0.0..1.0).contains(u)));
    }

    #[test]
    fn no_two_streams_are_alike() {
        use StreamKind::{Arrival, Leg, Machine, Session, Trace, Turn};
        let mut seen = std::collections::HashSet::new();
        for kind in [Arrival, Trace, Session, Turn, Machine, Leg] {
            for seed in 0..20 {
                for session in 0..20 {
                    for turn in 0..10 {
                        assert!(seen.insert(Stream::new(seed, kind, session, turn).next_u64()));
                    }
                }
            }
        }
    }

    #[test]
    fn a_stream_is_a_function_of_its_four_numbers() {
        let draw = || {
            let mut s = Stream::new(1, StreamKind::Session, 2, 0);
            [s.u01(), s.exp(1.0), s.erlang(40.0, 1.0), s.h2(1.0, 4.0)]
        };
        assert_eq!(draw(), draw());
    }

    /// Mean and squared coefficient of variation of 200,000 draws.
    fn moments(mut draw: impl FnMut(&mut Stream) -> f64) -> (f64, f64) {
        let mut s = Stream::new(11, StreamKind::Session, 3, 0);
        let n = 200_000.0;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..200_000 {
            let x = draw(&mut s);
            sum += x;
            squares += x * x;
        }
        let mean = sum / n;
        (mean, squares / n / mean / mean - 1.0)
    }

    fn near(got: (f64, f64), want: (f64, f64), tolerance: f64) {
        assert!(
            (got.0 / want.0 - 1.0).abs() < tolerance
                && (got.1 - want.1).abs() < tolerance * (1.0 + 5.0 * want.1),
            "{got:?} {want:?}"
        );
    }

    #[test]
    fn moments_of_the_distributions() {
        near(moments(|s| s.exp(3.0)), (3.0, 1.0), 0.015);
        near(moments(|s| s.uniform(2.0, 6.0)), (4.0, 16.0 / 12.0 / 16.0), 0.01);
        near(moments(|s| s.erlang(4.0, 2.0)), (2.0, 0.25), 0.01);
        near(moments(|s| s.erlang(40.0, 2.0)), (2.0, 0.025), 0.01);
        near(moments(|s| s.h2(2.0, 9.0)), (2.0, 9.0), 0.04);
        near(moments(|s| s.bernoulli(0.25)), (0.25, 3.0), 0.03);
        near(moments(|s| s.below(10) as f64), (4.5, 8.25 / 4.5 / 4.5), 0.01);
    }

    #[test]
    fn an_exponential_has_the_right_tail() {
        let mut s = Stream::new(2, StreamKind::Session, 0, 0);
        let beyond = (0..200_000).filter(|_| s.exp(1.0) > 3.0).count() as f64 / 200_000.0;
        assert!((beyond - (-3.0f64).exp()).abs() < 0.0025);
    }

    #[test]
    fn degenerate_draws() {
        let mut s = Stream::new(1, StreamKind::Session, 0, 0);
        for _ in 0..1000 {
            assert_eq!(s.exp(0.0).to_bits(), 0.0f64.to_bits());
            assert_eq!(s.erlang(3.0, 0.0), 0.0);
            assert_eq!(s.uniform(2.0, 2.0), 2.0);
            assert_eq!((s.bernoulli(0.0), s.bernoulli(1.0)), (0.0, 1.0));
            assert_eq!((s.below(1), s.below(0)), (0, 0));
            assert!(s.exp(f64::MAX) >= 0.0);
        }
    }
}
