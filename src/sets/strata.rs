//! Strata: the records that have the same value.

use std::collections::HashMap;
use std::io;

use crate::memory;

/// The maximum number of strata, which bounds memory.
const MAX_STRATA: usize = 1_000_000;

/// The number of new strata after which the remaining memory is checked.
const STRATA_BETWEEN_CHECKS: usize = 1024;

/// The numbers of values, in the order in which they first occur.
#[derive(Debug)]
pub struct Strata {
    option: &'static str,
    numbers: HashMap<Vec<u8>, u32>,
}

impl Strata {
    /// Creates an empty list. Errors begin with the name of the option that chooses the values.
    pub fn new(option: &'static str) -> Self {
        Self { option, numbers: HashMap::new() }
    }

    /// Returns the number of a value.
    ///
    /// # Errors
    /// Fails after a million different values, or if there is too little memory.
    pub fn number(&mut self, value: Vec<u8>) -> io::Result<u32> {
        if let Some(number) = self.numbers.get(&value) {
            return Ok(*number);
        }
        let number = self.numbers.len();
        if number == MAX_STRATA {
            let what = format!("{}: more than a million different values", self.option);
            return Err(io::Error::other(what));
        }
        if number % STRATA_BETWEEN_CHECKS == STRATA_BETWEEN_CHECKS - 1 {
            memory::check_after(usize::MAX)?;
        }
        self.numbers.insert(value, number as u32);
        Ok(number as u32)
    }

    /// Returns the values with their numbers, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> {
        self.numbers.iter().map(|(value, number)| (&**value, *number))
    }
}
