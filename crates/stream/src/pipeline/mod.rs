//! The path from inputs to rows: blocks, jobs, filters, and sinks, in order and on all cores.
//!
//! The workers are a rayon pool. Reading and writing have no separate threads, which would have to
//! be woken for every block and would compete for the cores. Instead, a worker fills its block
//! under a lock, and after finishing a block, it writes all blocks whose turn it is. Compressed
//! inputs are decompressed ahead on a thread ([`Stream`](crate::input::Stream)).
//!
//! Each worker owns one block, its records, and its results; only mapped values move between
//! threads. This bounds memory and slows reading down when the output is slow. Nothing is allocated
//! once every buffer has been used.

mod block;
mod filter;
mod fold;
mod jobs;
mod messages;
mod plan;
mod progress;
pub(crate) mod properties;
mod records;
mod rows;
mod sequencer;
mod sink;
mod sources;
mod statistics;
mod threads;

pub use self::jobs::{
    Augment, Check, Classify, Generate, Hard, HardSource, Job, Leftovers, List, Neighbors, Solve,
    row_condition,
};
pub use self::plan::Pipeline;
pub use self::progress::{InputFailure, Progress, watch};
pub use self::records::{ReadRecord, RecordReader};
pub use self::rows::{OutputFailure, Report};
pub use self::sink::{Checkpoint, Sink};

// Used only by the command and the Python package.
pub use self::block::{BLOCK_BYTES, Block, BlockSource, Contents, Work};
pub use self::filter::Filter;
pub use self::fold::{BlockSummary, Folded, Map, Options, fold_blocks};
pub use self::jobs::{Shifts, Solver, Worker};
pub use self::messages::{Message, MessageFormat, visible, visible_json, write_messages};
pub use self::rows::RowWriter;
pub use self::sources::{Answered, Ranges, TextSource};
pub use self::statistics::Statistics;
pub use self::threads::cores;
