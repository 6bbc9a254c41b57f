//! The clock that measures latencies and wall time.
//!
//! `wasm32-unknown-unknown` lacks a clock: that of the standard library panics there. With the
//! feature `js`, the clock is `performance.now` of the page, the worker, or Node. Without it, time
//! does not pass: all latencies and durations are 0.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
pub use web_time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown", not(feature = "js")))]
pub use stopped::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown", not(feature = "js")))]
mod stopped {
    use std::time::Duration;

    /// The only instant of a clock that does not advance.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant;

    #[allow(clippy::unused_self, reason = "the interface of the standard library's clock")]
    impl Instant {
        /// Returns the instant.
        pub const fn now() -> Self {
            Self
        }

        /// Returns zero.
        pub const fn elapsed(&self) -> Duration {
            Duration::ZERO
        }

        /// Returns zero.
        pub const fn duration_since(&self, _earlier: Self) -> Duration {
            Duration::ZERO
        }
    }
}
