//! What cells are called.

use std::str::FromStr;

/// Two ways to name the 81 cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// `A1` to `I9`: the row's letter, the column's digit. The classic article's names.
    #[default]
    Letters,
    /// `r1c1` to `r9c9`: the usual names of the players.
    RowColumn,
}

impl Names {
    /// The name of a cell.
    pub fn of(self, cell: usize) -> String {
        let (row, column) = (cell / 9, cell % 9 + 1);
        match self {
            Self::Letters => format!("{}{column}", char::from(b'A' + row as u8)),
            Self::RowColumn => format!("r{}c{column}", row + 1),
        }
    }
}

impl FromStr for Names {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, &'static str> {
        match name {
            "letters" => Ok(Self::Letters),
            "rc" => Ok(Self::RowColumn),
            _ => Err("letters (A1 to I9) or rc (r1c1 to r9c9)"),
        }
    }
}
