//! The types of the columns of Parquet files.

#[cfg(feature = "parquet")]
use parquet::schema::types::TypePtr;

/// The type of a column of a Parquet file.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnType {
    /// One value per row, read as the text that pyarrow writes to CSV.
    #[cfg(feature = "parquet")]
    Values(TypePtr),
    /// Lists, structs, or maps, read as JSON; lists of cells as cells.
    #[cfg(feature = "parquet")]
    Nested(TypePtr),
}

impl Eq for ColumnType {}

impl ColumnType {
    /// Returns whether values are lists, structs, or maps.
    pub fn is_nested(&self) -> bool {
        match *self {
            #[cfg(feature = "parquet")]
            Self::Nested(_) => true,
            #[cfg(feature = "parquet")]
            Self::Values(_) => false,
        }
    }

    /// Returns whether the text of a value of this column is JSON.
    pub fn is_json(&self) -> bool {
        match *self {
            #[cfg(feature = "parquet")]
            Self::Values(ref column) => super::parquet::Meaning::of(column).is_number(column),
            #[cfg(feature = "parquet")]
            Self::Nested(_) => true,
        }
    }
}

/// Returns whether a number is neither NaN nor infinite: JSON has only these.
pub(crate) fn is_finite(number: &[u8]) -> bool {
    !matches!(number, b"NaN" | b"inf" | b"-inf")
}
