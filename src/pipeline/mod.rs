//! Reader, workers, writer, and the blocks that circulate between them.
//!
//! ```text
//!            full blocks            finished blocks
//!  reader ───────────────▶ workers ────────────────▶ writer
//!    ▲                                                 │
//!    └───────────────── empty blocks ◀─────────────────┘
//! ```
//!
//! The number of blocks is fixed. This bounds memory and reordering, holds the reader back when the
//! output is slow, and leaves nothing to allocate once each block was used.
//!
//! The workers are a rayon pool. Reader and writer have no threads, which would have to be woken
//! for every block and would compete for the workers' cores. A worker runs the reader when it needs
//! a block, and the writer when it has finished one. Compressed inputs are read ahead on a thread
//! ([`Stream`](crate::input::Stream)).

mod answers;
mod attached;
mod block;
mod corpus;
mod plan;
mod progress;
mod reader;
mod records;
mod report;
mod requested;
mod run;
mod sift;
mod sink;
mod tally;
mod threads;
mod turns;
mod worker;
mod writer;

pub use self::plan::{MakeEngine, Pipeline};
pub use self::progress::{InputFailure, Progress};
pub use self::records::{ReadRecord, RecordReader};
pub use self::report::{OutputFailure, Report};
pub use self::sink::{Checkpoint, RecordName, Sink};

// What only the command needs.
#[doc(hidden)]
pub use self::answers::AnswerInput;
#[doc(hidden)]
pub use self::block::BLOCK_BYTES;
#[doc(hidden)]
pub use self::corpus::Corpus;
#[doc(hidden)]
pub use self::plan::Route;
#[doc(hidden)]
pub use self::requested::{Augment, Rated, RequestedFacts, RequestedTally};
#[doc(hidden)]
pub use self::sift::{Fate, Sameness, Sift, Sifted};
#[doc(hidden)]
pub use self::tally::Tally;

const NO_PANIC: &str = "a panic ends the run";
