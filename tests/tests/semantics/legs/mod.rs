//! Legs that run beside their session, and what is booked ahead.

mod bookings;
mod deadlocks;
mod forks;
mod shared;
