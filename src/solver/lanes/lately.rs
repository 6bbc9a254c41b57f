//! What searches have come to of late.

/// How many of the puzzles that were searched have several solutions. Old ones count less and less.
#[derive(Clone, Copy)]
pub(super) struct Lately {
    searched: u32,
    several: u32,
}

impl Lately {
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
    pub(super) fn few_several(self) -> bool {
        self.several * 32 <= self.searched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_with_several_solutions_are_few_and_many_are_forgotten_in_time() {
        let mut lately = Lately::UNKNOWN;
        assert!(lately.few_several());
        for _ in 0..20 {
            lately.note(true);
        }
        assert!(!lately.few_several());
        let unique = (0..).take_while(|_| {
            lately.note(false);
            !lately.few_several()
        });
        assert!((100..2 * Lately::LONG as usize).contains(&unique.count()));
        for i in 1..10 * Lately::LONG {
            lately.note(i % 64 == 0);
        }
        assert!(lately.few_several());
    }
}
