//! Statistics of a run: counts of records, and latencies.

mod counts;
mod human;
mod latency;

pub use counts::Counts;
pub use human::human_time;
pub(crate) use latency::in_runs;
pub use latency::{Bucket, Latencies};
