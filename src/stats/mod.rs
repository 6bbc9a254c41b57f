//! Statistics of a run: records by status, latencies.

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
