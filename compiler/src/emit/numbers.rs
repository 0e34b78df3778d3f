//! Numbers as Rust writes them.

use proc_macro2::TokenStream;
use quote::quote;

/// A number as Rust writes it.
pub fn literal(x: f64) -> TokenStream {
    if x == f64::INFINITY {
        return quote!(f64::INFINITY);
    }
    if x.is_nan() {
        return quote!(f64::NAN);
    }
    if x < 0.0 {
        let positive = literal(-x);
        return quote!(-#positive);
    }
    format!("{x:?}").parse().expect("a float's debug form is a literal")
}

/// A finite number that says its type, as what a method is called on.
pub(super) fn suffixed(x: f64) -> TokenStream {
    let number: TokenStream =
        format!("{:?}_f64", x.abs()).parse().expect("a float literal with a suffix");
    if x < 0.0 { quote!((-#number)) } else { number }
}

/// What clippy takes for a rounded constant of mathematics, and then some.
pub(super) fn is_like_a_constant(x: f64) -> bool {
    use std::f64::consts::{
        E, FRAC_1_PI, FRAC_1_SQRT_2, FRAC_2_PI, FRAC_2_SQRT_PI, FRAC_PI_2, FRAC_PI_3, FRAC_PI_4,
        FRAC_PI_6, FRAC_PI_8, LN_2, LN_10, LOG2_10, LOG2_E, LOG10_2, LOG10_E, PI, SQRT_2, TAU,
    };
    const KNOWN: [f64; 19] = [
        E,
        FRAC_1_PI,
        FRAC_1_SQRT_2,
        FRAC_2_PI,
        FRAC_2_SQRT_PI,
        FRAC_PI_2,
        FRAC_PI_3,
        FRAC_PI_4,
        FRAC_PI_6,
        FRAC_PI_8,
        LN_2,
        LN_10,
        LOG2_10,
        LOG2_E,
        LOG10_2,
        LOG10_E,
        PI,
        SQRT_2,
        TAU,
    ];
    KNOWN.iter().any(|known| (x.abs() / known - 1.0).abs() < 2e-3)
}
