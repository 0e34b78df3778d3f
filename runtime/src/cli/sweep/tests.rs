//! Sweeps of the small made-up program.
