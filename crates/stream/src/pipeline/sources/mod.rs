//! Sources of blocks.

mod answers;
mod ranges;
mod text;

pub use self::answers::Answered;
#[cfg(test)]
pub(crate) use self::ranges::NoRecords;
pub use self::ranges::Ranges;
pub use self::text::TextSource;
