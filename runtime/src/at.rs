//! Pools, stages and hold statements by number, or by a type that says the number.
//!
//! What is generic over [`AtPool`], [`AtStage`] or [`AtHold`] is compiled anew for each family that is
//! named by its type, with the family's constants folded in, and once for those only known in a run.

/// One pool: family and member.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, PartialOrd, Ord)]
pub struct PoolKey {
    /// Family number.
    pub family: u16,
    /// Member.
    pub member: u32,
}

/// One stage: family and member.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, PartialOrd, Ord)]
pub struct StageKey {
    /// Family number.
    pub family: u16,
    /// Member.
    pub member: u32,
}

/// A pool, of a family that may be known when the program is compiled: what is generic over it is
/// compiled anew for each family that is named by its type, with the family's constants folded in.
pub trait AtPool: Copy {
    /// Its family, if its type says it.
    const FAMILY: Option<u16>;
    /// Which one.
    fn key(self) -> PoolKey;
}

impl AtPool for PoolKey {
    const FAMILY: Option<u16> = None;
    #[inline]
    fn key(self) -> PoolKey {
        self
    }
}

/// Member of pool family `F`.
#[derive(Clone, Copy, Debug)]
pub struct PoolAt<const F: u16>(pub u32);

impl<const F: u16> PoolAt<F> {
    /// Member `member`.
    #[inline]
    pub const fn new(member: usize) -> Self {
        PoolAt(member as u32)
    }
}

impl<const F: u16> AtPool for PoolAt<F> {
    const FAMILY: Option<u16> = Some(F);
    #[inline]
    fn key(self) -> PoolKey {
        PoolKey { family: F, member: self.0 }
    }
}

/// As [`AtPool`], of a stage.
pub trait AtStage: Copy {
    /// Its family, if its type says it.
    const FAMILY: Option<u16>;
    /// Which one.
    fn key(self) -> StageKey;
}

impl AtStage for StageKey {
    const FAMILY: Option<u16> = None;
    #[inline]
    fn key(self) -> StageKey {
        self
    }
}

/// Member of stage family `F`.
#[derive(Clone, Copy, Debug)]
pub struct StageAt<const F: u16>(pub u32);

impl<const F: u16> StageAt<F> {
    /// Member `member`.
    #[inline]
    pub const fn new(member: usize) -> Self {
        StageAt(member as u32)
    }
}

impl<const F: u16> AtStage for StageAt<F> {
    const FAMILY: Option<u16> = Some(F);
    #[inline]
    fn key(self) -> StageKey {
        StageKey { family: F, member: self.0 }
    }
}

/// What is done with a stage, compiled for each family ([`World::on_engine`](crate::world::World::on_engine)).
pub trait OnStage<W> {
    /// What comes of it.
    type Out;
    /// Does it.
    fn run(self, w: &mut W, at: impl AtStage) -> Self::Out;
}

/// As [`AtPool`], of a hold statement.
pub trait AtHold: Copy {
    /// Which one, if its type says it.
    const STMT: Option<u32>;
    /// Which one: index into [`World::HOLDS`](crate::world::World::HOLDS).
    fn stmt(self) -> u32;
}

/// Hold statement `H`.
#[derive(Clone, Copy, Debug)]
pub struct HoldAt<const H: u32>;

impl<const H: u32> AtHold for HoldAt<H> {
    const STMT: Option<u32> = Some(H);
    #[inline]
    fn stmt(self) -> u32 {
        H
    }
}

impl AtHold for u32 {
    const STMT: Option<u32> = None;
    #[inline]
    fn stmt(self) -> u32 {
        self
    }
}

/// What is done with a hold statement, compiled for each ([`World::on_hold`](crate::world::World::on_hold)).
pub trait OnHold<W> {
    /// What comes of it.
    type Out;
    /// Does it.
    fn run(self, w: &mut W, hold: impl AtHold) -> Self::Out;
}

impl PoolKey {
    /// Member `member` of family `family`.
    #[inline]
    pub const fn new(family: u16, member: usize) -> Self {
        PoolKey { family, member: member as u32 }
    }
}

impl StageKey {
    /// Member `member` of family `family`.
    #[inline]
    pub const fn new(family: u16, member: usize) -> Self {
        StageKey { family, member: member as u32 }
    }
}
