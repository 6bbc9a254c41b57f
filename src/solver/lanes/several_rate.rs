//! How frequent puzzles with several solutions were of late.

/// How many of the puzzles that were searched have several solutions. Old ones count less and less.
#[derive(Clone, Copy)]
pub(super) struct SeveralRate {
    searched: u32,
    several: u32,
}

impl SeveralRate {
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
        let mut several_rate = SeveralRate::UNKNOWN;
        assert!(several_rate.few_several());
        for _ in 0..20 {
            several_rate.note(true);
        }
        assert!(!several_rate.few_several());
        let unique = (0..).take_while(|_| {
            several_rate.note(false);
            !several_rate.few_several()
        });
        assert!((100..2 * SeveralRate::LONG as usize).contains(&unique.count()));
        for i in 1..10 * SeveralRate::LONG {
            several_rate.note(i % 64 == 0);
        }
        assert!(several_rate.few_several());
    }
}
