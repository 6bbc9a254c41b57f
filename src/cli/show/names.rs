//! Cell names.

use std::str::FromStr;

use bulkdoku::puzzle::cell_name;

/// The two notations for cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellNames {
    /// `A1` to `I9`: letters for rows, digits for columns, as in Norvig's article.
    Letters,
    /// `r1c1` to `r9c9`, as players use.
    #[default]
    RowColumn,
}

impl CellNames {
    pub fn of(self, cell: usize) -> String {
        self.function()(cell)
    }

    /// Returns the function that names a cell.
    pub fn function(self) -> fn(usize) -> String {
        match self {
            Self::Letters => {
                |cell| format!("{}{}", char::from(b'A' + (cell / 9) as u8), cell % 9 + 1)
            }
            Self::RowColumn => cell_name,
        }
    }

    /// Parses a name in either notation, ignoring case.
    pub fn find(name: &str) -> Option<(Self, usize)> {
        let digit = |byte: u8| (b'1'..=b'9').contains(&byte).then(|| usize::from(byte - b'1'));
        match *name.to_ascii_lowercase().as_bytes() {
            [row @ b'a'..=b'i', column] => {
                Some((Self::Letters, 9 * usize::from(row - b'a') + digit(column)?))
            }
            [b'r', row, b'c', column] => Some((Self::RowColumn, 9 * digit(row)? + digit(column)?)),
            _ => None,
        }
    }
}

impl FromStr for CellNames {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, &'static str> {
        match name {
            "letters" => Ok(Self::Letters),
            "rc" => Ok(Self::RowColumn),
            _ => Err("expected letters (A1 to I9) or rc (r1c1 to r9c9)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_cells() {
        for names in [CellNames::Letters, CellNames::RowColumn] {
            for cell in 0..81 {
                assert_eq!(CellNames::find(&names.of(cell)), Some((names, cell)));
                assert_eq!(CellNames::find(&names.of(cell).to_uppercase()), Some((names, cell)));
            }
        }
        for bad in ["", "A", "A0", "J1", "A10", "r1", "r1c0", "r10c1", "1A", "é1"] {
            assert_eq!(CellNames::find(bad), None, "{bad}");
        }
    }
}
