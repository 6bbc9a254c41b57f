//! Generating puzzles that need a technique.

use bulkdoku_core::generate::Removal;

use crate::Technique;

/// Returns the order of removal with which the most puzzles need a technique and no harder one.
pub fn removal_favoring(technique: Technique) -> Removal {
    use Technique as T;
    match technique {
        T::Swordfish | T::Jellyfish | T::UniqueRectangle4 | T::UniqueLoop2 => Removal::ByDigit,
        T::NakedQuad | T::HiddenQuad | T::UniqueLoop3 | T::UniqueLoop4 => Removal::BoxAndRow,
        _ => Removal::Random,
    }
}
