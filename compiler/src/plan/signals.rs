//! Which gauge reads what: one bit per thing read, so that a gauge is evaluated only after an
//! instant that changed something it reads. More than 64 things share the last bit.

use crate::ir::{ExprKind, PoolFn, Program, visit};

/// Bits by family.
pub struct Signals {
    /// Per pool family: `used`, `holders`, `queued`.
    pub pools: Vec<[u64; 3]>,
    /// Per stage family: jobs.
    pub stages: Vec<u64>,
    /// Per gauge.
    pub gauges: Vec<u64>,
}

struct Bits(u32);

impl Bits {
    fn of(&mut self, place: &mut u64) -> u64 {
        if *place == 0 {
            *place = 1 << self.0.min(63);
            self.0 += 1;
        }
        *place
    }
}

/// Gives a bit to everything that a gauge reads.
pub fn assign(program: &Program) -> Signals {
    let mut bits = Bits(0);
    let mut out = Signals {
        pools: vec![[0; 3]; program.pools.len()],
        stages: vec![0; program.stages.len()],
        gauges: Vec::new(),
    };
    for gauge in &program.gauges {
        let mut mask = 0;
        visit::expr(&gauge.value, &mut |e| match &e.kind {
            ExprKind::Pool(f, r) => {
                if let Some(aspect) = aspect(*f) {
                    mask |= bits.of(&mut out.pools[r.pool.index()][aspect]);
                }
            }
            ExprKind::Stage(_, r) | ExprKind::Price(r, _, _) => {
                mask |= bits.of(&mut out.stages[r.stage.index()]);
            }
            _ => {}
        });
        out.gauges.push(mask);
    }
    out
}

/// The place of a counter in the runtime's `PoolSpec`: `used`, `holders`, `queued`.
pub fn aspect(f: PoolFn) -> Option<usize> {
    match f {
        PoolFn::Used | PoolFn::Free => Some(0),
        PoolFn::Holders => Some(1),
        PoolFn::Queued => Some(2),
        PoolFn::CachedIn | PoolFn::Leased | PoolFn::BlockSize => None,
    }
}
