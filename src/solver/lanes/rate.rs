//! How often puzzles have had several solutions of late.

/// How many of the puzzles that were searched have several solutions. Old ones count less and less.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    searched: u32,
    several: u32,
}

impl Rate {
    /// From here on, with the benefit of the doubt.
    pub(super) const UNKNOWN: Self = Self { searched: 128, several: 0 };

    /// Half of what is this long ago counts.
    const LONG: u32 = 2048;

    /// A puzzle has been searched.
    #[inline(always)]
    pub(super) fn note(&mut self, several: bool) {
        self.searched += 1;
        self.several += u32::from(several);
        if self.searched == Self::LONG {
            self.searched /= 2;
            self.several /= 2;
        }
    }

    /// Whether so few that it pays to search as if there were none.
    pub(super) fn is_low(self) -> bool {
        self.several * 32 <= self.searched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_with_several_solutions_are_few_and_many_are_forgotten_in_time() {
        let mut rate = Rate::UNKNOWN;
        assert!(rate.is_low());
        for _ in 0..20 {
            rate.note(true);
        }
        assert!(!rate.is_low());
        let unique = (0..).take_while(|_| {
            rate.note(false);
            !rate.is_low()
        });
        assert!((100..2 * Rate::LONG as usize).contains(&unique.count()));
        for i in 1..10 * Rate::LONG {
            rate.note(i % 64 == 0);
        }
        assert!(rate.is_low());
    }
}
