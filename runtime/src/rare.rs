//! What hardly ever happens, said to the compiler: the code for it is laid aside, so that what always runs is close
//! together and more of it stays in the processor's instruction cache.

/// Called where hardly anything ever comes.
#[cold]
#[inline(always)]
fn rare() {}

/// `condition`, which hardly ever holds.
#[inline(always)]
pub(crate) fn rarely(condition: bool) -> bool {
    if condition {
        rare();
    }
    condition
}
