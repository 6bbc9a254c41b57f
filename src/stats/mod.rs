//! What a run did: how many records of each status, how long each puzzle took.

mod counts;
mod human;
mod latency;
mod timeline;

pub use counts::Counts;
#[doc(hidden)]
pub use human::HumanTime;
pub(crate) use latency::in_runs;
pub use latency::{Bucket, Latencies};
#[doc(hidden)]
pub use timeline::Timeline;
