//! The types of the columns of Parquet files.

#[cfg(feature = "parquet")]
use parquet::schema::types::TypePtr;

/// The type of a column of a Parquet file.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnType {
    /// One value per row, read as the text that pyarrow writes to CSV.
    #[cfg(feature = "parquet")]
    Values(TypePtr),
    /// Lists of values, read as JSON unless they are cells.
    Lists,
    /// Maps, lists of structs, and deeper lists: not read.
    Nested,
}

impl Eq for ColumnType {}

impl ColumnType {
    /// Returns whether the text of a value of this column is JSON.
    pub fn is_json(&self) -> bool {
        match self {
            #[cfg(feature = "parquet")]
            Self::Values(column) => super::parquet::Meaning::of(column).is_number(column),
            Self::Lists => true,
            Self::Nested => false,
        }
    }
}

/// Returns whether a number is neither NaN nor infinite: JSON has only these.
pub(crate) fn is_finite(number: &[u8]) -> bool {
    !matches!(number, b"NaN" | b"inf" | b"-inf")
}
