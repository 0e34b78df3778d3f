//! The cheapest setting that meets its targets.
//!
//! - `question`: an objective, targets, and the settings to choose from, as text
//! - `report`: what was found, as text and as JSON
//! - `search`: which settings are run how often, and what is decided of each

pub mod question;
pub mod report;
pub mod search;
