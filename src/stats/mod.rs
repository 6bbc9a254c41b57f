//! Statistics of a run: counts of records, latencies, and rates over time.

mod counts;
mod human;
mod latency;
mod timeline;

pub use counts::Counts;
#[doc(hidden)]
pub use human::{human_time, short_number, short_time};
pub(crate) use latency::in_runs;
pub use latency::{Bucket, Latencies};
#[doc(hidden)]
pub use timeline::Timeline;
