//! `serq!`: a serQ program inline in Rust.
//!
//! In: a macro's tokens. Out: a module that runs the program, or the program's errors at the user's own tokens. All
//! knowledge of the language is in `serq-compiler`, the library that the command calls; here are the macro's own form
//! (`request`), tokens as text and back (`source`), files (`files`) and what rustc is told (`said`).

mod expand;
mod files;
mod request;
mod said;
mod source;

#[cfg(test)]
mod tests;

use proc_macro2::Span;
use std::path::PathBuf;

/// A serQ program as a module.
///
/// ```text
/// serq! {
///     name: mm1;
///     let lambda = 0.8;
///     stage server : fifo;
///     workload { arrive poisson(lambda); }
///     session { run server (~exp(1)); observe sojourn = now - t0; }
///     run { horizon 1e5; warmup 1e3; }
/// }
///
/// serq! { name: pd; file "programs/pd.sq" }
/// ```
///
/// `mm1` has `Params` (the program's `let`s), `run(&Params, Settings)` and what that returns, with the program's
/// observations, gauges, pools and stages as fields. Files are named from the crate's root. Errors of the program are
/// at its tokens, with the codes and words of the command; warnings too, as uses of something deprecated.
#[proc_macro]
pub fn serq(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let span = Span::call_site();
    let call = span.source_text().map(|text| source::Call {
        file: span.file(),
        text,
        start: span.start(),
    });
    // Cargo says it; without cargo paths are relative to where rustc was started.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| ".".into(), PathBuf::from);
    let root = std::path::absolute(&root).unwrap_or(root);
    expand::expand(tokens.into(), call.as_ref(), &root).into()
}
