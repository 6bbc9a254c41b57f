//! SIMD levels: detected once at run time, or selected by name.

use std::fmt;

use fearless_simd::{Level, Simd, dispatch};
use thiserror::Error;

/// A vector instruction set that this CPU supports.
///
/// Values exist only for levels that this CPU supports; [`SimdLevel::by_name`] checks.
#[derive(Clone, Copy)]
pub struct SimdLevel(Level);

impl SimdLevel {
    /// Returns the best level of this CPU. It is detected only once.
    pub fn best() -> Self {
        Self(Level::new())
    }

    /// Returns all levels of this CPU, the best first.
    ///
    /// This includes `portable` if no vector instructions are certain, or with the feature
    /// `portable`.
    pub fn available() -> Vec<Self> {
        let best = Level::new();
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            levels.extend(best.as_avx512().map(Level::Avx512));
            levels.extend(best.as_avx2().map(Level::Avx2));
            levels.extend(best.as_sse4_2().map(Level::Sse4_2));
            levels.extend(best.as_sse2().map(Level::Sse2));
        }
        #[cfg(not(target_arch = "x86_64"))]
        levels.push(best);
        #[cfg(feature = "portable")]
        if !best.is_fallback() {
            levels.push(Level::fallback());
        }
        levels.into_iter().map(Self).collect()
    }

    /// Returns the level with this name (`avx512`, `avx2`, `sse4.2`, `sse2`, `neon`, `simd128`,
    /// `portable`).
    ///
    /// # Errors
    /// When this CPU does not support the level; the error lists the supported levels.
    pub fn by_name(name: &str) -> Result<Self, UnsupportedSimd> {
        let available = Self::available();
        let found = available.iter().copied().find(|level| level.name() == name);
        found.ok_or_else(|| UnsupportedSimd {
            name: name.into(),
            available: available.iter().map(|level| level.name()).collect(),
        })
    }

    /// Returns the name, as used by `--simd`.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Sse4_2(_) => "sse4.2",
            #[cfg(target_arch = "x86_64")]
            Level::Sse2(_) => "sse2",
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::WasmSimd128(_) => "simd128",
            _ => "portable",
        }
    }

    /// Runs a closure that is compiled with the instructions of this level, such as a loop over
    /// sets of lanes. The closure and all functions that it calls should be `#[inline(always)]`.
    #[inline]
    pub fn run<R>(self, run: impl FnOnce() -> R) -> R {
        dispatch!(self.0, s => s.vectorize(run))
    }

    /// Returns the token that the functions of [`vectors`](crate::vectors) require.
    #[doc(hidden)]
    pub fn token(self) -> Level {
        self.0
    }
}

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimdLevel({self})")
    }
}

impl PartialEq for SimdLevel {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for SimdLevel {}

/// The requested SIMD level is not available on this CPU, or, if it is `portable`, in this build.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "no SIMD level {name:?} {}; it supports {}",
    if name == "portable" { "in this build" } else { "for this CPU" },
    available.join(", ")
)]
pub struct UnsupportedSimd {
    name: String,
    available: Vec<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name_accepts_available_levels_and_lists_them_in_errors() {
        for level in SimdLevel::available() {
            assert_eq!(SimdLevel::by_name(level.name()), Ok(level));
        }
        assert_eq!(SimdLevel::available()[0], SimdLevel::best());
        let error = SimdLevel::by_name("mmx").unwrap_err().to_string();
        let all = SimdLevel::available();
        assert!(error.contains("mmx") && error.contains(all[all.len() - 1].name()), "{error}");
    }
}
