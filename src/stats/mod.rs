//! Statistics of a run: counts of records, latencies, and rates over time.

mod counts;
mod human;
mod latency;
mod timeline;

pub use counts::Counts;
pub use human::{human_time, short_number, short_time};
pub(crate) use latency::in_runs;
pub use latency::{Bucket, Latencies};
pub use timeline::Timeline;
