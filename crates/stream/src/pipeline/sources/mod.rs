//! Sources of blocks.

mod answers;
mod ranges;
mod text;

pub use self::answers::Answered;
pub use self::ranges::Ranges;
pub use self::text::TextSource;
