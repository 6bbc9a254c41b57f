//! SIMD levels, and the vectors that parse and write text.

#[doc(hidden)]
pub use lane_kernel::vectors;
pub use lane_kernel::{SimdLevel, UnsupportedSimd};
