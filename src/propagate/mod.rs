//! Constraint propagation over units and peers.

mod geometry;

pub(crate) use geometry::row_column_box;
pub use geometry::{peers, units};
