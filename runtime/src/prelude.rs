//! All that an emitted program uses.

pub use crate::{
    engine::{Engine, Iteration, Resident, Totals, budget_left, kv_decode, kv_prefill},
    fault::{Fault, FaultKind},
    flows::Share,
    hold::{drop_prefix, grow, join, leave, load, release},
    kept::{KeptOf, KeptSpec, kept, kept_choice, kept_choice_for, narrow},
    kernel::{
        Builtins, Control, Kernel,
        session::{end_session, next_turn},
    },
    legs::{book_leg, end_booking, end_leg, fork_leg, legs_joined, open_booking},
    outage::{guard, stage_up, unguard},
    pool::{EvictView, Pool, cached_in, leased_in, shared::add_segment},
    report::SeedReport,
    rng::{Stream, StreamKind},
    settings::Settings,
    simulate::{simulate, simulate_with},
    station::{
        Delay, Fifo, Link, Mode, Ps, est_lambda, est_rho, est_wait, price, run_fan, run_flow,
        run_growing, run_on, stage_busy, stage_queue, stage_work,
    },
    trace::{TraceOrder, TraceSpec},
    world::*,
};
