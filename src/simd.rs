//! Which vector instructions to use, and the vectors that text is read and written with.

pub(crate) use lane_kernel::vectors;
pub use lane_kernel::{SimdLevel, UnsupportedSimd};
