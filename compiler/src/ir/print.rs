//! The IR as text.
